/** Character classes and scanning functions that most lexers share. All of them are linear. */
import { characterAt } from './paint.ts';

const wordSign = 1;
const digitSign = 2;
const operatorSign = 4;
const kinds = new Uint8Array(128);
for (let at = 0; at < 128; at++) {
  const text = String.fromCharCode(at);
  if (/[A-Za-z_$]/.test(text)) kinds[at] = wordSign;
  else if (/[0-9]/.test(text)) kinds[at] = wordSign | digitSign;
  else if (/[-+*/%=<>!&|^~?:;,.(){}[\]]/.test(text)) kinds[at] = operatorSign;
}

export const char = {
  tab: 9,
  newline: 10,
  space: 32,
  bang: 33,
  doubleQuote: 34,
  hash: 35,
  dollar: 36,
  percent: 37,
  ampersand: 38,
  singleQuote: 39,
  open: 40,
  close: 41,
  star: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  slash: 47,
  colon: 58,
  semicolon: 59,
  less: 60,
  equals: 61,
  greater: 62,
  question: 63,
  at: 64,
  openSquare: 91,
  backslash: 92,
  closeSquare: 93,
  underscore: 95,
  backtick: 96,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
} as const;

export function isWord(character: number): boolean {
  return character < 128 ? ((kinds[character] ?? 0) & wordSign) !== 0 : character >= 160;
}

export function isDigit(character: number): boolean {
  return character >= 48 && character <= 57;
}

export function isOperator(character: number): boolean {
  return character < 128 && ((kinds[character] ?? 0) & operatorSign) !== 0;
}

export function isCapital(character: number): boolean {
  return character >= 65 && character <= 90;
}

export function isSpace(character: number): boolean {
  return character === 32 || (character >= 9 && character <= 13);
}

export function wordEnd(from: number, to: number): number {
  let at = from;
  while (at < to && isWord(characterAt(at))) at++;
  return at;
}

/** `0x1f`, `1_000`, `1.5e-3`, `10n`, `20px`. */
export function numberEnd(from: number, to: number): number {
  let at = from;
  while (at < to) {
    const character = characterAt(at);
    if (isWord(character)) at++;
    else if (character === char.dot && isDigit(characterAt(at + 1))) at += 2;
    else if (isExponentSign(at, from)) at++;
    else break;
  }
  return at;
}

function isExponentSign(at: number, from: number): boolean {
  const character = characterAt(at);
  if (character !== char.plus && character !== char.minus) return false;
  const before = characterAt(at - 1) | 32;
  return before === 101 && isDigit(characterAt(at + 1)) && (characterAt(from + 1) | 32) !== 120;
}

export function lineEnd(code: string, from: number, to: number): number {
  const at = code.indexOf('\n', from);
  return at < 0 || at > to ? to : at;
}

/** The position after the next `text`, or `to` when it is missing. */
export function endOf(code: string, text: string, from: number, to: number): number {
  const at = code.indexOf(text, from);
  return at < 0 || at + text.length > to ? to : at + text.length;
}

/** Terminators missing from the current code. The list is bounded. */
let searched = '';
const missing = new Set<string>();
const maxMissing = 50;

/** Like `indexOf`, but searches for a missing terminator only once. */
export function indexOfEnd(code: string, text: string, from: number): number {
  if (searched !== code) {
    searched = code;
    missing.clear();
  }
  if (missing.has(text) || missing.size > maxMissing) return -1;
  const at = code.indexOf(text, from);
  if (at < 0) missing.add(text);
  return at;
}

export function skipSpace(from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(characterAt(at))) at++;
  return at;
}

export function skipBlanks(from: number, to: number): number {
  let at = from;
  while (at < to && (characterAt(at) === 32 || characterAt(at) === 9)) at++;
  return at;
}

/** An unterminated quote is scanned repeatedly, so a longer try counts as a string up to the end. */
const maxTry = 2000;

/** The position after the closing quote on this line; 0 when there is none. Backslashes escape. */
export function stringEnd(from: number, to: number, quote: number): number {
  let at = from + 1;
  for (; at < to; at++) {
    const character = characterAt(at);
    if (character === quote) return at + 1;
    if (character === char.newline) break;
    if (character === char.backslash) at++;
  }
  return at - from > maxTry ? Math.min(at, to) : 0;
}

/** A color lookup that allocates no string for most words that are not in the table. */
export class Words {
  private readonly colors = new Map<string, number>();
  /** For each first letter, a bit mask of the lengths of its words. */
  private readonly lengths = new Int32Array(128);

  constructor(lists: readonly (readonly [words: string, color: number])[]) {
    for (const [words, color] of lists)
      for (const word of words.split(' ')) {
        this.colors.set(word, color);
        const first = word.charCodeAt(0) & 127;
        this.lengths[first] = (this.lengths[first] ?? 0) | (1 << Math.min(word.length, 31));
      }
  }

  /** Returns 0 for unknown words. */
  colorOf(code: string, from: number, to: number): number {
    const lengths = this.lengths[code.charCodeAt(from) & 127] ?? 0;
    if ((lengths & (1 << Math.min(to - from, 31))) === 0) return 0;
    return this.colors.get(code.slice(from, to)) ?? 0;
  }
}
