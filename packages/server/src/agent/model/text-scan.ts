/** Finds JSON values, tags and fenced blocks in the text of an answer, each in one pass. */
import { parsedJson } from './json-fields.ts';

const maxDepth = 100;

/** Reads the object or array that starts at `at`. Line breaks inside its strings are accepted. */
export function jsonAt(text: string, at: number): { value: unknown; end: number } | undefined {
  if (text[at] !== '{' && text[at] !== '[') return undefined;
  let depth = 0;
  let isString = false;
  for (let place = at; place < text.length; place++) {
    const character = text[place];
    if (isString) {
      if (character === '\\') place++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > maxDepth) return undefined;
    if (depth === 0) {
      const end = place + 1;
      const source = text.slice(at, end);
      const value = parsedJson(source) ?? parsedJson(withEscapedBreaks(source));
      return value === undefined ? undefined : { value, end };
    }
  }
  return undefined;
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Models write line breaks in strings that JSON requires to be escaped. */
function withEscapedBreaks(source: string): string {
  let isString = false;
  let isEscaped = false;
  return Array.from(source, (character) => {
    const wasString = isString;
    if (character === '"' && !isEscaped) isString = !isString;
    isEscaped = isString && character === '\\' && !isEscaped;
    return wasString ? (escapes[character] ?? character) : character;
  }).join('');
}

export function skipSpace(text: string, at: number): number {
  let place = at;
  while (place < text.length && ' \n\r\t'.includes(text[place] ?? '-')) place++;
  return place;
}

/** The end of a closing tag that follows; `at` if it is missing. */
export function closedTag(text: string, at: number, tag: string): number {
  const start = skipSpace(text, at);
  return text.startsWith(tag, start) ? start + tag.length : at;
}

export interface Fence {
  start: number;
  end: number;
  language: string;
  content: string;
}

export function fencesIn(text: string, from = 0): Fence[] {
  const fences: Fence[] = [];
  let open: { start: number; content: number; mark: string; language: string } | undefined;
  for (let start = from; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, end).trim();
    if (!open) {
      const mark = markOf(line);
      if (mark !== '') open = { start, content: end, mark, language: line.slice(mark.length).trim() };
    } else if (markOf(line) === line && line.startsWith(open.mark)) {
      const { language, content } = open;
      fences.push({ start: open.start, end, language, content: text.slice(content, start) });
      open = undefined;
    }
    start = end;
  }
  if (open) {
    const { start, content, language } = open;
    fences.push({ start, end: text.length, language, content: text.slice(content) });
  }
  return fences;
}

/** The three or more backticks or tildes at the start of a line. */
function markOf(line: string): string {
  const [first = ''] = line;
  if (first !== '`' && first !== '~') return '';
  let length = 1;
  while (line[length] === first) length++;
  return length < 3 ? '' : line.slice(0, length);
}

/** Whether a place after `from` is outside of the fenced blocks that start there. */
export function outsideFences(text: string, from = 0): (at: number) => boolean {
  const fences = fencesIn(text, from);
  return (at) => !fences.some(({ start, end }) => start <= at && at < end);
}
