import { char, endOf, isDigit, isWord, lineEnd, skipSpace, stringEnd } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

const maxSelectorCharacters = 2000;

export const css: Lexer = (code, from, to) => {
  let at = from;
  /** Whether a selector or a property may begin here. */
  let isStart = true;
  while (at < to) {
    const character = characterAt(at);
    let end = at + 1;
    if (character <= 32) {
      at++;
      continue;
    }
    if (character === char.slash && characterAt(at + 1) === char.star) {
      end = endOf(code, '*/', at + 2, to);
      paint(at, end, color.comment);
      at = end;
      continue;
    }
    if (character === char.doubleQuote || character === char.singleQuote) {
      end = stringEnd(at, to, character) || at + 1;
      if (end > at + 1) paint(at, end, color.string);
    } else if (character === char.at) end = readAtRule(code, at, to);
    else if (character === char.openBrace || character === char.closeBrace || character === char.semicolon) {
      paint(at, end, color.operator);
      isStart = true;
      at = end;
      continue;
    } else if (isStart) {
      const open = selectorEnd(at, to);
      if (open > 0) {
        end = open;
        paint(at, end, color.tag);
      } else end = readName(at, to);
    } else if (isNamePart(character)) end = readName(at, to);
    else if (character === char.bang) {
      end = nameEnd(at + 1, to);
      paint(at, end, color.keyword);
    } else if ('(),:'.includes(code.charAt(at))) paint(at, end, color.operator);
    isStart = false;
    at = end;
  }
};

function isNamePart(character: number): boolean {
  return isWord(character) || character === char.minus;
}

function nameEnd(from: number, to: number): number {
  let at = from;
  while (at < to && isNamePart(characterAt(at))) at++;
  return at;
}

function readName(at: number, to: number): number {
  const end = Math.max(nameEnd(at, to), at + 1);
  const next = characterAt(end);
  const isProperty = !isDigit(characterAt(at)) && characterAt(skipSpace(end, to)) === char.colon;
  paint(at, end, next === char.open ? color.function : isProperty ? color.property : color.plain);
  return end;
}

/**
 * `@media` and similar rules are keywords with everything before the block; functions and properties in it
 * keep their colors.
 */
function readAtRule(code: string, at: number, to: number): number {
  let end = nameEnd(at + 1, to);
  while (end < to) {
    const character = characterAt(end);
    if (character === char.openBrace || character === char.semicolon) break;
    end++;
  }
  paint(at, end, color.keyword);
  for (let inner = nameEnd(at + 1, end); inner < end;) {
    const character = characterAt(inner);
    let next = inner + 1;
    if (character === char.doubleQuote || character === char.singleQuote) {
      next = stringEnd(inner, end, character) || next;
      paint(inner, next, color.string);
    } else if (isNamePart(character)) {
      next = nameEnd(inner, end);
      const after = characterAt(next);
      if (after === char.open) paint(inner, next, color.function);
      else if (after === char.colon) paint(inner, next, color.property);
    } else if ('(),:;'.includes(code.charAt(inner))) paint(inner, next, color.operator);
    inner = next;
  }
  return end;
}

/** The end of a selector: a brace follows before anything that ends a declaration. 0 when there is none. */
function selectorEnd(from: number, to: number): number {
  const last = Math.min(to, from + maxSelectorCharacters);
  let end = from;
  for (let at = from; at < last; at++) {
    const character = characterAt(at);
    if (character === char.openBrace) return end;
    if (character === char.semicolon || character === char.closeBrace) return 0;
    if (character === char.slash && characterAt(at + 1) === char.star) return 0;
    if (character === char.doubleQuote) at = (stringEnd(at, to, character) || at + 1) - 1;
    if (character > 32) end = at + 1;
  }
  return 0;
}

/** Adds `//` comments, variables and nesting to CSS. */
export const scss: Lexer = (code, from, to) => {
  css(code, from, to);
  for (const match of code
    .slice(from, to)
    .matchAll(/(?<=^|[\s;{}])\/\/[^\n]*|[$@][\w-]+(?=\s*:)|#\{[^{}\n]*\}|\$[\w-]+/g)) {
    const at = from + match.index;
    const isComment = match[0].startsWith('//');
    paint(
      at,
      isComment ? lineEnd(code, at, to) : at + match[0].length,
      isComment ? color.comment : color.variable,
    );
  }
};
