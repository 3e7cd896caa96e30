import { describe, expect, it } from 'vitest';
import { rewriteProse, someProse } from './prose.ts';

const shouted = (source: string): string => rewriteProse(source, (prose) => prose.toUpperCase());

describe('prose', () => {
  it.each([
    ['outside of fences', 'a\n```js\nb\n```\nc', 'A\n```js\nb\n```\nC'],
    ['not in a fence of the other kind', '~~~\na\n```\nb\n~~~\nc', '~~~\na\n```\nb\n~~~\nC'],
    ['after a fence that is closed by a longer one', '```\na\n````  \nb', '```\na\n````  \nB'],
    ['not after a shorter one', '````\na\n```\nb', '````\na\n```\nb'],
    [
      'not in a fence of a list or a quote',
      '- ```\n  a\n  ```\n> 1. ~~~\n> b',
      '- ```\n  a\n  ```\n> 1. ~~~\n> b',
    ],
    ['around marks within a line', 'a ```b``` c\nd', 'A ```b``` C\nD'],
    ['outside of code in a line', 'a `b` c ``d ` e`` f', 'A `b` C ``d ` e`` F'],
    ['around a mark without its pair', 'a ` b\n\nc ` d', 'A ` B\n\nC ` D'],
  ])('prose is text %s', (_name, source, expected) => {
    expect(shouted(source)).toBe(expected);
  });

  it('someProse ignores code', () => {
    const hasDollar = (prose: string): boolean => prose.includes('$');
    expect(someProse('a\n```\n$b\n```\nc', hasDollar)).toBe(false);
    expect(someProse('a\n```\n$b\n```\n$c', hasDollar)).toBe(true);
  });
});
