import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { prismLanguages } from './languages.ts';

const require = createRequire(import.meta.url);

/** Pages render in any order on any number of processes with the same result. */
describe('a grammar does not depend on the grammars before it, loaded', () => {
  const names = prismLanguages;
  const middle = Math.floor(names.length / 2);
  const alone = new Map<string, string>();

  beforeAll(async () => {
    for (const name of names) {
      const grammarFor = await freshGrammars();
      alone.set(name, described(used(grammarFor(name))));
    }
  });

  it.each([
    ['as listed', names],
    ['in the reversed order', names.toReversed()],
    ['from the middle', [...names.slice(middle), ...names.slice(0, middle)]],
  ])('%s', async (_, order) => {
    const grammarFor = await freshGrammars();
    for (const name of order) used(grammarFor(name));
    expect(order.filter((name) => described(grammarFor(name)) !== alone.get(name))).toEqual([]);
  });
});

async function freshGrammars(): Promise<(name: string) => unknown> {
  forgetPrism();
  vi.resetModules();
  return (await import('./grammars.ts')).grammarFor;
}

function forgetPrism(): void {
  for (const file of Object.keys(require.cache)) if (file.includes('prismjs')) delete require.cache[file];
}

/**
 * At its first use Prism moves the tokens of `rest` into the surrounding grammar, which later copies then
 * contain.
 */
function used(grammar: unknown, seen = new Set<unknown>()): unknown {
  if (typeof grammar !== 'object' || grammar === null || grammar instanceof RegExp || seen.has(grammar))
    return grammar;
  seen.add(grammar);
  const { rest } = grammar as { rest?: unknown };
  if (typeof rest === 'object') {
    used(rest, seen);
    Object.assign(grammar, rest);
    delete (grammar as { rest?: unknown }).rest;
  }
  for (const inner of Object.values(grammar)) used(inner, seen);
  return grammar;
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
