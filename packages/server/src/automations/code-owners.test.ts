import { describe, expect, test } from 'vitest';
import { ownersOf } from './code-owners.ts';

const file = `# Owners
*            @global
*.js         @js-owner # comment
/build/logs/ @doctocat
docs/*       docs@example.com @docs
apps/        @octocat
/scripts/    @doctocat @acme/ops
**/logs      @logger
/apps/github
my\\ file.md  @spaces
`;

describe('the last matching line of CODEOWNERS wins', () => {
  test.each([
    ['README.md', ['global'], []],
    ['src/deep/a.js', ['js-owner'], []],
    ['build/logs/a.txt', ['logger'], []],
    ['docs/start.md', ['docs'], []],
    ['docs/deep/start.md', ['global'], []],
    ['deep/apps/a.ts', ['octocat'], []],
    ['scripts/run.sh', ['doctocat'], ['acme/ops']],
    ['deep/logs/today', ['logger'], []],
    ['apps/github', [], []],
    ['apps/github/a.ts', [], []],
    ['my file.md', ['spaces'], []],
  ])('%s', (path, users, teams) => {
    expect(ownersOf(file, [path])).toEqual({ users, teams });
  });
});

test('the owners of several files are each named once', () => {
  expect(ownersOf(file, ['a.js', 'b.js', 'scripts/a', 'docs/a.md'])).toEqual({
    users: ['js-owner', 'doctocat', 'docs'],
    teams: ['acme/ops'],
  });
});

test('sections of GitLab are applied one by one, with their default owners', () => {
  const sections = `* @all
[Docs] @writers @acme/docs
docs/
README.md @ada
^[Optional][2]
*.md @editor
`;
  expect(ownersOf(sections, ['docs/a.txt'])).toEqual({ users: ['all', 'writers'], teams: ['acme/docs'] });
  expect(ownersOf(sections, ['README.md'])).toEqual({ users: ['all', 'ada', 'editor'], teams: [] });
});

test('hostile patterns and names do no harm', () => {
  const began = performance.now();
  const hostile = `${'*a'.repeat(3000)} @a\n${'**/'.repeat(3000)}b @b\n* @../../x @a;b @-- @${'y'.repeat(9000)}\n`;
  const { users } = ownersOf(hostile.repeat(20), ['a'.repeat(2000), 'b/'.repeat(200)]);
  expect(performance.now() - began).toBeLessThan(2000);
  expect(users.every((name) => /^[\w.-]+$/.test(name))).toBe(true);
});
