import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/operate/threat-model.mdx'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

const boundaries = page
  .slice(page.indexOf('## Boundaries'))
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n', 1)[0] ?? '', text }));

test('the threat model has the boundaries of the diagram', () => {
  expect(boundaries.length).toBe(8);
});

test.each(boundaries)('every threat of "$title" has a mitigation and a test that exists', ({ text }) => {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  const [, , ...threats] = rows;
  expect(threats.length).toBeGreaterThan(1);
  for (const row of threats) {
    const [threat, mitigation, proof = ''] = row.slice(2, -2).split(' | ');
    expect(threat).not.toBe('');
    expect(mitigation).not.toBe('');
    const names = [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(names.length, row).toBeGreaterThan(0);
    for (const name of names) {
      const command = /^npm run ([\w-]+)$/.exec(name)?.[1];
      expect(command === undefined ? existsSync(join(root, name)) : command in scripts, name).toBe(true);
    }
  }
  expect(text).toContain('**What remains:**');
});

test('SECURITY.md refers to pages that exist', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => globSync(link, { cwd: root }).length === 0)).toEqual([]);
});
