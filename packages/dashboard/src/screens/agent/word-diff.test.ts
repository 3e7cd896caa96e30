import { describe, expect, test } from 'vitest';
import { diffWords } from './word-diff.ts';

const marked = (before: string, after: string) => {
  const words = diffWords(before, after);
  const show = (pieces: { text: string; isChanged: boolean }[] = []) =>
    pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
  return words && [show(words.before), show(words.after)];
};

describe('diffWords', () => {
  test('a changed word in the middle is marked', () => {
    expect(marked('Read [mooring](/guides/moring) first.', 'Read [mooring](/guides/mooring) first.')).toEqual(
      ['Read [mooring](/guides/[moring]) first.', 'Read [mooring](/guides/[mooring]) first.'],
    );
  });

  test('several changed words of one line are marked', () => {
    expect(marked('Two lines fore, two lines aft.', 'Three lines fore, three lines aft.')).toEqual([
      '[Two] lines fore, [two] lines aft.',
      '[Three] lines fore, [three] lines aft.',
    ]);
  });

  test('added words and removed words are marked', () => {
    expect(marked('a line of text', 'a long line of text')).toEqual([
      'a line of text',
      'a [long ]line of text',
    ]);
    expect(marked('a long line of text', 'a line of text')).toEqual([
      'a [long ]line of text',
      'a line of text',
    ]);
  });

  test('nothing is marked where lines have little in common, or are very long', () => {
    expect(marked('Welcome aboard.', 'const harbour = 1;')).toBeUndefined();
    expect(marked('', 'New.')).toBeUndefined();
    expect(marked('x'.repeat(3000), `${'x'.repeat(3000)} y`)).toBeUndefined();
  });

  test('a line of many short words is compared only from both ends', () => {
    const many = (word: string) => Array.from({ length: 400 }, (_, index) => `${word}${index}`).join(' ');
    expect(
      marked(`same same ${many('a')}`.slice(0, 1900), `same same ${many('b')}`.slice(0, 1900)),
    ).toBeUndefined();
  });
});
