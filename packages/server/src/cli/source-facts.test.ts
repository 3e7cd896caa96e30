import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, git, temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { readSourceFacts } from './source-facts.ts';

/** Commits of the given days, oldest first. */
function repositoryOf(commits: Record<string, Record<string, string>>): string {
  const folder = temporaryFolder('repository');
  for (const [day, files] of Object.entries(commits)) {
    commitAll(folder, files);
    setDay(folder, day);
  }
  return folder;
}

function setDay(folder: string, day: string): void {
  const tree = git(folder, 'rev-parse', 'HEAD^{tree}');
  const parents = git(folder, 'log', '-1', '--format=%P').split(' ').filter(Boolean);
  const seconds = Date.parse(`${day}T12:00:00Z`) / 1000;
  const text = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author Test <test@example.com> ${seconds} +0000`,
    `committer Test <test@example.com> ${seconds} +0000`,
    '',
    'Change',
    '',
  ].join('\n');
  writeFiles(folder, { '.git/draft': text });
  git(folder, 'reset', '--quiet', '--hard', git(folder, 'hash-object', '-t', 'commit', '-w', '.git/draft'));
}

const commits = {
  '2026-01-10': { 'docs/index.mdx': 'a', 'docs/old page.mdx': 'a', 'code.ts': 'a' },
  '2026-02-20': { 'docs/index.mdx': 'b' },
  '2026-03-30': { 'code.ts': 'b', 'docs/übersicht.mdx': 'a' },
};

describe('what git records about a folder', () => {
  test('each file has the day of the last commit that changed it', async () => {
    const { changedOn } = await readSourceFacts(join(repositoryOf(commits), 'docs'));
    expect([...changedOn].toSorted()).toEqual([
      ['index.mdx', '2026-02-20'],
      ['old page.mdx', '2026-01-10'],
      ['übersicht.mdx', '2026-03-30'],
    ]);
  });

  test('in a shallow clone, only files that changed in its complete commits have a day', async () => {
    const clone = temporaryFolder('clone');
    git(clone, 'clone', '--quiet', '--depth=2', `file://${repositoryOf(commits)}`, 'shallow');
    const { changedOn } = await readSourceFacts(join(clone, 'shallow'));
    expect([...changedOn].toSorted()).toEqual([
      ['code.ts', '2026-03-30'],
      ['docs/übersicht.mdx', '2026-03-30'],
    ]);
  });

  test('links lead to the branch at a known forge, without the user name and password of the remote', async () => {
    const folder = repositoryOf(commits);
    git(folder, 'remote', 'add', 'origin', 'git@github.com:quay/site.git');
    expect((await readSourceFacts(join(folder, 'docs'))).links?.edit).toBe(
      'https://github.com/quay/site/edit/main/docs/',
    );
    git(folder, 'remote', 'set-url', 'origin', 'https://user:secret@gitlab.com/quay/site');
    expect((await readSourceFacts(folder)).links?.edit).toBe('https://gitlab.com/quay/site/-/edit/main/');
    git(folder, 'checkout', '--quiet', '--detach');
    expect((await readSourceFacts(folder)).links).toBeUndefined();
  });

  test('a folder outside of git has no facts', async () => {
    const folder = temporaryFolder('plain');
    mkdirSync(join(folder, 'docs'));
    expect(await readSourceFacts(join(folder, 'docs'))).toEqual({ changedOn: new Map() });
  });
});
