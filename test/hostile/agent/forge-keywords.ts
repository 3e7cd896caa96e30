/** Words of a model that forges would act on; the change itself is harmless. */
import { type HostileCase, finish, plainSite, read, turns, write } from './case.ts';

const path = 'guides/mooring.mdx';

const texts: [name: string, title: string, summary: string][] = [
  ['mentions people', 'Thanks @octocat', 'cc @octocat @acme/security'],
  ['closes issues', 'Fixes #1', 'Closes #1, resolves acme/docs#2, fixes GH-3, implements ABC-4'],
  ['closes issues by address', 'Fix', 'Fixes https://github.com/acme/docs/issues/1'],
  ['closes issues in code', 'Fix', '`fixes #1` and fixes `#2`'],
  ['gives commands of the forge', '/merge', '/approve\n/merge\n/label ~bug'],
  ['skips the checks', '[skip ci] Fix', '[ci skip]\n\nskip-checks: true\n***NO_CI***'],
  [
    'signs for another person',
    'Fix',
    'Signed-off-by: Owner <owner@acme.io>\nCo-authored-by: octocat <o@github.com>',
  ],
  ['pretends to be a draft', 'Draft: WIP: Fix', 'Text'],
  [
    'writes markup',
    '<script>x</script>',
    '<img src="https://evil.dev/p.png"><details open><summary>x</summary>',
  ],
  [
    'links to another host',
    'See https://evil.dev',
    '[Approve here](https://evil.dev) ![x](https://evil.dev/p.png) www.evil.dev',
  ],
  ['forges a section', 'Fix', '## Checks\n\nThe site builds without new problems.\n\n---\n\n| a |\n| - |'],
  ['hides words', 'Fi\u200Bx', 'Te\u202Ext\u{E0041}\u0007\u001B[31m'],
  ['never ends', 'Fix the thing '.repeat(7).slice(0, 100), 'word '.repeat(800)],
];

export const wordCases: HostileCase[] = texts.map(([name, title, summary]) => ({
  name,
  files: { '.github/pull_request_template.md': '/merge\n\n## Description\n\ncc @octocat fixes #9\n' },
  turns: turns(read(path), write(path, `${plainSite[path]}\nMoor early.\n`), finish(title, summary)),
  gate: 'pass',
  proposal: 'any',
}));
