/**
 * One table-driven lexer for languages made of comments, strings, numbers, words and operators. Syntax of a
 * single language is a function in its table.
 */
import {
  char,
  endOf,
  isCapital,
  isDigit,
  isOperator,
  isSpace,
  isWord,
  lineEnd,
  numberEnd,
  skipBlanks,
  skipSpace,
  wordEnd,
  Words,
} from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';
import { isConstant, isKeyPlace, typesEnd } from './script-lookahead.ts';
import { readString, type StringRule } from './strings.ts';

export interface Table {
  words: readonly (readonly [words: string, color: number])[];
  /** Keywords that determine the color of the following name. */
  names?: readonly (readonly [words: string, color: number])[];
  ignoresCase?: true;
  lineComments?: readonly string[];
  blockComments?: readonly (readonly [open: string, close: string])[];
  /** The longest opening first. */
  strings: readonly StringRule[];
  /** Prefixes of a quote. With `f` or `$` the string contains code; with `r` backslashes are literal. */
  prefixes?: RegExp;
  /** A name before a parenthesis. */
  calls?: number;
  /** Capitalized names are types: always, or only before another name. */
  types?: 'capitals' | 'declarations';
  /** Names in capitals. */
  constants?: true;
  /** Names before `::`. */
  scopes?: true;
  /** Names before a colon, where keys are possible. */
  keys?: number;
  /** Color by the first character: `$a`, `@a`. */
  sigils?: Readonly<Record<string, number>>;
  /** Keywords stay keywords after a dot. */
  memberWords?: true;
  /** Names before an exclamation mark. */
  macros?: number;
  /** All other names. */
  others?: number;
  /** Names after `->`. */
  arrowMembers?: number;
  /** Paints the syntax that begins here and returns its end, or 0 when it does not apply. */
  special?: { signs: string; read: (code: string, at: number, to: number, lexer: Lexer) => number };
}

const action = {
  other: 0,
  space: 1,
  word: 2,
  digit: 3,
  operator: 4,
  string: 5,
  comment: 6,
  sigil: 7,
} as const;

export function familyLexer(table: Table): Lexer {
  const family = new Family(table);
  return (code, from, to) => family.readOuter(code, from, to);
}

class Family {
  private readonly table: Table;
  private readonly words: Words;
  private readonly names: Words;
  private readonly actions = new Uint8Array(128);
  private readonly isSpecial = new Uint8Array(128);
  /** Strings may contain code with strings; deeper ones are only strings. */
  private depth = 0;

  constructor(table: Table) {
    this.table = table;
    this.words = new Words(table.words);
    this.names = new Words(table.names ?? []);
    for (let at = 0; at < 128; at++)
      this.actions[at] = isSpace(at)
        ? action.space
        : isDigit(at)
          ? action.digit
          : isWord(at)
            ? action.word
            : isOperator(at)
              ? action.operator
              : action.other;
    for (const sign of Object.keys(table.sigils ?? {})) this.actions[sign.charCodeAt(0)] = action.sigil;
    for (const { open } of table.strings) this.actions[open.charCodeAt(0)] = action.string;
    for (const text of [...(table.lineComments ?? []), ...(table.blockComments ?? []).map(([open]) => open)])
      this.actions[text.charCodeAt(0)] = action.comment;
    for (const sign of table.special?.signs ?? '') this.isSpecial[sign.charCodeAt(0)] = 1;
  }

  readOuter(code: string, from: number, to: number): void {
    this.depth = 0;
    this.read(code, from, to);
  }

