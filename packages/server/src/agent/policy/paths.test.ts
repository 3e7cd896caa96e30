import { protectedOutputFiles } from '@docyard/render/source-rules';
import { describe, expect, it } from 'vitest';
import { matchesPattern } from './paths.ts';
import { changed, outcomeOf } from '../../../test/support/policy-verdicts.ts';

const added = (path: string) => [changed(path, null, 'a')];

describe('paths a run may change', () => {
  it.each([
    'index.mdx',
    'guides/deep/a.md',
    'openapi.yaml',
    'api/spec.json',
    'images/logo.svg',
    'llms.txt',
    'llms-full.txt',
    'ünï.mdx',
    'guides/agents.mdx',
  ])('%s', (path) =>
    expect(
      outcomeOf(added(path).map((file) => ({ ...file, after: path.endsWith('.svg') ? '<svg/>' : 'a' }))),
    ).toBe('pass'),
  );
});

describe('paths it may not', () => {
  it.each([
    '.github/workflows/ci.yml',
    'guides/.github/a.md',
    '.docs/AGENTS.md',
    'AGENTS.md',
    'guides/agents.md',
    'CLAUDE.md',
    'CODEOWNERS',
    'package.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'custom.css',
    'script.js',
    'snippets/a.jsx',
    'snippets/a.tsx',
    'page.html',
    'Makefile',
    'Dockerfile',
    'docker-compose.yml',
    'vercel.json',
    'requirements.txt',
    'node_modules/a/b.md',
    '.env',
    'a',
    ...protectedOutputFiles(),
    ...protectedOutputFiles().map((name) => `guides/${name}`),
  ])('%s', (path) => expect(outcomeOf(added(path))).toBe('block paths'));

  it('generated files that speak for the site to crawlers', () => {
    expect(protectedOutputFiles()).toEqual(['sitemap.xml', 'robots.txt']);
  });

  it.each([
    '../a.mdx',
    'a/../../b.mdx',
    '/etc/a.md',
    './a.mdx',
    'a//b.mdx',
    'a\\b.mdx',
    'C:/a.mdx',
    'sub/.git/config.md',
    'sub/.GIT/a.md',
    'git~1/a.md',
    '.git./a.md',
    'a.mdx ',
    'a\n.mdx',
    'a\u202exdm.mdx',
    'a\u200b.mdx',
    'e\u0301.mdx',
    '',
  ])('%j, which is not one plain place', (path) => expect(outcomeOf(added(path))).toContain('block'));

  it('whatever lies outside of the documentation', () => {
    expect(outcomeOf(added('src/a.md'), { docsRoot: 'docs' })).toBe('block paths');
    expect(outcomeOf(added('docs-old/a.md'), { docsRoot: 'docs' })).toBe('block paths');
    expect(outcomeOf(added('docs/a.md'), { docsRoot: 'docs/' })).toBe('pass');
  });

  it('whatever lies outside of the scope of the job', () => {
    expect(outcomeOf(added('api/a.md'), { scopePaths: ['guides'] })).toBe('block paths');
    expect(outcomeOf(added('guides/a.md'), { scopePaths: ['guides'] })).toBe('pass');
  });

  it('a protected file that would be moved away', () => {
    const move = changed('notes.md', 'a', 'a', { status: 'moved', from: 'AGENTS.md' });
    expect(outcomeOf([move])).toBe('block paths');
  });
});

describe('settings of the project', () => {
  it('open what is protected by default', () => {
    expect(outcomeOf(added('snippets/a.jsx'), { allowedPaths: ['snippets/*.jsx'] })).toBe('pass');
  });

  it('protect more, also against what is opened', () => {
    const settings = { allowedPaths: ['**'], protectedPaths: ['legal/**'] };
    expect(outcomeOf(added('legal/terms.mdx'), settings)).toBe('block paths');
  });

  it.each(['legal', 'legal/', './legal', '/legal', 'leg*', 'legal/terms.mdx', '**/terms.mdx'])(
    'protect a file by %s, which names it or a folder above it',
    (pattern) => {
      expect(outcomeOf(added('legal/terms.mdx'), { protectedPaths: [pattern] })).toBe('block paths');
      expect(outcomeOf(added('guides/legal.mdx'), { protectedPaths: [pattern] })).toBe('pass');
    },
  );

  it('open what is named and nothing below it', () => {
    expect(outcomeOf(added('snippets/a.jsx'), { allowedPaths: ['snippets'] })).toBe('block paths');
    expect(outcomeOf(added('snippets/a/b.jsx'), { allowedPaths: ['snippets/*'] })).toBe('block paths');
    expect(outcomeOf(added('snippets/a/b.jsx'), { allowedPaths: ['snippets/**'] })).toBe('pass');
  });

  it('cannot open the folder of git', () => {
    expect(outcomeOf(added('.git/config'), { allowedPaths: ['**'] })).toBe('block paths');
  });

  it.each([
    ['*.jsx', 'a.jsx', true],
    ['*.jsx', 'b/a.jsx', false],
    ['**/*.jsx', 'a.jsx', true],
    ['**/*.jsx', 'b/c/a.jsx', true],
    ['legal/**', 'legal/a/b.mdx', true],
    ['legal/**', 'other/legal/a.mdx', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/x/y/c', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXcYb', false],
    ['aa*aa', 'aaa', false],
    ['**', 'any/thing', true],
  ])('pattern %s and path %s: %s', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });
});
