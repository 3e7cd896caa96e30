import { char, endOf, isSpace, isWord, lineEnd, skipBlanks } from './characters.ts';
import { tsx } from './javascript.ts';
import { readTag } from './markup.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';
import { yaml } from './yaml.ts';

export function markdownLexer(lexerOf: (language: string) => Lexer | undefined): Lexer {
  return (code, from, to) => {
    let at = readFrontMatter(code, from, to);
    while (at < to) {
      const end = lineEnd(code, at, to);
      const start = skipBlanks(at, end);
      const fence = /^(`{3,}|~{3,})[^\S\n]*([\w#+.-]*)/.exec(code.slice(start, Math.min(end, start + 60)));
      if (fence) at = readFence(code, start, end, to, fence[1] ?? '', lexerOf(fence[2] ?? ''));
      else at = readLine(code, start, end, to);
    }
  };
}

function readFrontMatter(code: string, from: number, to: number): number {
  if (!code.startsWith('---\n', from)) return from;
  const close = code.indexOf('\n---', from + 3);
  if (close < 0 || close >= to) return from;
  paint(from, from + 3, color.operator);
  yaml(code, from + 4, close);
  paint(close + 1, close + 4, color.operator);
  return close + 4;
}

function readFence(
  code: string,
  start: number,
  end: number,
  to: number,
  sign: string,
  lexer: Lexer | undefined,
): number {
  paint(start, start + sign.length, color.operator);
  let at = end + 1;
  while (at < to) {
    const last = lineEnd(code, at, to);
    const first = skipBlanks(at, last);
    if (code.startsWith(sign, first) && code.slice(first, last).trim().length === countOf(first, last)) {
      paint(first, first + countOf(first, last), color.operator);
      break;
    }
    at = last + 1;
  }
  lexer?.(code, Math.min(end + 1, to), Math.min(at, to));
  return Math.min(lineEnd(code, Math.min(at, to), to) + 1, to);
}

function countOf(from: number, to: number): number {
  let at = from;
  while (at < to && characterAt(at) === characterAt(from)) at++;
  return at - from;
}

function readLine(code: string, start: number, end: number, to: number): number {
  let at = start;
  const first = characterAt(at);
  if (first === char.hash) {
    const text = at + countOf(at, end);
    if (isSpace(characterAt(text))) {
      paint(at, text, color.operator);
      paint(text, end, color.title);
      return end + 1;
    }
  }
  if (
    /^(?:import|export)\s[\s\S]{0,200}?(?:from\b|["'=({])/.test(code.slice(start, Math.min(end, start + 250)))
  ) {
    tsx(code, start, end);
    return end + 1;
  }
  while (characterAt(at) === char.greater && at < end) {
    paint(at, at + 1, color.operator);
    at = skipBlanks(at + 1, end);
  }
  const marker =
    /^(?:[*+-]|\d{1,9}[.)])(?=[ \t])|^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|={3,}|\|?[ \t]*:?-+[-:| \t]*)$/.exec(
      code.slice(at, Math.min(end, at + 200)),
    );
  if (marker) {
    paint(at, at + marker[0].length, color.operator);
    at += marker[0].length;
  }
  return readInline(code, at, end, to);
}

/** Text of one line; a tag may continue on the next ones. */
function readInline(code: string, from: number, lineLast: number, to: number): number {
  let at = from;
  let end = lineLast;
  while (at < end) {
    const character = characterAt(at);
    let next = at + 1;
    if (character === char.less && (isWord(characterAt(next)) || /[/!]/.test(code.charAt(next)))) {
      next = readTag(code, at, to);
      if (next > end) end = lineEnd(code, next, to);
    } else if (character === char.backtick) {
      next = at + countOf(at, end);
      const close = code.indexOf(code.slice(at, next), next);
      if (close > 0 && close < end) {
        next += close - at;
        paint(at, next, color.keyword);
      }
    } else if (character === char.star && characterAt(next) === char.star) next = readBold(code, at, end);
    else if (character === char.openSquare) next = readLink(code, at, end);
    else if (character === char.pipe) paint(at, next, color.operator);
    else if (character === char.backslash) next++;
    else if (code.startsWith('{/*', at)) {
      next = endOf(code, '*/}', next, to);
      paint(at, next, color.comment);
      if (next > end) end = lineEnd(code, next, to);
    }
    at = next;
  }
  return end + 1;
}

function readBold(code: string, at: number, end: number): number {
  const close = code.indexOf('**', at + 2);
  if (close < 0 || close + 2 > end || close === at + 2) return at + 2;
  paint(at, close + 2, color.operator);
  paint(at + 2, close, color.title);
  return close + 2;
}

const maxLinkCharacters = 1000;

function readLink(code: string, at: number, end: number): number {
  const link = /^\[[^\][\n]*\]\([^()\s]*(?:\s"[^"\n]*")?\)/.exec(
    code.slice(at, Math.min(end, at + maxLinkCharacters)),
  );
  if (!link) return at + 1;
  paint(at, at + link[0].length, color.string);
  return at + link[0].length;
}
