/**
 * The scripts of pages with islands: one that makes islands live, the same for all, and one for each module of the
 * authors' code, named by what is in it. Other pages have none of them.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IslandModule } from '../model/page.ts';

interface ScriptFile {
  path: string;
  content: string;
}

/** The addresses of the scripts of a page, from the root of the site. */
export interface IslandScriptPaths {
  /** It runs before the other scripts of the page, since they change what it has to see. */
  runtime: string;
  modules: string[];
}

const runtimePath = '_docyard/islands.js';
const moduleFolder = '_docyard/islands/';

/** The scripts that pages of one site ask for. */
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

/** The name of the file is for people who look into the output; the hash alone would do. */
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
