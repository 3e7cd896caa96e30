/** Lexes JavaScript and TypeScript without JSX. Nested templates and braces use a stack, not recursion. */
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
  skipSpace,
  stringEnd,
  wordEnd,
  Words,
} from './characters.ts';
import { characterAt, color, paint } from './paint.ts';
import {
  isArrow,
  isConstant,
  isFunctionAhead,
  isKeyPlace,
  isKeywordAhead,
  parametersEnd,
  regexEnd,
  typesEnd,
} from './script-lookahead.ts';

/**
 * Besides colors: keywords only before some characters, keywords before a type, and words that are values.
 */
const contextual = 20;
const beforeType = 21;
const value = 22;

const keywords =
  'as await break case catch const continue debugger default delete do else enum export finally for function if import in let of ' +
  'package private protected public return static switch throw try typeof var void while with yield';

export const scriptWords = new Words([
  [keywords, color.keyword],
  ['async from get set assert', contextual],
  ['true false NaN Infinity', color.number],
  ['class extends implements instanceof interface new', beforeType],
  ['null undefined this super', value],
]);

export const typedWords = new Words([
  [`${keywords} abstract declare is keyof readonly require satisfies`, color.keyword],
  ['async from get set assert asserts infer module namespace type', contextual],
  ['true false NaN Infinity', color.number],
  ['class extends implements instanceof interface new', beforeType],
  ['null undefined this super', value],
  ['Array Function Promise any boolean console never number string symbol unknown', color.type],
]);

export type Mode = 'script' | 'template' | 'tag' | 'children';

export abstract class Script {
  protected readonly code: string;
  protected readonly to: number;
  protected readonly words: Words;
  protected readonly isTyped: boolean;
  protected at: number;
  protected mode: Mode = 'script';
  /** The enclosing modes with their open braces. */
  protected readonly outer: { mode: Mode; braces: number }[] = [];
  protected braces = 0;
  /** After a value a slash divides and `<` compares. */
  protected afterValue = false;
  protected afterFunction = false;
  protected expectsType = false;
  /** Names up to these positions are types or parameters. */
  protected typesUntil = 0;
  protected parametersUntil = 0;

  constructor(code: string, from: number, to: number, words: Words) {
    this.code = code;
    this.at = from;
    this.to = to;
    this.words = words;
    this.isTyped = words === typedWords;
  }

  run(): void {
    while (this.at < this.to)
      if (this.mode === 'script') this.readScript();
      else if (this.mode === 'template') this.readTemplate();
      else this.readElement();
  }

  protected abstract isTag(): boolean;
  protected abstract openTag(): void;
  protected abstract readElement(): void;

  protected enter(mode: Mode): void {
    this.outer.push({ mode: this.mode, braces: this.braces });
    this.mode = mode;
    this.braces = 0;
    this.afterValue = false;
  }

  protected leave(): void {
    const { mode, braces } = this.outer.pop() ?? { mode: 'script', braces: 0 };
    this.mode = mode;
    this.braces = braces;
    this.afterValue = true;
  }

  protected take(length: number, painted: number): void {
    paint(this.at, this.at + length, painted);
    this.at += length;
  }

  protected readScript(): void {
    const { to } = this;
    while (this.at < to && this.mode === 'script') {
      const character = characterAt(this.at);
      if (isSpace(character)) this.at++;
      else if (isWord(character)) {
        if (isDigit(character)) this.readNumber();
        else this.readWord();
      } else if (character === char.doubleQuote || character === char.singleQuote) this.readString(character);
      else if (character === char.backtick) {
        this.enter('template');
        this.take(1, color.string);
      } else if (character === char.slash) this.readSlash();
      else if (character === char.less && this.isTag()) this.openTag();
      else if (character === char.at && isWord(characterAt(this.at + 1))) {
        this.take(1, color.operator);
        this.take(wordEnd(this.at, to) - this.at, color.function);
      } else this.readSign(character);
    }
  }

  protected readSign(character: number): void {
    if (character === char.openBrace) this.braces++;
    else if (character === char.closeBrace && --this.braces < 0) {
      this.take(1, color.operator);
      if (this.outer.length > 0) this.leave();
      else this.braces = 0;
      return;
    } else if (character === char.open && !this.isTyped) this.readParameters();
    if (character === char.dot && isDigit(characterAt(this.at + 1))) return this.readNumber();
    this.afterValue =
      character === char.close || character === char.closeSquare || character === char.closeBrace;
    this.afterFunction = false;
    if (character !== char.dot) this.expectsType = false;
    this.take(1, isOperator(character) ? color.operator : color.plain);
  }

