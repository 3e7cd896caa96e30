/**
 * The source of the runtime inside QuickJS. It is an expression: a function that takes `ask` (JSON in, JSON
 * out) and returns `begin`, `standIn`, `define` and `run` (see `inside/entry.js`).
 */
import { readFileSync } from 'node:fs';

const files = ['react', 'platform', 'browser', 'entry'];

export function insideSource(): string {
  const sources = files.map((name) => readFileSync(new URL(`./inside/${name}.js`, import.meta.url), 'utf8'));
  const functions = sources.map((source) => source.replaceAll(/^export /gm, '')).join('\n');
  const inside = `(ask) => {\n${functions}\nreturn entry(reactForFirstRender(), platformOf(ask), standIn);\n}`;
  // Wraps the JSON protocol of `ask` as a function of values.
  return `((ask) => (${inside})((name, args) => JSON.parse(ask(name, JSON.stringify(args)))))`;
}
