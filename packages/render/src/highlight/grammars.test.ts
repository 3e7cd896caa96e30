import { createRequire } from 'node:module';
import type * as PrismNamespace from 'prismjs';
import { describe, expect, it, vi } from 'vitest';
import { prismLanguages } from './languages.ts';

const require = createRequire(import.meta.url);

describe('grammars', () => {
  const names = prismLanguages;
  const middle = Math.floor(names.length / 2);

  /** Pages render in any order on any number of processes with the same result. */
  it.each([
    ['as listed', names],
    ['reversed', names.toReversed()],
    ['from the middle', [...names.slice(middle), ...names.slice(0, middle)]],
  ])('the grammar of %s does not depend on the loading order', async (_, order) => {
    const expected = allTogether(order);
    forgetPrism();
    vi.resetModules();
    const { grammarFor } = await import('./grammars.ts');
    for (const name of order) use(grammarFor(name));
    expect(order.filter((name) => described(grammarFor(name)) !== expected[name])).toEqual([]);
  });
});

function allTogether(order: readonly string[]): Record<string, string> {
  forgetPrism();
  const { languages: grammars } = require('prismjs') as typeof PrismNamespace;
  const load = require('prismjs/components/index.js') as (names: string[]) => void;
  load(prismLanguages);
  for (const name of order) use(grammars[name]);
  const all = Object.entries(grammars).filter(([, grammar]) => typeof grammar === 'object');
  return Object.fromEntries(all.map(([name, grammar]) => [name, described(grammar)]));
}

function forgetPrism(): void {
  for (const file of Object.keys(require.cache)) if (file.includes('prismjs')) delete require.cache[file];
}

/**
 * At its first use Prism moves the tokens of `rest` into the surrounding grammar, which later copies then
 * contain.
 */
function use(grammar: unknown, seen = new Set<unknown>()): void {
  if (typeof grammar !== 'object' || grammar === null || grammar instanceof RegExp || seen.has(grammar))
    return;
  seen.add(grammar);
  const { rest } = grammar as { rest?: unknown };
  if (typeof rest === 'object') {
    use(rest, seen);
    Object.assign(grammar, rest);
    delete (grammar as { rest?: unknown }).rest;
  }
  for (const inner of Object.values(grammar)) use(inner, seen);
}

function described(grammar: unknown): string {
  const seen = new Map<object, number>();
  const describeValue = (value: unknown): string => {
    if (value instanceof RegExp) return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? typeof value;
    const before = seen.get(value);
    if (before !== undefined) return `#${before}`;
    seen.set(value, seen.size);
    const entries = Object.entries(value).map(([key, inner]) => `${key}:${describeValue(inner)}`);
    return `{${entries.join(',')}}`;
  };
  return describeValue(grammar);
}
