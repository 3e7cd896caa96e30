import { expect, test } from 'vitest';
import { estimatedTokens } from './tokens.ts';

test('a character of Chinese counts more than a letter', () => {
  const of = (text: string) => estimatedTokens([{ role: 'user', text }]);
  expect(of('abcd'.repeat(100))).toBe(100);
  expect(of('文'.repeat(400))).toBe(300);
});

test('the calls and the reasoning of an answer count', () => {
  const calls = [{ id: 'c', name: 'read', input: { path: 'a' } }];
  expect(estimatedTokens([{ role: 'assistant', text: 'abcd', reasoning: 'abcd', calls }])).toBe(6);
});
