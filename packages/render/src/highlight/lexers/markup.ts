/** Lexes HTML, XML and Vue or Svelte templates with their scripts and styles. */
import { char, endOf, indexOfEnd, isDigit, isWord, skipSpace, wordEnd } from './characters.ts';
import { css } from './css.ts';
import { nameEnd } from './elements.ts';
import { typescript } from './javascript.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

export const markup: Lexer = (code, from, to) => {
  let at = from;
  while (at < to) {
    const next = code.indexOf('<', at);
    const open = next < 0 || next > to ? to : next;
    paintEntities(code, at, open);
    at = open < to ? readTag(code, open, to) : to;
  }
};

/** Returns the position after the tag or comment that begins with this `<`. */
export function readTag(code: string, at: number, to: number): number {
  if (code.startsWith('<!--', at)) return take(at, endOf(code, '-->', at + 4, to), color.comment);
  if (code.startsWith('<![CDATA[', at)) return take(at, endOf(code, ']]>', at, to), color.comment);
  const first = characterAt(at + 1);
  if (first === char.bang || first === char.question)
    return take(at, endOf(code, '>', at, to), color.comment);
  const name = first === char.slash ? at + 2 : at + 1;
  if (!isWord(characterAt(name)) || isDigit(characterAt(name))) return at + 1;
  paint(at, name, color.operator);
  const nameIs = nameEnd(name, to);
  paint(name, nameIs, color.tag);
  const end = readAttributes(code, nameIs, to);
  if (first === char.slash || characterAt(end - 2) === char.slash) return end;
  return readInside(code, code.slice(name, nameIs).toLowerCase(), end, to);
}

function take(at: number, end: number, painted: number): number {
  paint(at, end, painted);
  return end;
}

/** Stops at the `>` of the tag. */
function readAttributes(code: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const character = characterAt(at);
    if (character === char.greater) return take(at, at + 1, color.operator);
    if (character === char.less) return at;
    if (character === char.equals) at = readValue(code, at, to);
    else if (character === char.slash) at = take(at, at + 1, color.operator);
    else if (character <= 32) at++;
    else {
      let end = at + 1;
      while (end < to && !/[\s=>/<]/.test(code.charAt(end))) end++;
      at = take(at, end, color.property);
    }
  }
  return at;
}

function readValue(code: string, equals: number, to: number): number {
  paint(equals, equals + 1, color.operator);
  const at = skipSpace(equals + 1, to);
  const quote = characterAt(at);
  if (quote === char.doubleQuote || quote === char.singleQuote) {
    const end = endOf(code, code.charAt(at), at + 1, to);
    paint(at, end, color.operator);
    paint(at + 1, end - 1, color.string);
    return end;
  }
  if (quote === char.openBrace) {
    const end = braceEnd(at, to);
    if (end > 0) {
      paint(at, at + 1, color.operator);
      typescript(code, at + 1, end - 1);
      return take(end - 1, end, color.operator);
    }
  }
  let end = at;
  while (end < to && !/[\s>]/.test(code.charAt(end))) end++;
  return take(at, end, color.string);
}

const maxBraceCharacters = 2000;

/** The position after the closing brace; 0 when it is missing. */
function braceEnd(open: number, to: number): number {
  let depth = 0;
  const last = Math.min(to, open + maxBraceCharacters);
  for (let at = open; at < last; at++) {
    const character = characterAt(at);
    if (character === char.openBrace) depth++;
    else if (character === char.closeBrace && --depth === 0) return at + 1;
  }
  return 0;
}

function readInside(code: string, name: string, at: number, to: number): number {
  const lexer = name === 'script' ? typescript : name === 'style' ? css : undefined;
  if (!lexer) return at;
  const close = indexOfEnd(code, `</${name}`, at);
  if (close < 0 || close > to) return at;
  lexer(code, at, close);
  return close;
}

function paintEntities(code: string, from: number, to: number): void {
  for (let at = code.indexOf('&', from); at >= 0 && at < to; at = code.indexOf('&', at + 1)) {
    const start = characterAt(at + 1) === char.hash ? at + 2 : at + 1;
    const end = wordEnd(start, Math.min(to, start + 9));
    if (end > start && characterAt(end) === char.semicolon) paint(at, end + 1, color.number);
  }
}
