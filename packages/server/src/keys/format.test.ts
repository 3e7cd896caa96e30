/** The checksum of a key detects typing errors without a database query. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWellFormedKey, looksLikeKey, newKeyText } from './format.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a new key is docyard_ and 36 base62 characters, and no two are the same', () => {
  const keys = Array.from({ length: 500 }, newKeyText);
  for (const key of keys) {
    expect(key).toMatch(/^docyard_[0-9A-Za-z]{36}$/);
    expect(isWellFormedKey(key)).toBe(true);
    expect(looksLikeKey(`/v1/me?key=${key}`)).toBe(true);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test('every character of the alphabet is used, none much more often than another', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 2000; made += 1) {
    for (const character of newKeyText().slice(8, 38))
      counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted().join('')).toBe(alphabet.split('').toSorted().join(''));
  const expected = (2000 * 30) / 62;
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.25);
});

test('every single-character change of a key is detected', () => {
  const key = newKeyText();
  const accepted: string[] = [];
  for (let place = 0; place < key.length; place += 1) {
    for (const character of `${alphabet}_-. \n\u00e9`) {
      const changed = key.slice(0, place) + character + key.slice(place + 1);
      if (changed !== key && isWellFormedKey(changed)) accepted.push(changed);
    }
  }
  expect(accepted).toEqual([]);
});

test('every dropped, doubled and swapped character is detected', () => {
  const key = newKeyText();
  for (let place = 0; place < key.length; place += 1) {
    const [here = '', next = ''] = [key[place], key[place + 1]];
    expect(isWellFormedKey(key.slice(0, place) + key.slice(place + 1))).toBe(false);
    expect(isWellFormedKey(key.slice(0, place) + here + key.slice(place))).toBe(false);
    if (here !== next && next !== '') {
      expect(isWellFormedKey(key.slice(0, place) + next + here + key.slice(place + 2))).toBe(false);
    }
  }
});

test('random strings in the format of a key are rejected', () => {
  const base62 = fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength: 36, maxLength: 36 });
  fc.assert(
    fc.property(base62, (text) => !isWellFormedKey(`docyard_${text}`)),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => !isWellFormedKey(text)),
    { numRuns: 2000 },
  );
});

test('a key with surrounding text is rejected', () => {
  const key = newKeyText();
  for (const text of [`${key}\n`, ` ${key}`, `${key}${key}`, key.toUpperCase(), '']) {
    expect(isWellFormedKey(text)).toBe(false);
  }
});

test('ordinary text is not mistaken for a key', () => {
  for (const text of ['/docs/docyard_', 'docyard_short', 'https://docyard.example.com/v1/me']) {
    expect(looksLikeKey(text)).toBe(false);
  }
});
