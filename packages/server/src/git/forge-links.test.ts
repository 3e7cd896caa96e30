import { expect, test } from 'vitest';
import { forgeLinks, type EditedFolder } from './forge-links.ts';

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
