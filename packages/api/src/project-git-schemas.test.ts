import { describe, expect, test } from 'vitest';
import { SetProjectGit, SetProjectPullRequest } from './project-git-schemas.ts';

const messageOf = (
  value: unknown,
  schema = SetProjectGit as typeof SetProjectGit | typeof SetProjectPullRequest,
) => schema.safeParse(value).error?.issues[0]?.message;

describe('a branch template', () => {
  test.each(['docs/{slug}', 'docyard/{job}', '{date}-{slug}-{job}', 'a.b/c_d+e@f-{job}', 'Docs'])(
    '%s is accepted',
    (branch) => {
      expect(messageOf({ branch })).toBeUndefined();
    },
  );

  test.each([
    ['an unknown placeholder', 'docs/{title}', 'Use only the placeholders'],
    ['an open brace', 'docs/{job', 'Use only the placeholders'],
    ['a repeated placeholder', '{slug}/{slug}', 'Use each placeholder once.'],
    ['a leading dash', '-docs', 'This is not the name of a branch.'],
    ['a leading slash', '/docs', 'This is not the name of a branch.'],
    ['a trailing slash', 'docs/', 'This is not the name of a branch.'],
    ['a trailing dot', 'docs.', 'This is not the name of a branch.'],
    ['two dots', 'a..b', 'This is not the name of a branch.'],
    ['two slashes', 'a//b', 'This is not the name of a branch.'],
    ['a hidden component', 'a/.b', 'This is not the name of a branch.'],
    ['a reserved suffix', 'docs.lock', 'This is not the name of a branch.'],
    ['a reserved suffix of a component', 'docs.lock/{job}', 'This is not the name of a branch.'],
    ['a space', 'my docs', 'This is not the name of a branch.'],
    ['a line break', 'docs\n{job}', 'This is not the name of a branch.'],
    ['a character that git reserves', 'docs~1', 'This is not the name of a branch.'],
    ['a ref', 'refs/heads/docs', 'This is not the name of a branch.'],
  ])('with %s is refused', (_, branch, message) => {
    expect(messageOf({ branch })).toContain(message);
  });
});

describe('an identity', () => {
  const email = 'ada@example.com';
  test.each([
    { name: 'Ada Lovelace', email },
    { name: 'docs[bot]', email: '12+docs[bot]@users.noreply.github.com' },
    { name: ' Zoë ', email: ' zoe@example.com ' },
  ])('$name is accepted', (author) => {
    const parsed = SetProjectGit.parse({ author, committer: author, coAuthors: [author] });
    expect(parsed.author).toEqual({ name: author.name.trim(), email: author.email.trim() });
  });

  test.each([
    { name: 'Ada\nCo-authored-by: Eve <eve@example.com>', email },
    { name: 'Ada <eve@example.com>', email },
    { name: 'Ada\u2028Eve', email },
    { name: '...', email },
    { name: '', email },
    { name: 'Ada', email: 'ada' },
    { name: 'Ada', email: 'ada@example.com>\nSigned-off-by: <eve@example.com' },
    { name: 'Ada', email: 'ada @example.com' },
  ])('$name with the address $email is refused', (identity) => {
    expect(messageOf({ author: identity })).toBeDefined();
    expect(messageOf({ committer: identity })).toBeDefined();
    expect(messageOf({ coAuthors: [identity] })).toBeDefined();
  });
});

describe('the details of a pull request', () => {
  test.each([
    { labels: ['documentation', 'good first issue', 'area::docs'] },
    { reviewers: ['ada', '{6f4a-uuid}', '557058:6f4a', 'ada@example.com'], teams: ['docs-team'] },
  ])('%j are accepted', (details) => {
    expect(SetProjectPullRequest.parse(details)).toEqual(details);
  });

  test.each([
    { labels: ['a,b'] },
    { labels: [' '] },
    { reviewers: ['@ada'] },
    { reviewers: ['a b'] },
    { teams: ['harbour/docs'] },
    { assignees: Array.from({ length: 11 }, (_, index) => `user-${index}`) },
  ])('%j are refused', (details) => {
    expect(messageOf(details, SetProjectPullRequest)).toBeDefined();
  });
});
