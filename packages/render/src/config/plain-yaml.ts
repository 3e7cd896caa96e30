/**
 * Reads the YAML that front matter and API descriptions are mostly written in: mappings and lists in lines, plain, quoted
 * and block text, short lists and mappings in brackets. What is unusual (anchors, tags, tabs, several documents, any
 * mistake) it declines, and the caller asks the `yaml` package, which takes twenty times as long: 1.3 s for the
 * 2 MB of descriptions of one real site. The test beside holds it to the same values as that package.
 */
import {
  type Read,
  type Scalar,
  blockText,
  codes,
  decline,
  endOfLine,
  isGap,
  unlessDeclined,
  plainText,
  quotedText,
  resolvedPlain,
  startsPlain,
} from './plain-yaml-text.ts';
import type { JsonObject } from '../model/json.ts';

const maximumDepth = 60;
/** YAML wants the colon within 1,024 characters of where the key begins. */
const maximumKeyCharacters = 1000;

/** The mapping that the text is, or undefined when it is anything that this reader leaves to the full one. */
export function readPlainYaml(source: string): JsonObject | undefined {
  // oxlint-disable-next-line no-control-regex -- looking for them is the point
  if (/[\0-\u0009\u000B-\u001F\u007F\uFEFF]/.test(source)) return undefined;
  return unlessDeclined(() => new PlainReader(source).document());
}

class PlainReader {
  readonly #text: string;
  /** The first character of the line that is read next, and its column; the column is -1 after the last line. */
  #at = 0;
  #column = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonObject {
    const text = this.#text;
    this.#toLine(text.startsWith('---\n') ? 4 : 0);
    if (this.#column !== 0) return decline();
    const value = this.#mapping(0, this.#colonOfKey(this.#at));
    return this.#column < 0 ? value : decline();
  }

  /** To the first line from here on that is neither empty nor a comment. */
  #toLine(start: number): void {
    const text = this.#text;
    let lineStart = start;
    for (;;) {
      let at = lineStart;
      while (text.charCodeAt(at) === codes.space) at++;
      if (at >= text.length) {
        this.#column = -1;
        return;
      }
      const first = text.charCodeAt(at);
      if (first === codes.newline) lineStart = at + 1;
      else if (first === codes.hash) lineStart = endOfLine(text, at) + 1;
      else {
        this.#at = at;
        this.#column = at - lineStart;
        if (this.#column === 0 && (text.startsWith('---', at) || text.startsWith('...', at))) decline();
        return;
      }
    }
  }

