import { char, endOf, isWord, lineEnd, numberEnd, skipBlanks, skipSpace, stringEnd } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

/** JSON and its variants, which have comments, single quotes and bare keys. */
export const json: Lexer = (code, from, to) => {
  let at = from;
  while (at < to) {
    const character = characterAt(at);
    let end = at + 1;
    if (character === char.doubleQuote || character === char.singleQuote) {
      end = stringEnd(at, to, character) || at + 1;
      if (end > at + 1)
        paint(at, end, characterAt(skipSpace(end, to)) === char.colon ? color.property : color.string);
    } else if (isWord(character)) {
      end = numberEnd(at, to);
      paint(at, end, bareColor(code, at, end, to));
    } else if (character === char.slash && characterAt(at + 1) === char.slash) {
      end = lineEnd(code, at, to);
      paint(at, end, color.comment);
    } else if (character === char.slash && characterAt(at + 1) === char.star) {
      end = endOf(code, '*/', at + 2, to);
      paint(at, end, color.comment);
    } else if (character === char.minus && isWord(characterAt(at + 1))) paint(at, end, color.number);
    else if ('{}[],:'.includes(code.charAt(at))) paint(at, end, color.operator);
    at = end;
  }
};

function bareColor(code: string, at: number, end: number, to: number): number {
  if (characterAt(skipBlanks(end, to)) === char.colon) return color.property;
  const first = characterAt(at);
  if (first >= 48 && first <= 57) return color.number;
  const word = end - at < 9 ? code.slice(at, end) : '';
  if (word === 'true' || word === 'false' || word === 'NaN' || word === 'Infinity') return color.number;
  return word === 'null' ? color.keyword : color.plain;
}
