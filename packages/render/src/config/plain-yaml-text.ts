/**
 * The text of plain YAML: unquoted, quoted and block text, and what unquoted text means. Each answers the value and
 * where it ends, and declines what is unusual; see plain-yaml.ts.
 */
export interface Read<Value> {
  value: Value;
  /** The place behind it. */
  end: number;
}

export type Scalar = string | number | boolean | null;

export const codes = {
  newline: 10,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  singleQuote: 39,
  plus: 43,
  comma: 44,
  dash: 45,
  colon: 58,
  greater: 62,
  bracket: 91,
  backslash: 92,
  closingBracket: 93,
  brace: 123,
  pipe: 124,
  closingBrace: 125,
} as const;

const declined = new Error('this is left to the full reader of YAML');

export function decline(): never {
  throw declined;
}

/** Undefined when the work was declined somewhere inside. */
export function unlessDeclined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error === declined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** A space, the end of a line, or the end of the text. */
export function isGap(code: number): boolean {
  return code === codes.space || code === codes.newline || Number.isNaN(code);
}

/** Whether text without quotes may begin here; every sign that YAML gives a meaning to is left to the full reader. */
export function startsPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === codes.dash) return !isGap(text.charCodeAt(at + 1));
  return !isGap(code) && !indicators.includes(text.charAt(at));
}

const indicators = '?:,[]{}#&*!|>\'"%@`';

/** Text without quotes, with the lines that go on with it: those that stand deeper than `column`. */
export function plainText(text: string, start: number, column: number): Read<Scalar> {
  const first = plainLine(text, start);
  let end = first.end;
  let value = text.slice(start, end);
  let at = endOfLine(text, end);
  if (first.hasComment) return { value: resolvedPlain(value), end };
  for (;;) {
    let newlines = 0;
    let next = at;
    let lineStart = at;
    for (; ; next++) {
      const code = text.charCodeAt(next);
      if (code === codes.newline) {
        newlines++;
        lineStart = next + 1;
      } else if (code !== codes.space) break;
    }
    const isMore = next < text.length && next - lineStart > column && text.charCodeAt(next) !== codes.hash;
    if (!isMore) return { value: resolvedPlain(value), end };
    const line = plainLine(text, next);
    if (line.hasComment) decline();
    end = line.end;
    value += (newlines === 1 ? ' ' : '\n'.repeat(newlines - 1)) + text.slice(next, end);
    at = endOfLine(text, end);
  }
}

/** Up to the comment or the end of the line, without the spaces before it. A colon that would make it a key is a mistake. */
function plainLine(text: string, start: number): { end: number; hasComment: boolean } {
  let at = start;
  let hasComment = false;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (code === codes.newline || Number.isNaN(code)) break;
    if (code === codes.colon && isGap(text.charCodeAt(at + 1))) decline();
    if (code === codes.hash && text.charCodeAt(at - 1) === codes.space) {
      hasComment = true;
      break;
    }
  }
  while (text.charCodeAt(at - 1) === codes.space) at--;
  return { end: at, hasComment };
}

/** What text without quotes means in YAML 1.2. */
export function resolvedPlain(text: string): Scalar {
  const first = text.charCodeAt(0);
  // Digits, and the signs and dots that numbers may begin with.
  const isNumeric = first >= 43 && first <= 57 && first !== codes.comma;
  if (isNumeric) return resolvedNumber(text);
  const word = words.get(text);
  return word === undefined ? text : word;
}

const words = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

function resolvedNumber(text: string): Scalar {
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text);
  return /^(?:0[ox][\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text) ? decline() : text;
}

/**
 * Text in quotes. It ends before `limit`, or `end` is -1; with a column it may go on in the lines below that stand deeper
 * than that.
 */
