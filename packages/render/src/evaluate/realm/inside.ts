/**
 * The text of ours that runs inside QuickJS, put together. It is an expression: a function that takes `ask` and gives the
 * functions `begin`, `standIn`, `define` and `run` (see `inside/entry.js`).
 */
import { readFileSync } from 'node:fs';

const files = ['react', 'platform', 'browser', 'entry'];

export function insideSource(): string {
  const sources = files.map((name) => readFileSync(new URL(`./inside/${name}.js`, import.meta.url), 'utf8'));
  const functions = sources.map((source) => source.replaceAll(/^export /gm, '')).join('\n');
  return `(ask) => {\n${functions}\nreturn entry(reactForFirstRender(), platformOf(ask), standIn);\n}`;
}
