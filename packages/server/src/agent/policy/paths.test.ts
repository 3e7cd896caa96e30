import { readFileSync } from 'node:fs';
import { protectedOutputFiles } from '@docyard/render/source-rules';
import { describe, expect, it } from 'vitest';
import { outputs } from '../../../../render/src/outputs/table.ts';
import { matchesPattern } from '../../path-pattern.ts';
import { changed, outcomeOf } from '../../../test/support/policy-verdicts.ts';

const added = (path: string) => [changed(path, null, 'a')];

describe('allowed paths', () => {
  it.each([
    'index.mdx',
    'guides/deep/a.md',
    'openapi.yaml',
    'api/spec.json',
    'images/logo.svg',
    'ünï.mdx',
    'guides/agents.mdx',
  ])('%s may change', (path) =>
    expect(
      outcomeOf(added(path).map((file) => ({ ...file, after: path.endsWith('.svg') ? '<svg/>' : 'a' }))),
    ).toBe('pass'),
  );
});

describe('protected paths', () => {
  it.each([
    '.github/workflows/ci.yml',
    'guides/.github/a.md',
    '.docs/AGENTS.md',
    'AGENTS.md',
    'guides/agents.md',
    'CLAUDE.md',
    '.mintlify/AGENTS.md',
    '.cursor/rules/style.mdc',
    '.cursorrules',
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
  ])('%s is blocked', (path) => expect(outcomeOf(added(path))).toBe('block paths'));

  it('the manual lists every protected output, and only files that are blocked', () => {
    const manual = readFileSync(new URL('../../../../../docs/agent/models.mdx', import.meta.url), 'utf8');
    const list = /These are protected:\n\n((?:[-\s].*\n)+)/.exec(manual)?.[1] ?? '';
    const names = [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(protectedOutputFiles()));
    const allowed = names.filter((name) => outcomeOf(added(name)) !== 'block paths');
    // The keys of this file are protected, not the file.
    expect(allowed).toEqual(['docs.json']);
  });

  // The policy also blocks names that no output has. An output of that name needs `isProtected: true`.
  const unprotected = outputs.filter(({ canOverride, isProtected }) => canOverride && !isProtected);
  it.each(unprotected.flatMap(({ files }) => files.slice(0, 1)))(
    'an agent job may replace the unprotected output %s',
    (path) => expect(outcomeOf(added(path))).toBe('pass'),
  );

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
  ])('%j is blocked because it is not a plain path', (path) =>
    expect(outcomeOf(added(path))).toContain('block'),
  );

  it('files outside the documentation are blocked', () => {
    expect(outcomeOf(added('src/a.md'), { docsRoot: 'docs' })).toBe('block paths');
    expect(outcomeOf(added('docs-old/a.md'), { docsRoot: 'docs' })).toBe('block paths');
    expect(outcomeOf(added('docs/a.md'), { docsRoot: 'docs/' })).toBe('pass');
  });

  it('files outside the scope of the job are blocked', () => {
    expect(outcomeOf(added('api/a.md'), { scopePaths: ['guides'] })).toBe('block paths');
    expect(outcomeOf(added('guides/a.md'), { scopePaths: ['guides'] })).toBe('pass');
  });

  it('moving a protected file away is blocked', () => {
    const move = changed('notes.md', 'a', 'a', { status: 'moved', from: 'AGENTS.md' });
    expect(outcomeOf([move])).toBe('block paths');
  });
});

describe('settings of the project', () => {
  it('the project can allow paths that are protected by default', () => {
    expect(outcomeOf(added('snippets/a.jsx'), { allowedPaths: ['snippets/*.jsx'] })).toBe('pass');
  });

  it('protected paths take precedence over allowed paths', () => {
    const settings = { allowedPaths: ['**'], protectedPaths: ['legal/**'] };
    expect(outcomeOf(added('legal/terms.mdx'), settings)).toBe('block paths');
  });

  it.each(['legal', 'legal/', './legal', '/legal', 'leg*', 'legal/terms.mdx', '**/terms.mdx'])(
    'the pattern %s protects the file',
    (pattern) => {
      expect(outcomeOf(added('legal/terms.mdx'), { protectedPaths: [pattern] })).toBe('block paths');
      expect(outcomeOf(added('guides/legal.mdx'), { protectedPaths: [pattern] })).toBe('pass');
    },
  );

  it('an allowed path does not include files below it', () => {
    expect(outcomeOf(added('snippets/a.jsx'), { allowedPaths: ['snippets'] })).toBe('block paths');
    expect(outcomeOf(added('snippets/a/b.jsx'), { allowedPaths: ['snippets/*'] })).toBe('block paths');
    expect(outcomeOf(added('snippets/a/b.jsx'), { allowedPaths: ['snippets/**'] })).toBe('pass');
  });

  it('the folder of git cannot be allowed', () => {
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
  ])('the pattern %s and the path %s give %s', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });
});
