import { describe, expect, test } from 'vitest';
import { reasonToIgnore } from './push-decision.ts';

const pushTo = (
  url: string,
  repository: string,
  ref: string | null = null,
  defaultBranch: string | null = null,
) =>
  reasonToIgnore(
    {
      ref: 'refs/heads/main',
      before: 'b'.repeat(40),
      after: 'a'.repeat(40),
      repository: url,
      details: { repositoryUrls: [url], defaultBranch, changedPaths: null },
    },
    { repository, ref, directory: null },
  );

describe('an address is that of the repository', () => {
  const configured = 'https://git.example.com/acme/docs.git';

  test.each([
    'https://git.example.com/acme/docs.git',
    'https://git.example.com/acme/docs',
    'https://git.example.com/acme/docs/',
    'http://git.example.com:3000/Acme/Docs.git',
    'git@git.example.com:acme/docs.git',
    'ssh://git@git.example.com/acme/docs.git',
    'ssh://git@GIT.example.com:7999/acme/docs.git',
    'https://git.example.com/scm/acme/docs.git',
    'ACME/docs',
  ])('%s', (url) => {
    expect(pushTo(url, configured)).toBeUndefined();
  });

  test.each([
    'https://git.example.com/acme/docs-2.git',
    'https://git.example.com/acme/docs/other',
    'https://git.example.com.evil.example/acme/docs.git',
    'https://evil.example/git.example.com/acme/docs.git',
    'git@evil.example:acme/docs.git',
    'https://git.example.com@evil.example/acme/docs.git',
    'docs',
    'me/docs',
    'not an address',
    '',
  ])('and %j is not', (url) => {
    expect(pushTo(url, configured)).toContain('The push was to');
  });

  test('and a local folder has none', () => {
    expect(pushTo('https://git.example.com/srv/docs', '/srv/docs')).toContain('The push was to');
  });
});

test.each<[ref: string | null, defaultBranch: string | null, isFollowed: boolean]>([
  ['main', 'trunk', true],
  ['refs/heads/main', null, true],
  ['trunk', 'main', false],
  [null, 'main', true],
  ['HEAD', 'main', true],
  [null, 'trunk', false],
  [null, null, true],
])(
  'a project with the ref %s in a repository with the main branch %s follows main: %s',
  (ref, branch, isFollowed) => {
    const url = 'https://git.example.com/acme/docs.git';
    expect(pushTo(url, url, ref, branch) === undefined).toBe(isFollowed);
  },
);