export function quotedText(text: string, start: number, limit: number, column?: number): Read<string> {
  const quote = text.charCodeAt(start);
  let isEscaped = false;
  let at = start + 1;
  for (; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === codes.newline && column === undefined) return unfinished;
    if (code === codes.backslash && quote === codes.doubleQuote) {
      isEscaped = true;
      at++;
      if (text.charCodeAt(at) === codes.newline) decline();
    } else if (code === quote) {
      if (quote === codes.doubleQuote || text.charCodeAt(at + 1) !== quote) break;
      isEscaped = true;
      at++;
    }
  }
  if (at >= limit) return column === undefined ? unfinished : decline();
  const inner = text.slice(start + 1, at);
  const value = column !== undefined && inner.includes('\n') ? folded(inner, column) : inner;
  return { value: isEscaped ? unescaped(value, quote) : value, end: at + 1 };
}

const unfinished: Read<string> = { value: '', end: -1 };

/** Escapes that JSON does not know are declined: it throws then. */
function unescaped(text: string, quote: number): string {
  return quote === codes.doubleQuote ? (JSON.parse(`"${text}"`) as string) : text.replaceAll("''", "'");
}

/** The lines of quoted text as one: an end of line is a space, empty lines are ends of lines. */
function folded(text: string, column: number): string {
  const lines = text.split('\n');
  let value = withoutSpaces(lines[0] ?? '', false);
  let newlines = 0;
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const isLast = index === lines.length - 1;
    const content = isLast ? line.slice(spacesBefore(line)) : withoutSpaces(line, true);
    newlines++;
    if (content === '' && !isLast) continue;
    if (spacesBefore(line) <= column) decline();
    value += (newlines === 1 ? ' ' : '\n'.repeat(newlines - 1)) + content;
    newlines = 0;
  }
  return value;
}

function spacesBefore(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === codes.space) at++;
  return at;
}

function withoutSpaces(line: string, alsoBefore: boolean): string {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === codes.space) end--;
  return line.slice(alsoBefore ? Math.min(end, spacesBefore(line)) : 0, end);
}

/** Text in the lines below `|` or `>`. Ends at the start of the line that is no part of it. */
export function blockText(text: string, start: number, column: number): Read<string> {
  const isFolded = text.charCodeAt(start) === codes.greater;
  const isStripped = text.charCodeAt(start + 1) === codes.dash;
  let at = start + (isStripped ? 2 : 1);
  while (text.charCodeAt(at) === codes.space) at++;
  if (at < text.length && text.charCodeAt(at) !== codes.newline) decline();
  at++;
  const lines: string[] = [];
  /** The column that the text stands in: that of its first line. */
  let own = -1;
  let longestBlank = 0;
  let contentLines = 0;
  while (at < text.length) {
    let first = at;
    while (text.charCodeAt(first) === codes.space) first++;
    const spaces = first - at;
    const lineEnd = endOfLine(text, first);
    if (first === lineEnd) {
      longestBlank = Math.max(longestBlank, spaces);
      lines.push('');
    } else {
      if (spaces <= column) break;
      if (own < 0) own = spaces;
      if (spaces < own) decline();
      lines.push(text.slice(at + own, lineEnd));
      contentLines = lines.length;
    }
    at = lineEnd + 1;
  }
  // Spaces in empty lines count only where they stand out.
  if (longestBlank > Math.max(own, column)) decline();
  const content = lines.slice(0, contentLines);
  const value = isFolded ? foldedBlock(content) : content.join('\n');
  return { value: contentLines === 0 || isStripped ? value : `${value}\n`, end: at };
}

/** Lines become one, except beside empty ones and those that begin with a space. */
function foldedBlock(lines: readonly string[]): string {
  let value = '';
  let separator = '';
  let isAfterDeeper = false;
  let hasBegun = false;
  for (const line of lines) {
    if (!hasBegun && line === '') {
      value += '\n';
      continue;
    }
    hasBegun = true;
    if (line.charCodeAt(0) === codes.space) {
      if (separator === ' ') separator = '\n';
      else if (!isAfterDeeper && separator === '\n') separator = '\n\n';
      value += separator + line;
      separator = '\n';
      isAfterDeeper = true;
    } else if (line === '') {
      if (separator === '\n') value += '\n';
      else separator = '\n';
    } else {
      value += separator + line;
      separator = ' ';
      isAfterDeeper = false;
    }
  }
  return value;
}
