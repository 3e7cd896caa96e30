/**
 * The scripts of pages with islands: the shared runtime, and one content-addressed file per module of
 * authors' code.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IslandModule } from '../model/page.ts';

interface ScriptFile {
  path: string;
  content: string;
}

/** Addresses from the root of the site. */
export interface IslandScriptPaths {
  /** It must run before the page's other scripts, which change the elements it reads. */
  runtime: string;
  modules: string[];
}

const runtimePath = '_docyard/islands.js';
const moduleFolder = '_docyard/islands/';

export class IslandScripts {
  readonly #files = new Map<string, string>();

  use(modules: readonly IslandModule[]): IslandScriptPaths {
    if (!this.#files.has(runtimePath)) this.#files.set(runtimePath, runtime());
    const paths = modules.map((module) => {
      const { path, content } = moduleScript(module);
      this.#files.set(path, content);
      return path;
    });
    return { runtime: runtimePath, modules: paths };
  }

  files(): ScriptFile[] {
    return [...this.#files]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, content]) => ({ path, content }));
  }

  file(path: string): string | undefined {
    return this.#files.get(path);
  }
}

function moduleScript({ id, factory }: IslandModule): ScriptFile {
  const content = `docyardIslands.define(${JSON.stringify(id)},${factory});\n`;
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { path: `${moduleFolder}${shortName(id)}.${hash}.js`, content };
}

/** A readable prefix; the hash alone makes the name unique. */
function shortName(id: string): string {
  const name = id.slice(id.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .slice(0, 40) || 'module'
  );
}

let text: string | undefined;

function runtime(): string {
  text ??= readFileSync(new URL('./files/islands.js', import.meta.url), 'utf8');
  return text;
}
