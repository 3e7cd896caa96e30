import { expect, test } from 'vitest';
import { apiTexts } from './api-words.ts';

test.each(['de', 'es', 'fr', 'it', 'pt-BR', 'ru', 'zh', 'zh-Hant', 'ja', 'ko', 'ar', 'he'])(
  '%s has a translation for every text',
  (language) => {
    const words = Object.values(apiTexts(language) ?? {});
    expect(words).toHaveLength(24);
    expect(words.every((word) => word.trim() === word && word !== '')).toBe(true);
    expect(words.filter((word) => word.includes('{name}'))).toHaveLength(1);
    /** Present only when the line has all words. */
    expect(apiTexts(language)?.Command).not.toBe('Command');
  },
);

test('English and unsupported languages have no translations', () => {
  expect(apiTexts('en')).toBeUndefined();
  expect(apiTexts('xx')).toBeUndefined();
  expect(apiTexts('__proto__')).toBeUndefined();
});
