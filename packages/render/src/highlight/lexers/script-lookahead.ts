/** Bounded lookahead for JavaScript: the meaning of a name or bracket by what follows it. */
import { characterAt } from './paint.ts';
import { char, isSpace, isWord, skipSpace, wordEnd } from './characters.ts';

const maxParametersCharacters = 300;
const maxTypeCharacters = 200;
const maxRegexCharacters = 1000;

/**
 * The position after the closing parenthesis of parameters; 0 when the parentheses contain something else.
 */
export function parametersEnd(open: number, to: number): number {
  const end = Math.min(to, open + maxParametersCharacters);
  for (let at = open + 1; at < end; at++) {
    switch (characterAt(at)) {
      case char.close:
        return at + 1;
      case char.dot:
        if (characterAt(at + 1) !== char.dot && characterAt(at - 1) !== char.dot) return 0;
        break;
      case char.open:
      case char.semicolon:
      case char.backtick:
        return 0;
    }
  }
  return 0;
}

export function isArrow(at: number): boolean {
  return characterAt(at) === char.equals && characterAt(at + 1) === char.greater;
}

/** Whether `= (a, b) =>`, `= a =>` or `= function` follows, also with a colon, `async` and types. */
export function isFunctionAhead(code: string, sign: number, to: number): boolean {
  let at = skipSpace(sign + 1, to);
  if (code.startsWith('async', at)) at = skipSpace(at + 5, to);
  if (characterAt(at) === char.open) {
    const end = bracketEnd(at, to);
    return end > 0 && isArrowAhead(end, to);
  }
  if (!isWord(characterAt(at))) return false;
  const end = wordEnd(at, to);
  return (end - at === 8 && code.startsWith('function', at)) || isArrow(skipSpace(end, to));
}

function bracketEnd(open: number, to: number): number {
  const end = Math.min(to, open + maxParametersCharacters);
  let depth = 0;
  for (let at = open; at < end; at++) {
    const character = characterAt(at);
    if (character === char.open) depth++;
    else if (character === char.close && --depth === 0) return at + 1;
  }
  return 0;
}

/** An arrow, also after a return type. */
function isArrowAhead(from: number, to: number): boolean {
  const at = skipSpace(from, to);
  if (characterAt(at) !== char.colon) return isArrow(at);
  const end = Math.min(to, at + maxTypeCharacters);
  for (let next = at; next < end; next++) {
    const character = characterAt(next);
    if (character === char.equals) return isArrow(next);
    if (character === char.newline || character === char.semicolon || character === char.comma) return false;
  }
  return false;
}

/** The position after the `>` of type arguments; 0 when `<` compares. */
export function typesEnd(open: number, to: number): number {
  if (characterAt(open + 1) === char.less) return 0;
  const end = Math.min(to, open + maxTypeCharacters);
  let depth = 0;
  let braces = 0;
  for (let at = open; at < end; at++) {
    const character = characterAt(at);
    if (character === char.less) depth++;
    else if (character === char.greater) {
      if (characterAt(at - 1) !== char.equals && --depth === 0) return at + 1;
    } else if (character === char.openBrace) braces++;
    else if (character === char.closeBrace) braces--;
    else if (character === char.open || (character === char.semicolon && braces === 0)) return 0;
  }
  return 0;
}

/** The position after the flags of a regular expression; 0 when the slash divides. */
export function regexEnd(open: number, to: number): number {
  const end = Math.min(to, open + maxRegexCharacters);
  let inClass = false;
  for (let at = open + 1; at < end; at++) {
    const character = characterAt(at);
    if (character === char.newline) return 0;
    if (character === char.backslash) at++;
    else if (character === char.openSquare) inClass = true;
    else if (character === char.closeSquare) inClass = false;
    else if (character === char.slash && !inClass) return wordEnd(at + 1, to);
  }
  return 0;
}

/** Whether an object key is possible here: first on its line, or after a bracket or a comma. */
export function isKeyPlace(from: number): boolean {
  let at = from - 1;
  while (at >= 0 && (characterAt(at) === char.space || characterAt(at) === char.tab)) at--;
  if (at < 0) return true;
  const before = characterAt(at);
  return (
    before === char.newline || before === char.comma || before === char.openBrace || before === char.open
  );
}

/** Whether `async`, `get`, `type` and the like are keywords here. */
export function isKeywordAhead(word: string, next: number): boolean {
  const character = characterAt(next);
  switch (word) {
    case 'from':
      return character === char.doubleQuote || character === char.singleQuote;
    case 'assert':
      return character === char.openBrace;
    case 'async':
      return isWord(character) || character === char.open;
    case 'get':
    case 'set':
      return isWord(character) || character === char.hash || character === char.openSquare;
    default:
      return isWord(character) || /["'{*]/.test(String.fromCharCode(character));
  }
}

export function isConstant(from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const character = characterAt(at);
    const fits =
      (character >= 65 && character <= 90) ||
      (at > from && (character === 95 || (character >= 48 && character <= 57)));
    if (!fits) return false;
  }
  return true;
}

export function isLineStart(from: number): boolean {
  for (let at = from - 1; at >= 0; at--) {
    const character = characterAt(at);
    if (character === char.newline) return true;
    if (!isSpace(character)) return false;
  }
  return true;
}
