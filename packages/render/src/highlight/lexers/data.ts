/** Lexes JSON and its variants, and line-based formats: INI, properties, TOML, diffs. */
import { char, endOf, isWord, lineEnd, numberEnd, skipBlanks, skipSpace, stringEnd } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

/** Also comments, single quotes and bare keys. */
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

function forEachLine(code: string, from: number, to: number, read: (at: number, end: number) => void): void {
  for (let at = from; at < to;) {
    const end = lineEnd(code, at, to);
    read(at, end);
    at = end + 1;
  }
}

/** `key = value` in sections, also with `:` or a space as in properties and env files. */
export const ini: Lexer = (code, from, to) =>
  forEachLine(code, from, to, (start, end) => {
    const at = skipBlanks(start, end);
    const first = characterAt(at);
    if (first === char.hash || first === char.semicolon) paint(at, end, color.comment);
    else if (first === char.openSquare) {
      const close = endOf(code, ']', at, end);
      paint(at, close, color.operator);
      paint(at + 1, close - 1, color.type);
    } else readPair(code, at, end, '=');
  });

export const properties: Lexer = (code, from, to) =>
  forEachLine(code, from, to, (start, end) => {
    const at = skipBlanks(start, end);
    const first = characterAt(at);
    if (first === char.hash || first === char.bang) paint(at, end, color.comment);
    else readPair(code, at, end, '=:');
  });

function readPair(code: string, at: number, end: number, signs: string): void {
  let sign = at;
  while (sign < end && !signs.includes(code.charAt(sign))) sign++;
  if (sign === end) return;
  paint(at, sign, color.property);
  paint(sign, sign + 1, color.operator);
  paint(skipBlanks(sign + 1, end), end, color.string);
}

export const toml: Lexer = (code, from, to) => {
  let at = from;
  let isLineStart = true;
  while (at < to) {
    const character = characterAt(at);
    let end = at + 1;
    if (character === char.newline) isLineStart = true;
    else if (character === char.hash) {
      end = lineEnd(code, at, to);
      paint(at, end, color.comment);
    } else if (character === char.openSquare && isLineStart && isTableHead(code, at, to)) {
      end = lineEnd(code, at, to);
      const close = Math.min(code.lastIndexOf(']', end), end);
      paint(at, close + 1, color.operator);
      paint(
        characterAt(at + 1) === char.openSquare ? at + 2 : at + 1,
        characterAt(close - 1) === char.closeSquare ? close - 1 : close,
        color.type,
      );
    } else if (character === char.doubleQuote || character === char.singleQuote)
      end = readTomlString(code, at, to);
    else if (isWord(character)) {
      end = at;
      while (end < to && (isWord(characterAt(end)) || '.-:'.includes(code.charAt(end)))) end++;
      const isKey = characterAt(skipBlanks(end, to)) === char.equals;
      paint(at, end, isKey ? color.property : isTomlNumber(code, at, end) ? color.number : color.plain);
    } else if (',=[]{}'.includes(code.charAt(at))) paint(at, end, color.operator);
    if (character !== char.newline && character !== char.space && character !== char.tab) isLineStart = false;
    at = end;
  }
};

/** `[table]`, as opposed to a line of a nested array. */
function isTableHead(code: string, at: number, to: number): boolean {
  const end = lineEnd(code, at, to);
  return /^\[{1,2}[^[\],]+\]{1,2}\s*(?:#.*)?$/.test(code.slice(at, Math.min(end, at + 300)));
}

function isTomlNumber(code: string, at: number, end: number): boolean {
  return /^(?:[\d].*|true|false|inf|nan)$/.test(code.slice(at, Math.min(end, at + 40)));
}

function readTomlString(code: string, at: number, to: number): number {
  const quote = code.charAt(at);
  const isLong = code.startsWith(quote.repeat(3), at);
  const end = isLong ? endOf(code, quote.repeat(3), at + 3, to) : stringEnd(at, to, characterAt(at));
  if (end === 0) return at + 1;
  const isKey = characterAt(skipBlanks(end, to)) === char.equals;
  paint(at, end, isKey ? color.property : color.string);
  return end;
}

export const diff: Lexer = (code, from, to) =>
  forEachLine(code, from, to, (at, end) => {
    const first = code.charAt(at);
    if (/^(?:\*{3}|---|\+{3})(?: |$)|^@@/.test(code.slice(at, Math.min(end, at + 4))))
      paint(at, end, color.comment);
    else if (first === '+' || first === '>') paint(at, end, color.inserted);
    else if (first === '-' || first === '<') paint(at, end, color.deleted);
    else if (first === '!') paint(at, end, color.title);
  });

/** An HTTP message: start line, headers, and a body that is JSON or markup by its first character. */
export const http =
  (markup: Lexer): Lexer =>
  (code, from, to) => {
    for (let at = from; at < to;) {
      const end = lineEnd(code, at, to);
      const first = code.charAt(at);
      if (first === '{' || first === '[') return json(code, at, to);
      if (first === '<') return markup(code, at, to);
      readHead(code, at, end);
      at = end + 1;
    }
  };

function readHead(code: string, at: number, end: number): void {
  const line = code.slice(at, Math.min(end, at + 2000));
  const request = /^([A-Z]{3,10}) (\S+)( HTTP\/[\d.]+)?$/.exec(line);
  const answer = /^HTTP\/[\d.]+ (\d{3})/.exec(line);
  if (request) {
    const target = at + (request[1]?.length ?? 0);
    paint(at, target, color.keyword);
    paint(target + 1, target + 1 + (request[2]?.length ?? 0), color.string);
    if (request[3]) paint(end - request[3].length, end, color.property);
  } else if (answer) {
    const status = at + answer[0].length;
    paint(at, status - 4, color.property);
    paint(status - 3, status, color.number);
    paint(status, end, color.string);
  } else {
    const name = /^[\w-]+(?=:)/.exec(line)?.[0].length ?? 0;
    paint(at, at + name, color.property);
    if (name > 0) paint(at + name, at + name + 1, color.operator);
  }
}