  protected readParameters(): void {
    const { at, to } = this;
    if (at < this.parametersUntil) return;
    const end = parametersEnd(at, to);
    if (end === 0) return;
    const next = skipSpace(end, to);
    if (isArrow(next) || (this.afterFunction && characterAt(next) === char.openBrace))
      this.parametersUntil = end;
  }

  protected readNumber(): void {
    this.take(numberEnd(this.at + 1, this.to) - this.at, color.number);
    this.afterValue = true;
  }

  protected readString(quote: number): void {
    const { at, to } = this;
    const end = stringEnd(at, to, quote);
    if (end === 0) {
      this.at++;
      return;
    }
    const isKey = characterAt(skipSpace(end, to)) === char.colon && isKeyPlace(at);
    this.take(end - at, isKey ? color.property : color.string);
    this.afterValue = true;
  }

  protected readSlash(): void {
    const { code, at, to } = this;
    const next = characterAt(at + 1);
    if (next === char.slash) this.take(lineEnd(code, at, to) - at, color.comment);
    else if (next === char.star) this.take(endOf(code, '*/', at + 2, to) - at, color.comment);
    else {
      const end = this.afterValue ? 0 : regexEnd(at, to);
      this.take(end > 0 ? end - at : 1, end > 0 ? color.regex : color.operator);
      this.afterValue = end > 0;
    }
  }

  protected readWord(): void {
    const { code, at, to } = this;
    const end = wordEnd(at, to);
    const next = skipSpace(end, to);
    const isMember = characterAt(at - 1) === char.dot && characterAt(at - 2) !== char.dot;
    let kind = isMember ? 0 : this.words.colorOf(code, at, end);
    if (kind === contextual) kind = this.kindOfContextual(end, next);
    this.take(
      end - at,
      kind === 0 || kind === color.type ? this.colorOfName(at, end, next, kind) : wordColor(kind),
    );
    this.afterValue = kind !== color.keyword && kind !== beforeType;
    this.expectsType = kind === beforeType || (this.expectsType && characterAt(end) === char.dot);
    this.afterFunction = kind === 0 || (end - at === 8 && code.startsWith('function', at));
  }

  protected kindOfContextual(end: number, next: number): number {
    const word = this.code.slice(this.at, end);
    if (!isKeywordAhead(word, next)) return 0;
    return word === 'type' ? beforeType : color.keyword;
  }

  protected colorOfName(at: number, end: number, next: number, kind: number): number {
    const { code, to } = this;
    const follows = characterAt(next);
    if (this.expectsType || at < this.typesUntil) {
      if (follows === char.less && this.isTyped)
        this.typesUntil = Math.max(this.typesUntil, typesEnd(next, to));
      return color.type;
    }
    if (isCapital(characterAt(at)) && isConstant(at, end)) return color.number;
    if (follows === char.open) return color.function;
    if (kind !== 0) return kind;
    if (follows === char.less && next === end && this.isTyped) {
      const types = typesEnd(next, to);
      if (types > 0 && characterAt(types) === char.open) {
        this.typesUntil = types;
        return color.function;
      }
    }
    if (follows === char.equals) {
      if (characterAt(next + 1) === char.greater) return this.isTyped ? color.plain : color.property;
      if (!this.isAnnotation() && isFunctionAhead(code, next, to)) return color.function;
    } else if (follows === char.colon) {
      if (isFunctionAhead(code, next, to)) return color.function;
      if (!this.isTyped && isKeyPlace(at)) return color.property;
    }
    return at < this.parametersUntil ? color.property : color.plain;
  }

  /** Whether the name after a colon is a type: `a: Type = () => …`. */
  protected isAnnotation(): boolean {
    const { at } = this;
    return this.isTyped && characterAt(at - 2) === char.colon && characterAt(at - 1) === char.space;
  }

  protected readTemplate(): void {
    const { to } = this;
    let at = this.at;
    for (; at < to; at++) {
      const character = characterAt(at);
      if (character === char.backslash) at++;
      else if (character === char.backtick) {
        this.take(at + 1 - this.at, color.string);
        return this.leave();
      } else if (character === char.dollar && characterAt(at + 1) === char.openBrace) {
        this.take(at - this.at, color.string);
        this.take(2, color.operator);
        return this.enter('script');
      }
    }
    this.take(to - this.at, color.string);
  }
}

function wordColor(kind: number): number {
  return kind === beforeType || kind === value ? color.keyword : kind;
}
