/** Edits the source of a page by position: cut, replace, indent. */
import type { Node } from '../document/tree.ts';

export interface Edit {
  start: number;
  end: number;
  text: string;
}

export function startOf(node: Node): number {
  return node.position?.start.offset ?? 0;
}

export function endOf(node: Node): number {
  return node.position?.end?.offset ?? startOf(node);
}

/** Edits must be in order; an edit inside another is dropped. */
export function edited(text: string, edits: readonly Edit[], from: number, to: number): string {
  let result = '';
  let at = from;
  for (const edit of edits) {
    if (edit.start < at || edit.end > to) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, to);
}

/** A node that occupies complete lines is removed with them and the blank lines that follow. */
export function removal(text: string, node: Node): Edit {
  const start = startOf(node);
  let end = endOf(node);
  if (text[end - 1] === '\n') end -= 1;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isFirst = text.slice(lineStart, start).trim() === '';
  const rest = restOfLine(text, end);
  const isLast = text.slice(end, rest).trim() === '';
  if (!isFirst || !isLast) {
    const spaced = text[start - 1] === ' ' && (isLast || text[end] === ' ');
    return { start: spaced ? start - 1 : start, end, text: '' };
  }
  end = Math.min(text.length, rest + 1);
  for (let next = restOfLine(text, end); end < text.length; next = restOfLine(text, end)) {
    if (text.slice(end, next).trim() !== '') break;
    end = Math.min(text.length, next + 1);
  }
  return { start: lineStart, end, text: '' };
}

function restOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

export function replacement(text: string, node: Node, lines: string): Edit {
  if (lines === '') return removal(text, node);
  const start = startOf(node);
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const indent = /^[\s>*+\d.)-]*$/.test(before) ? before.replaceAll(/[^\s>]/g, ' ') : '';
  return { start, end: endOf(node), text: indented(lines, indent) };
}

function indented(lines: string, indent: string): string {
  if (indent === '' || !lines.includes('\n')) return lines;
  return lines
    .split('\n')
    .map((line, index) => (index === 0 ? line : line === '' ? indent.trimEnd() : indent + line))
    .join('\n');
}

/** Removes the indentation of all lines but the first, which begins where its node does. */
export function outdented(lines: string, column: number): string {
  if (column <= 1 || !lines.includes('\n')) return lines;
  return lines.replaceAll(new RegExp(`\\n[ \\t>]{1,${Math.min(column - 1, 200)}}`, 'g'), '\n');
}

/** Skips `>` in strings and expressions. */
export function endOfTag(text: string, start: number): number | undefined {
  let quote = '';
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote) {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'" || character === '`') quote = character;
    else if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '>' && depth === 0) return at + 1;
  }
  return undefined;
}
