import { describe, expect, test } from 'vitest';
import { checkRef } from '../../git/address.ts';
import { branchName } from './branch-name.ts';

const facts = {
  jobId: 'aj_7c20b9e4d5f1a863',
  prompt: 'Fix the links in the Quickstart guide.\nAnd more.',
  createdAt: '2026-03-01T23:59:00.000Z',
  secrets: ['s3cret-value-of-a-token'],
};

test.each([
  [null, 'docyard/7c20b9e4d5f1'],
  ['docyard/{job}', 'docyard/7c20b9e4d5f1'],
  ['docs/{slug}', 'docs/fix-the-links-in-the-quickstart-guide-7c20b9e4d5f1'],
  ['{date}/{job}-{slug}', '2026-03-01/7c20b9e4d5f1-fix-the-links-in-the-quickstart-guide'],
  ['agent', 'agent-7c20b9e4d5f1'],
])('the template %s becomes the branch %s', (template, name) => {
  expect(branchName(template, facts)).toBe(name);
});

describe('the start of an instruction', () => {
  test.each([
    ['Über Größe & Café', 'uber-gro-e-cafe'],
    ['{job} {date} ../../ refs~1^2:', 'job-date-refs-1-2'],
    ['日本語を直す', 'change'],
    ['', 'change'],
    ['x'.repeat(100), 'change'],
    ['one two three four five six seven eight nine ten', 'one-two-three-four-five-six-seven-eight'],
    [`Use s3cret-value-of-a-token`, 'change'],
  ])('%j becomes %s', (prompt, slug) => {
    const name = branchName('{slug}', { ...facts, prompt });
    expect(name).toBe(`${slug}-7c20b9e4d5f1`);
    checkRef(name);
  });

  test('no instruction completes a suffix that git reserves', () => {
    const name = branchName('docs.{slug}/{job}', { ...facts, prompt: 'Lock' });
    expect(name).toBe('docs-lock/7c20b9e4d5f1');
    checkRef(name);
  });
});
