/** Which paths an agent may name, and what each refusal tells it to do. */
import { describe, expect, test } from 'vitest';
import { PathRefused } from '../contract.ts';
import { guardPath } from './path-guard.ts';

describe('a path', () => {
  test.each([
    'index.mdx',
    'guides/start.mdx',
    'api-reference/v1.2/get user.mdx',
    '日本語/ページ.mdx',
    'émile.md',
    '.github/x',
    '.gitignore',
    '.gitattributes',
    'gitea/git~.mdx',
    'a..b/c...d',
    'snippets/_part.mdx',
    'a:b.mdx',
    '-rf',
  ])('%s may be named', (path) => {
    expect(() => guardPath(path)).not.toThrow();
  });

  test.each([
    ['', 'such as guides/start.mdx'],
    ['/etc/passwd', 'leave out the /'],
    ['../secret', 'leads upwards'],
    ['guides/../../secret', 'leads upwards'],
    ['..', 'leads upwards'],
    ['./index.mdx', 'without ./'],
    ['a//b', 'without ./'],
    ['a/', 'a / at the end'],
    ['a/./b', 'without ./'],
    ['a\\..\\b', 'Separate folders with /'],
    ['C:\\x', 'Separate folders with /'],
    ['.git/config', 'git keeps for itself'],
    ['sub/.git', 'git keeps for itself'],
    ['.GIT/config', 'git keeps for itself'],
    ['.Git ', 'git keeps for itself'],
    ['.git./config', 'git keeps for itself'],
    ['.git::$INDEX_ALLOCATION/config', 'git keeps for itself'],
    ['git~1/config', 'git keeps for itself'],
    ['GIT~12', 'git keeps for itself'],
    ['．ｇｉｔ/config', 'git keeps for itself'],
    ['.g\u200cit/config', 'cannot be seen'],
    ['\ufeff.git/config', 'cannot be seen'],
    ['a\0b', 'cannot be seen'],
    ['a\nb', 'cannot be seen'],
    ['a\u202egpj.mdx', 'cannot be seen'],
    ['\ud800', 'cannot be seen'],
    ['a/'.repeat(32) + 'b', 'shorter'],
    ['ü'.repeat(128), 'shorter'],
    [`${'a'.repeat(250)}/`.repeat(5) + 'b', 'shorter'],
  ])('%j is refused: %s', (path, advice) => {
    expect(() => guardPath(path)).toThrow(PathRefused);
    expect(() => guardPath(path)).toThrow(advice);
  });
});
