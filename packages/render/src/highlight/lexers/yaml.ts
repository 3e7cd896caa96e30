import { char, isDigit, isSpace, lineEnd, skipBlanks, stringEnd } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

const maxKeyCharacters = 500;

export const yaml: Lexer = (code, from, to) => {
  let at = from;
  while (at < to) {
    const end = lineEnd(code, at, to);
    const start = skipBlanks(at, end);
    const key = readLine(code, start, end);
    at = key < 0 ? end + 1 : readBlock(code, end + 1, to, key - at);
  }
};

/** Returns the indentation of the key whose block scalar follows; -1 when none does. */
function readLine(code: string, start: number, end: number): number {
  let at = start;
  if (code.startsWith('---', at) || code.startsWith('...', at)) {
    paint(at, at + 3, color.operator);
    at += 3;
  }
  while (at < end && characterAt(at) === char.minus && (at + 1 === end || isSpace(characterAt(at + 1)))) {
    paint(at, at + 1, color.operator);
    at = skipBlanks(at + 1, end);
  }
  const key = at;
  const colon = keyEnd(at, end);
  if (colon > 0) {
    paint(at, colon, color.property);
    paint(colon, colon + 1, color.operator);
    at = skipBlanks(colon + 1, end);
  }
  return readValue(code, at, end) ? key : -1;
}

/** The colon after the key that begins here; 0 when there is none. */
function keyEnd(from: number, end: number): number {
  const first = characterAt(from);
  let at = from;
  if (first === char.doubleQuote || first === char.singleQuote) at = stringEnd(from, end, first) || end;
  else if (first === char.hash || first === char.openBrace || first === char.openSquare) return 0;
  const last = Math.min(end, from + maxKeyCharacters);
  for (; at < last; at++) {
    const character = characterAt(at);
    if (character === char.colon && (at + 1 === end || isSpace(characterAt(at + 1)))) return at;
    if (character === char.hash && isSpace(characterAt(at - 1))) return 0;
  }
  return 0;
}

/** Returns whether a block scalar follows. */
function readValue(code: string, from: number, end: number): boolean {
  let at = from;
  const first = characterAt(at);
  if (first === char.openBrace || first === char.openSquare) {
    readFlow(code, at, end);
    return false;
  }
  if (first === char.bang || first === char.ampersand || first === char.star) {
    const word = at;
    while (at < end && !isSpace(characterAt(at))) at++;
    paint(word, at, first === char.bang ? color.tag : color.keyword);
    at = skipBlanks(at, end);
  }
  const sign = characterAt(at);
  if (
    (sign === char.pipe || sign === char.greater) &&
    /^[|>][-+\d]{0,2}\s*(?:#.*)?$/.test(code.slice(at, at + 200).split('\n', 1)[0] ?? '')
  ) {
    paint(at, end, color.operator);
    return true;
  }
  const behind = skipBlanks(readScalar(code, at, end), end);
  if (characterAt(behind) === char.hash) paint(behind, end, color.comment);
  return false;
}

/** The position after a string; plain values end at a comment. */
function readScalar(code: string, at: number, end: number): number {
  const first = characterAt(at);
  if (first === char.doubleQuote || first === char.singleQuote) {
    const close = stringEnd(at, end, first);
    if (close > 0) paint(at, close, color.string);
    return close || at + 1;
  }
  let last = at;
  while (last < end && !(characterAt(last) === char.hash && (last === at || isSpace(characterAt(last - 1)))))
    last++;
  while (last > at && isSpace(characterAt(last - 1))) last--;
  paint(at, last, plainColor(code, at, last));
  return last;
}

function plainColor(code: string, at: number, end: number): number {
  if (end - at > 40) return color.plain;
  const text = code.slice(at, end).trimEnd();
  if (/^(?:true|false)$/i.test(text)) return color.number;
  if (/^(?:null|~)$/i.test(text)) return color.keyword;
  const isNumber =
    (isDigit(text.charCodeAt(0)) || /^[+.-]/.test(text)) &&
    /^(?:[+-]?(?:0x[\da-f]+|0o[0-7]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\.inf|\.nan)|\d{4}-\d\d?-\d\d?(?:[tT ][\d:.Z+-]+)?|\d\d?:\d\d(?::\d\d)?)$/i.test(
      text,
    );
  return isNumber ? color.number : color.plain;
}

/** `[a, "b"]` and `{ a: 1 }` on one line. */
function readFlow(code: string, from: number, end: number): void {
  let at = from;
  while (at < end) {
    const character = characterAt(at);
    let next = at + 1;
    if ('[]{},:'.includes(code.charAt(at))) paint(at, next, color.operator);
    else if (character === char.hash && isSpace(characterAt(at - 1))) {
      paint(at, end, color.comment);
      return;
    } else if (!isSpace(character)) {
      const isQuoted = character === char.doubleQuote || character === char.singleQuote;
      next = (isQuoted && stringEnd(at, end, character)) || at + 1;
      if (next === at + 1) while (next < end && !/[[\]{},:#]/.test(code.charAt(next))) next++;
      const isKey = characterAt(skipBlanks(next, end)) === char.colon;
      paint(at, next, isKey ? color.property : isQuoted ? color.string : plainColor(code, at, next));
    }
    at = next;
  }
}

function readBlock(code: string, from: number, to: number, indentation: number): number {
  let at = from;
  while (at < to) {
    const end = lineEnd(code, at, to);
    const start = skipBlanks(at, end);
    if (start < end && start - at <= indentation) return at;
    paint(start, end, color.string);
    at = end + 1;
  }
  return at;
}
