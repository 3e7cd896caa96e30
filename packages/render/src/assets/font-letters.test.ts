import { describe, expect, it } from 'vitest';
import { coversAny, coversLetter, neededLetters } from './font-letters.ts';

const latin = 'U+0000-00FF,U+0131,U+20AC';
const extendedLatin = 'U+0100-02BA,U+1E00-1E9F';
const vietnamese = 'U+0102-0103,U+1EA0-1EF9';
const cyrillic = 'U+0301,U+04??';

describe('the parts of a font that a site needs', () => {
  it.each([
    ['without languages', [], [latin]],
    ['in western languages', ['en', 'fr', 'pt-BR', 'de'], [latin]],
    ['in Polish', ['pl'], [latin, extendedLatin]],
    ['in Vietnamese', ['vi'], [latin, extendedLatin, vietnamese]],
    ['in Ukrainian', ['en', 'uk'], [latin, cyrillic]],
    ['in Japanese, with the fonts of the system', ['ja'], [latin]],
    ['in a language that does not exist', ['not a language'], [latin]],
  ])('are right for a site %s', (_what, languages, expected) => {
    const letters = neededLetters(languages);
    const parts = [latin, extendedLatin, vietnamese, cyrillic].filter((range) => coversAny(range, letters));
    expect(parts).toEqual(expected);
  });

  it('include a font without ranges, which has all letters', () => {
    expect(coversLetter(undefined, 'я')).toBe(true);
  });
});
