import { expect, test } from 'vitest';
import { defaultIdentity, identityOf, withCoAuthors } from './commit-identity.ts';

const ada = { name: 'Ada', email: 'ada@example.com' };
const grace = { name: 'Grace', email: 'grace@example.com' };
const unset = { branch: null, author: null, committer: null, coAuthors: [], signingKey: null };

test('without settings, Docyard is author and committer', () => {
  const docyard = { name: 'Docyard agent', email: 'agent@docyard.invalid' };
  expect(identityOf(unset)).toEqual({ author: docyard, committer: docyard, coAuthors: [] });
  expect(identityOf(unset)).toEqual(defaultIdentity);
});

test('the author is the committer unless the project names another', () => {
  expect(identityOf({ ...unset, author: ada })).toMatchObject({ author: ada, committer: ada });
  expect(identityOf({ ...unset, author: ada, committer: grace })).toMatchObject({ committer: grace });
  expect(identityOf({ ...unset, committer: grace })).toMatchObject({
    author: defaultIdentity.author,
    committer: grace,
  });
});

test('co-authors extend the trailers of a message', () => {
  const message = 'A title\n\nAgent-Job: aj_1\n';
  expect(withCoAuthors(message, defaultIdentity)).toBe(message);
  expect(withCoAuthors(message, { ...defaultIdentity, coAuthors: [ada, grace] })).toBe(
    `${message}Co-authored-by: Ada <ada@example.com>\nCo-authored-by: Grace <grace@example.com>\n`,
  );
});
