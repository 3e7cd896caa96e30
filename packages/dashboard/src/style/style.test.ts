import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const screens = fileURLToPath(new URL('../screens', import.meta.url));
const ofParts = fileURLToPath(new URL('parts.css', import.meta.url));

test('a class of a screen style sheet is used by that screen only', async () => {
  const files = (await readdir(screens, { recursive: true })).filter((name) => name.endsWith('.css'));
  expect(files.length).toBeGreaterThan(5);
  const known = classesOf(await readFile(ofParts, 'utf8'));
  const owners = new Map<string, string[]>();
  for (const file of files) {
    for (const name of classesOf(await readFile(join(screens, file), 'utf8')))
      if (!known.has(name)) owners.set(name, [...(owners.get(name) ?? []), basename(file)]);
  }
  const shared = [...owners].filter(([, names]) => names.length > 1);
  expect(shared).toEqual([]);
});

function classesOf(css: string): Set<string> {
  const selectors = css.replaceAll(/\/\*[^*]*\*\//g, '').matchAll(/(?:^|[{}])([^{}]+)(?=\{)/g);
  const parts = [...selectors].flatMap(([, selector = '']) => selector.split(','));
  return new Set(parts.flatMap((part) => /^\s*\.([\w-]+)/.exec(part)?.[1] ?? []));
}
