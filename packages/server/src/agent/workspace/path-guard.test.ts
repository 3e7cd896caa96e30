import { describe, expect, test } from 'vitest';
import { PathRefusedError } from '../contract.ts';
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
  ])('%s is allowed', (path) => {
    expect(() => guardPath(path)).not.toThrow();
  });

  test.each([
    ['', 'such as guides/start.mdx'],
    ['/etc/passwd', 'remove the leading /'],
    ['../secret', 'leaves the docs folder'],
    ['guides/../../secret', 'leaves the docs folder'],
    ['..', 'leaves the docs folder'],
    ['./index.mdx', 'Remove ./'],
    ['a//b', 'Remove ./'],
    ['a/', 'a trailing /'],
    ['a/./b', 'Remove ./'],
    ['a\\..\\b', 'Separate folders with /'],
    ['C:\\x', 'Separate folders with /'],
    ['.git/config', 'git reserves'],
    ['sub/.git', 'git reserves'],
    ['.GIT/config', 'git reserves'],
    ['.Git ', 'git reserves'],
    ['.git./config', 'git reserves'],
    ['.git::$INDEX_ALLOCATION/config', 'git reserves'],
    ['git~1/config', 'git reserves'],
    ['GIT~12', 'git reserves'],
    ['．ｇｉｔ/config', 'git reserves'],
    ['.g\u200cit/config', 'invisible character'],
    ['\ufeff.git/config', 'invisible character'],
    ['a\0b', 'invisible character'],
    ['a\nb', 'invisible character'],
    ['a\u202egpj.mdx', 'invisible character'],
    ['\ud800', 'invisible character'],
    ['a/'.repeat(32) + 'b', 'shorter'],
    ['ü'.repeat(128), 'shorter'],
    [`${'a'.repeat(250)}/`.repeat(5) + 'b', 'shorter'],
  ])('%j is refused: %s', (path, advice) => {
    expect(() => guardPath(path)).toThrow(PathRefusedError);
    expect(() => guardPath(path)).toThrow(advice);
  });
});
