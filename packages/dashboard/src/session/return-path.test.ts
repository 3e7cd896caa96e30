import { expect, test } from 'vitest';
import { returnPath } from './return-path.ts';

test.each([
  ['/keys?show=ended', '/keys?show=ended'],
  ['/projects/pr_1#source', '/projects/pr_1#source'],
  ['/exports/../users', '/users'],
])('the screen %s is shown after signing in', (to, expected) => {
  expect(returnPath(to)).toBe(expected);
});

test.each([
  null,
  '',
  'keys',
  '//other.example.com',
  '/\\other.example.com',
  '/\t/other.example.com',
  '/..//other.example.com',
  'https://other.example.com/',
  'javascript:alert(1)',
  '/login?to=/login',
])('%j leads to the first screen', (to) => {
  expect(returnPath(to)).toBe('/');
});
