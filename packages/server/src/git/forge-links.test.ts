import { expect, test } from 'vitest';
import { forgeLinks, linesLink, type EditedFolder } from './forge-links.ts';

const folder = { branch: 'release/2.0', directory: 'docs/en us' } as const;

test.each<[EditedFolder, string | undefined, string | undefined]>([
  [
    { ...folder, kind: 'github', repository: 'https://github.com/quay/site.git' },
    'https://github.com/quay/site/edit/release/2.0/docs/en%20us/',
    'https://github.com/quay/site/issues/new?title=',
  ],
  [
    { ...folder, kind: 'gitlab', repository: 'https://gitlab.com/quay/group/site', directory: null },
    'https://gitlab.com/quay/group/site/-/edit/release/2.0/',
    'https://gitlab.com/quay/group/site/-/issues/new?issue[title]=',
  ],
  [
    { ...folder, kind: 'gitea', repository: 'https://user:secret@git.example.com/quay/site/' },
    'https://git.example.com/quay/site/_edit/release/2.0/docs/en%20us/',
    'https://git.example.com/quay/site/issues/new?title=',
  ],
  [
    { ...folder, kind: 'bitbucket', repository: 'https://bitbucket.org/quay/site.git' },
    'https://bitbucket.org/quay/site/src/release/2.0/docs/en%20us/',
    undefined,
  ],
  [{ ...folder, kind: 'bare', repository: 'https://git.example.com/site.git' }, undefined, undefined],
  [{ ...folder, kind: 'github', repository: '/srv/site' }, undefined, undefined],
])('a file of %o is edited at its forge', (edited, edit, newIssue) => {
  const links = forgeLinks(edited);
  expect([links?.edit, links?.newIssue]).toEqual([edit, newIssue]);
});

const commit = '1a2b3c4d5e6f7890'.repeat(3).slice(0, 40);
const lines = { commit, path: 'src/my file#1.ts', fromLine: 10, toLine: 20 };

test.each([
  ['github', 'https://github.com/quay/api.git', `blob/${commit}/src/my%20file%231.ts#L10-L20`],
  ['gitlab', 'https://gitlab.com/quay/api', `-/blob/${commit}/src/my%20file%231.ts#L10-20`],
  ['gitea', 'https://git.example.com/quay/api', `src/commit/${commit}/src/my%20file%231.ts#L10-L20`],
  ['bitbucket', 'https://bitbucket.org/quay/api', `src/${commit}/src/my%20file%231.ts#lines-10:20`],
] as const)('lines of a file are shown by %s', (kind, repository, path) => {
  const home = repository.replace(/\.git$/, '');
  expect(linesLink({ ...lines, kind, repository })).toBe(`${home}/${path}`);
});

test('a repository without a web page has no link to lines', () => {
  expect(
    linesLink({ ...lines, kind: 'bare', repository: 'https://git.example.com/api.git' }),
  ).toBeUndefined();
  expect(linesLink({ ...lines, kind: 'github', repository: '/srv/api' })).toBeUndefined();
});
