/** The modules of a page: defined by their scripts, run once when an island first needs them. */
import type { ComponentChildren } from 'preact';
import { builtIn } from './author-elements.ts';
import { React, ReactDOM } from './react.ts';
import { programGlobals } from '../../program/globals.ts';

type Exports = Record<string, unknown>;
type Require = (id: string) => Exports;
/** Its parameters are in the order of `programGlobals`. */
export type Factory = (...globals: unknown[]) => (require: Require, exports: Exports) => void;
export type Piece = (props: unknown, content: unknown, isWhole: boolean) => ComponentChildren;

const MintlifyComponents = new Proxy({}, { get: (_, name) => builtIn(String(name)) });
const known: Record<string, unknown> = { ...React, React, ReactDOM, MintlifyComponents };
for (const name of ['React', 'ReactDOM'])
  if (!(name in window)) Object.assign(window, { [name]: known[name] });
const globals = programGlobals.map((name) => known[name]);

export class Registry {
  readonly #factories = new Map<string, Factory>();
  readonly #exports = new Map<string, Exports>();

  /** Returns the number of modules. */
  define(id: string, factory: Factory): number {
    return this.#factories.set(id, factory).size;
  }

  has(id: string): boolean {
    return this.#factories.has(id);
  }

  /** Throws what the author's code throws. */
  piece(id: string, index: number): Piece {
    const pieces = this.#require(id)['$pieces'] as Piece[];
    const piece = pieces[index];
    if (!piece) throw new Error(`"${id}" has no part ${index}`);
    return piece;
  }

  #require(id: string): Exports {
    const running = this.#exports.get(id);
    if (running) return running;
    const factory = this.#factories.get(id);
    if (!factory) throw new Error(`The module "${id}" is not there`);
    const exports = Object.create(null) as Exports;
    this.#exports.set(id, exports);
    factory(...globals)((name) => this.#require(name), exports);
    return exports;
  }
}