  private read(code: string, from: number, to: number): void {
    const { actions, isSpecial, table } = this;
    let at = from;
    /** The color of the next name, set by the preceding keyword. */
    let expected = 0;
    let typesUntil = 0;
    while (at < to) {
      const character = characterAt(at);
      if (character < 128 && isSpecial[character] === 1) {
        const end = table.special?.read(code, at, to, this.readInner) ?? 0;
        if (end > 0) {
          at = end;
          continue;
        }
      }
      switch (character < 128 ? actions[character] : action.word) {
        case action.space:
          at++;
          break;
        case action.word: {
          const end = wordEnd(at, to);
          const stringEnd = table.prefixes ? this.readPrefixed(code, at, end, to) : 0;
          if (stringEnd > 0) {
            at = stringEnd;
            break;
          }
          const isMember = characterAt(at - 1) === char.dot && table.memberWords !== true;
          const known = isMember ? 0 : this.knownColor(code, at, end);
          if (known !== 0 && !(known === color.type && characterAt(end) === char.open && table.calls)) {
            paint(at, end, known);
            expected = known === color.keyword ? this.names.colorOf(code, at, end) : 0;
          } else {
            const next = skipSpace(end, to);
            const painted = expected || (at < typesUntil ? color.type : this.nameColor(at, end, next, to));
            paint(at, end, painted);
            if (painted === color.type && characterAt(next) === char.less)
              typesUntil = Math.max(typesUntil, typesEnd(next, to));
            /** A path gets one color. */
            if (characterAt(end) !== char.dot && characterAt(end) !== char.backslash) expected = 0;
          }
          at = end;
          break;
        }
        case action.digit: {
          const end = numberEnd(at + 1, to);
          paint(at, end, color.number);
          at = end;
          break;
        }
        case action.string: {
          const end = readString(code, at, to, table.strings, this.readInner);
          if (end === 0 && isOperator(character)) paint(at, at + 1, color.operator);
          at = end === 0 ? at + 1 : end;
          break;
        }
        case action.comment: {
          const end = this.commentEnd(code, at, to);
          paint(at, end || at + 1, end > 0 ? color.comment : color.operator);
          at = end || at + 1;
          break;
        }
        case action.sigil: {
          const end = wordEnd(at + 1, to);
          if (end > at + 1) paint(at, end, table.sigils?.[String.fromCharCode(character)] ?? color.variable);
          else if (isOperator(character)) paint(at, end, color.operator);
          at = end;
          break;
        }
        case action.operator:
          paint(at, at + 1, color.operator);
          if (character !== char.dot && character !== char.colon) expected = 0;
          at++;
          break;
        default:
          at++;
      }
    }
  }

  private readonly readInner: Lexer = (code, from, to) => {
    if (this.depth >= 3) return;
    this.depth++;
    this.read(code, from, to);
    this.depth--;
  };

  private readPrefixed(code: string, at: number, end: number, to: number): number {
    const quote = characterAt(end);
    if (end - at > 3 || (quote !== char.doubleQuote && quote !== char.singleQuote)) return 0;
    const prefix = code.slice(at, end);
    if (this.table.prefixes?.test(prefix) !== true) return 0;
    const stringEnd = readString(code, end, to, this.table.strings, this.readInner, prefix.toLowerCase());
    if (stringEnd > 0) paint(at, end, color.string);
    return stringEnd;
  }

  private knownColor(code: string, at: number, end: number): number {
    if (!this.table.ignoresCase) return this.words.colorOf(code, at, end);
    return end - at > 40 ? 0 : this.words.colorOf(code.slice(at, end).toLowerCase(), 0, end - at);
  }

  private nameColor(at: number, end: number, next: number, to: number): number {
    const { table } = this;
    const follows = characterAt(next);
    const isCapitalised = isCapital(characterAt(at));
    const isCall = follows === char.open && next === end;
    if (table.arrowMembers && characterAt(at - 1) === char.greater && characterAt(at - 2) === char.minus)
      return isCall ? (table.calls ?? color.plain) : table.arrowMembers;
    if (table.keys && follows === char.colon && characterAt(next + 1) !== char.colon && isKeyPlace(at))
      return table.keys;
    if (table.scopes && follows === char.colon && characterAt(next + 1) === char.colon)
      return characterAt(next + 2) === char.less && !isCapitalised ? (table.calls ?? color.type) : color.type;
    if (isCapitalised && table.types === 'capitals' && (end - at === 1 || !isConstant(at, end)))
      return color.type;
    if (isCall && table.calls) return table.calls;
    if (table.macros && follows === char.bang && next === end) return table.macros;
    if (isCapitalised && table.constants && isConstant(at, end)) return color.number;
    if (isCapitalised && table.types === 'declarations' && isDeclared(at, end, to)) return color.type;
    if (follows === char.less && next === end && table.calls && table.types) {
      const types = typesEnd(next, to);
      if (types > 0 && characterAt(types) === char.open) return table.calls;
    }
    return table.others ?? color.plain;
  }

  private commentEnd(code: string, at: number, to: number): number {
    for (const [open, close] of this.table.blockComments ?? [])
      if (code.startsWith(open, at)) return endOf(code, close, at + open.length, to);
    for (const sign of this.table.lineComments ?? [])
      if (code.startsWith(sign, at)) return lineEnd(code, at, to);
    return 0;
  }
}

/** Whether another name follows, as in `List<int>? all` and `Item[] items`. */
function isDeclared(at: number, end: number, to: number): boolean {
  if (characterAt(at - 1) === char.dot) return false;
  let next = end;
  if (characterAt(next) === char.less) next = typesEnd(next, to) || next;
  while (characterAt(next) === char.openSquare && characterAt(next + 1) === char.closeSquare) next += 2;
  if (characterAt(next) === char.question) next++;
  const name = skipBlanks(next, to);
  return name > next && isWord(characterAt(name));
}
