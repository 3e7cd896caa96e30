import { char, isCapital, isDigit, isWord, skipSpace, type Words } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';
import { isLineStart, typesEnd } from './script-lookahead.ts';
import { Script, scriptWords, typedWords } from './script.ts';

export const javascript: Lexer = (code, from, to) => new Elements(code, from, to, scriptWords, false).run();
export const typescript: Lexer = (code, from, to) => new Elements(code, from, to, typedWords, false).run();
export const jsx: Lexer = (code, from, to) => new Elements(code, from, to, scriptWords, true).run();
export const tsx: Lexer = (code, from, to) => new Elements(code, from, to, typedWords, true).run();

class Elements extends Script {
  private readonly hasElements: boolean;
  private closings: ReadonlyMap<string, number> | undefined;
  private tagName = '';

  constructor(code: string, from: number, to: number, words: Words, isJsx: boolean) {
    super(code, from, to, words);
    const own = code.slice(from, to);
    this.hasElements = isJsx || own.includes('</') || own.includes('/>');
  }

  protected override readElement(): void {
    if (this.mode === 'tag') this.readTag();
    else this.readChildren();
  }

  /** After a value `<` compares, unless it begins a line. `<T,>` and `<T extends` are types. */
  protected override isTag(): boolean {
    if (!this.hasElements) return false;
    const { code, at, to } = this;
    const first = characterAt(at + 1);
    if (first === char.slash) return isNamePart(characterAt(at + 2)) || characterAt(at + 2) === char.greater;
    if (first !== char.greater && (!isWord(first) || isDigit(first))) return false;
    if (this.mode === 'script' && this.afterValue && !isLineStart(at)) return false;
    const next = skipSpace(nameEnd(at + 1, to), to);
    return characterAt(next) !== char.comma && !(this.isTyped && code.startsWith('extends ', next));
  }

  protected override openTag(): void {
    const { code, at, to } = this;
    const isClosing = characterAt(at + 1) === char.slash;
    if (isClosing && this.mode === 'children') this.leave();
    this.enter('tag');
    this.take(isClosing ? 2 : 1, color.operator);
    const end = nameEnd(this.at, to);
    this.tagName = isClosing ? '/' : code.slice(this.at, end);
    paintTagName(this.at, end);
    this.at = characterAt(end) === char.less && this.isTyped ? typesEnd(end, to) || end : end;
    paint(end, this.at, color.type);
  }

  private readTag(): void {
    const { to } = this;
    while (this.at < to) {
      const { at } = this;
      const character = characterAt(at);
      if (isWord(character)) this.take(nameEnd(at, to) - at, color.property);
      else if (character === char.greater) return this.endTag();
      else if (character === char.slash && characterAt(at + 1) === char.greater) {
        this.take(2, color.operator);
        return this.leave();
      } else if (character === char.slash) this.readSlash();
      else if (character === char.openBrace) {
        this.enter('script');
        return this.take(1, color.operator);
      } else if (character === char.doubleQuote || character === char.singleQuote)
        this.readAttribute(character);
      else if (character === char.less) return this.leave();
      else this.take(1, character === char.equals ? color.operator : color.plain);
    }
  }

  private endTag(): void {
    const name = this.tagName;
    this.take(1, color.operator);
    this.leave();
    this.closings ??= lastClosings(this.code, this.at, this.to);
    if (name !== '/' && name !== 'script' && (this.closings.get(name) ?? -1) >= this.at)
      this.enter('children');
  }

  private readAttribute(quote: number): void {
    const { code, at, to } = this;
    const end = code.indexOf(quote === char.doubleQuote ? '"' : "'", at + 1);
    if (end < 0 || end >= to) return this.take(1, color.plain);
    paint(at, end + 1, color.operator);
    paint(at + 1, end, color.string);
    this.at = end + 1;
  }

  private readChildren(): void {
    const { to } = this;
    for (; this.at < to; this.at++) {
      const character = characterAt(this.at);
      if (character === char.openBrace) {
        this.enter('script');
        return this.take(1, color.operator);
      }
      if (character === char.less && this.isTag()) return this.openTag();
    }
  }
}

function isNamePart(character: number): boolean {
  return isWord(character) || character === char.minus || character === char.dot || character === char.colon;
}

function nameEnd(from: number, to: number): number {
  let at = from;
  while (at < to && isNamePart(characterAt(at))) at++;
  return at;
}

function paintTagName(from: number, to: number): void {
  paint(from, to, isCapital(characterAt(from)) ? color.type : color.tag);
}

/** The last closing tag of each element. An element that is never closed has no content. */
function lastClosings(code: string, from: number, to: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const match of code.slice(from, to).matchAll(/<\/([\w.:$-]*)/g))
    places.set(match[1] ?? '', from + match.index);
  return places;
}
