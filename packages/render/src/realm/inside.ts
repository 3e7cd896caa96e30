/**
 * The text of ours that runs inside QuickJS, put together. It is an expression: a function that takes `ask`,
 * which is JSON in and JSON out, and gives the functions `begin`, `standIn`, `define` and `run` (see `inside/entry.js`).
 */
import { readFileSync } from 'node:fs';

const files = ['react', 'platform', 'browser', 'entry'];

export function insideSource(): string {
  const sources = files.map((name) => readFileSync(new URL(`./inside/${name}.js`, import.meta.url), 'utf8'));
  const functions = sources.map((source) => source.replaceAll(/^export /gm, '')).join('\n');
  const inside = `(ask) => {\n${functions}\nreturn entry(reactForFirstRender(), platformOf(ask), standIn);\n}`;
  // Questions and answers are JSON; inside they look like a function of values.
  return `((ask) => (${inside})((name, args) => JSON.parse(ask(name, JSON.stringify(args)))))`;
}
