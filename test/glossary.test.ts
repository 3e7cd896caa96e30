/** The glossary of the manual has every term of the glossary in ARCHITECTURE.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const glossary = readFileSync(join(root, 'docs/glossary.mdx'), 'utf8');

const entries = glossary
  .split('\n## ')
  .slice(1)
  .map((entry) => {
    const [term = '', ...lines] = entry.split('\n');
    return { term, definition: lines.join(' ').trim() };
  });
const terms = entries.map(({ term }) => term.toLowerCase());

it('the glossary of the manual has every term of ARCHITECTURE.md', () => {
  const [, section = ''] = architecture.split('\n## Glossary\n');
  const named = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, term = '']) =>
    term.replaceAll(/\s+/g, ' ').toLowerCase(),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((term) => !terms.includes(term))).toEqual([]);
});

it('the terms of the glossary are in alphabetical order, each once', () => {
  expect(terms).toEqual([...new Set(terms)].toSorted((a, b) => a.localeCompare(b, 'en')));
});

it('every term of the glossary has a short definition with a link', () => {
  const long = entries.filter(({ definition }) => (definition.match(/[.:] /g) ?? []).length > 3);
  expect(long).toEqual([]);
  const without = entries.filter(({ definition }) => !/\]\([/#][^)]+\)/.test(definition));
  expect(without.map(({ term }) => term)).toEqual([]);
});
