/** Holds `vitest.config.ts` to the files: a name that matches nothing silently drops the tests that have moved. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every text of the configuration that names files. */
function namesIn(source: string): string[] {
  const names: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, value: text } = value as { type?: unknown; value?: unknown };
    if (type === 'Literal' && typeof text === 'string' && /^(?:\.\/)?(?:packages|test)\//.test(text))
      names.push(text);
    for (const part of Object.values(value)) visit(part);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return names;
}

/** Braces are alternatives, each of which must match; nested ones are left to the glob. */
function alternatives(name: string): string[] {
  const [, before = '', inner, after = ''] = /^([^{]*)\{([^{}]*)\}([^{]*)$/.exec(name) ?? [];
  return inner === undefined ? [name] : inner.split(',').map((each) => before + each + after);
}

test('every name in vitest.config.ts matches a file', () => {
  const names = namesIn(readFileSync(new URL('../vitest.config.ts', import.meta.url), 'utf8'));
  expect(names.length).toBeGreaterThan(30);
  const missing = names.flatMap(alternatives).filter((name) => globSync(name, { cwd: root }).length === 0);
  expect(missing).toEqual([]);
});

test('the tests of following jobs run on PostgreSQL too', () => {
  const names = namesIn(readFileSync(new URL('../vitest.config.ts', import.meta.url), 'utf8'));
  expect(names.flatMap(alternatives)).toContain('packages/server/src/jobs/follow.test.ts');
});
