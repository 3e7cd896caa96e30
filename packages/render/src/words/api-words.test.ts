/** The words of API pages in other languages. */
import { expect, test } from 'vitest';
import { apiTexts } from './api-words.ts';

test.each(['de', 'es', 'fr', 'it', 'pt-BR', 'ru', 'zh', 'zh-Hant', 'ja', 'ko', 'ar', 'he'])(
  '%s has a word for every text',
  (language) => {
    const words = Object.values(apiTexts(language) ?? {});
    expect(words).toHaveLength(24);
    expect(words.every((word) => word.trim() === word && word !== '')).toBe(true);
    expect(words.filter((word) => word.includes('{name}'))).toHaveLength(1);
    /** The last one is in its place only when no line lacks a word. */
    expect(apiTexts(language)?.Command).not.toBe('Command');
  },
);

test('English and languages that are not known need none', () => {
  expect(apiTexts('en')).toBeUndefined();
  expect(apiTexts('xx')).toBeUndefined();
  expect(apiTexts('__proto__')).toBeUndefined();
});