  /** Where the colon stands behind the key that begins here; -1 when no key does. */
  #colonOfKey(start: number): number {
    const text = this.#text;
    const first = text.charCodeAt(start);
    if (first === codes.doubleQuote || first === codes.singleQuote) {
      const lineEnd = endOfLine(text, start);
      const { end } = quotedText(text, start, lineEnd);
      return end > 0 && text.charCodeAt(end) === codes.colon && isGap(text.charCodeAt(end + 1)) ? end : -1;
    }
    if (!startsPlain(text, start)) return -1;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === codes.colon && isGap(text.charCodeAt(at + 1))) return at;
      if (code === codes.newline || Number.isNaN(code)) return -1;
      if (code === codes.hash && text.charCodeAt(at - 1) === codes.space) return -1;
    }
  }

  #mapping(column: number, firstColon: number): JsonObject {
    if (++this.#depth > maximumDepth) decline();
    const value: Record<string, unknown> = {};
    let colon = firstColon;
    for (;;) {
      if (colon < 0) decline();
      const key = this.#key(this.#at, colon);
      value[key] = this.#valueAfter(colon + 1, column);
      if (this.#column !== column) break;
      colon = this.#colonOfKey(this.#at);
    }
    if (this.#column > column) decline();
    this.#depth--;
    return value;
  }

  #key(start: number, colon: number): string {
    const text = this.#text;
    const first = text.charCodeAt(start);
    if (colon - start > maximumKeyCharacters || text.charCodeAt(colon - 1) === codes.space) decline();
    const isQuoted = first === codes.doubleQuote || first === codes.singleQuote;
    return keyOf(isQuoted ? quotedText(text, start, colon).value : resolvedPlain(text.slice(start, colon)));
  }

  /** What a key or a dash is followed by: something on the same line, or lines that stand deeper. */
  #valueAfter(start: number, column: number): unknown {
    const text = this.#text;
    let at = start;
    while (text.charCodeAt(at) === codes.space) at++;
    const first = text.charCodeAt(at);
    if (first !== codes.newline && first !== codes.hash && at < text.length) return this.#inline(at, column);
    this.#toLine(endOfLine(text, at));
    if (this.#column > column) return this.#below(column);
    return this.#column === column && this.#isDash(this.#at) && !this.#isDash(start - 1)
      ? this.#list(column)
      : null;
  }

  /** The lines below a key or a dash, which stand deeper than it. */
  #below(column: number): unknown {
    if (this.#isDash(this.#at)) return this.#list(this.#column);
    const colon = this.#colonOfKey(this.#at);
    if (colon >= 0) return this.#mapping(this.#column, colon);
    const first = this.#text.charCodeAt(this.#at);
    return first === codes.pipe || first === codes.greater ? decline() : this.#inline(this.#at, column);
  }

  #isDash(at: number): boolean {
    return this.#text.charCodeAt(at) === codes.dash && isGap(this.#text.charCodeAt(at + 1));
  }

  #list(column: number): unknown[] {
    if (++this.#depth > maximumDepth) decline();
    const items: unknown[] = [];
    do items.push(this.#item(column));
    while (this.#column === column && this.#isDash(this.#at));
    if (this.#column > column) decline();
    this.#depth--;
    return items;
  }

  /** A mapping or another list may begin beside the dash: then its column is that of its first character. */
  #item(column: number): unknown {
    const text = this.#text;
    const dash = this.#at;
    let at = dash + 1;
    while (text.charCodeAt(at) === codes.space) at++;
    const inner = column + at - dash;
    if (this.#isDash(at)) {
      this.#at = at;
      this.#column = inner;
      return this.#list(inner);
    }
    const colon = this.#colonOfKey(at);
    if (colon < 0) return this.#valueAfter(dash + 1, column);
    this.#at = at;
    this.#column = inner;
    return this.#mapping(inner, colon);
  }

  /** A value that begins on the line of its key or dash; `column` is theirs. Goes on to the next line. */
  #inline(at: number, column: number): unknown {
    const text = this.#text;
    const first = text.charCodeAt(at);
    if (first === codes.pipe || first === codes.greater) return this.#next(blockText(text, at, column));
    if (first === codes.bracket || first === codes.brace) return this.#next(this.#flow(at, column));
    if (first === codes.doubleQuote || first === codes.singleQuote)
      return this.#next(quotedText(text, at, text.length, column));
    if (!startsPlain(text, at)) decline();
    return this.#next(plainText(text, at, column));
  }

  #next<Value>({ value, end }: Read<Value>): Value {
    const text = this.#text;
    let at = end;
    while (text.charCodeAt(at) === codes.space) at++;
    const code = text.charCodeAt(at);
    const isEnd = code === codes.newline || at >= text.length || text.charCodeAt(end - 1) === codes.newline;
    const isComment = code === codes.hash && at > end;
    if (!isEnd && !isComment) decline();
    this.#toLine(text.charCodeAt(end - 1) === codes.newline ? end : endOfLine(text, at));
    return value;
  }

  /** A list or mapping in brackets. */
  #flow(start: number, column: number): Read<unknown> {
    if (++this.#depth > maximumDepth) decline();
    const isList = this.#text.charCodeAt(start) === codes.bracket;
    const closing = isList ? codes.closingBracket : codes.closingBrace;
    const items: unknown[] = [];
    const value: Record<string, unknown> = {};
    let at = this.#flowGap(start + 1, column);
    while (this.#text.charCodeAt(at) !== closing) {
      const first = this.#flowValue(at, column, !isList);
      at = this.#flowGap(first.end, column);
      if (isList) items.push(first.value);
      else {
        if (this.#text.charCodeAt(at) !== codes.colon) decline();
        const second = this.#flowValue(this.#flowGap(at + 1, column), column, false);
        value[keyOf(first.value as Scalar)] = second.value;
        at = this.#flowGap(second.end, column);
      }
      if (this.#text.charCodeAt(at) === codes.comma) at = this.#flowGap(at + 1, column);
      else if (this.#text.charCodeAt(at) !== closing) decline();
    }
    this.#depth--;
    return { value: isList ? items : value, end: at + 1 };
  }

  #flowGap(start: number, column: number): number {
    const text = this.#text;
    let at = start;
    for (let lineStart = -1; ; at++) {
      const code = text.charCodeAt(at);
      if (code === codes.newline) lineStart = at + 1;
      else if (code !== codes.space) {
        const isClosing = code === codes.closingBracket || code === codes.closingBrace;
        if (lineStart >= 0 && at - lineStart < (isClosing ? column : column + 1)) decline();
        return at;
      }
    }
  }

  #flowValue(at: number, column: number, isKey: boolean): Read<unknown> {
    const text = this.#text;
    const first = text.charCodeAt(at);
    if (first === codes.doubleQuote || first === codes.singleQuote) {
      const read = quotedText(text, at, endOfLine(text, at));
      return read.end < 0 ? decline() : read;
    }
    if (first === codes.bracket || first === codes.brace) return isKey ? decline() : this.#flow(at, column);
    if (!startsPlain(text, at)) decline();
    let end = at;
    while (!isFlowEnd(text, end)) end++;
    const isKeyEnd = text.charCodeAt(end) === codes.colon;
    if (isKeyEnd !== isKey) decline();
    return { value: resolvedPlain(text.slice(at, end).trimEnd()), end };
  }
}

/** Keys are text, whatever they are written as. */
function keyOf(value: Scalar): string {
  const key = value === null ? '' : String(value);
  return key === '__proto__' || key === '<<' ? decline() : key;
}

function isFlowEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === codes.colon) {
    const next = text.charCodeAt(at + 1);
    return isGap(next) || (isFlowIndicator(next) && decline());
  }
  if (code === codes.hash) return text.charCodeAt(at - 1) === codes.space ? decline() : false;
  return isFlowIndicator(code) || code === codes.newline || Number.isNaN(code);
}

function isFlowIndicator(code: number): boolean {
  return (
    code === codes.comma ||
    code === codes.closingBracket ||
    code === codes.closingBrace ||
    code === codes.bracket ||
    code === codes.brace
  );
}
