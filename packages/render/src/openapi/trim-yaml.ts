/**
 * JSON data as YAML text. A writer of our own because the general one took 8 ms for an average operation and 280 ms
 * for a large one, longer than all else on its page; ours leaves anchors, tags and comments out and so has little to do.
 */
import { asObject } from '../config/json.ts';

export function yamlText(value: unknown): string {
  const lines: string[] = [];
  const inline = typeof value === 'string' ? scalarText(value) : inlineText(value);
  if (inline === undefined) writeBlock(lines, value, '');
  else lines.push(inline);
  return `${lines.join('\n')}\n`;
}

/** One entry of a mapping, with the lines below it, as it stands at this indentation. */
export function yamlEntry(key: string, value: unknown, indent: string): string {
  const lines: string[] = [];
  writeItem(lines, `${indent}${scalarText(key)}:`, value, `${indent}  `, false);
  return `${lines.join('\n')}\n`;
}

/** The line of a mapping that entries stand below. */
export function yamlHeading(key: string, indent: string): string {
  return `${indent}${scalarText(key)}:\n`;
}

function writeBlock(lines: string[], value: unknown, indent: string): void {
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) writeItem(lines, `${indent}-`, item, `${indent}  `, true);
    return;
  }
  for (const [key, item] of Object.entries(asObject(value) ?? {})) {
    writeItem(lines, `${indent}${scalarText(key)}:`, item, `${indent}  `, false);
  }
}

/** `lead` is what stands before the value on its line: a dash, or a key with its colon. */
function writeItem(lines: string[], lead: string, value: unknown, indent: string, isListed: boolean): void {
  const inline = inlineText(value);
  if (inline !== undefined) lines.push(`${lead} ${inline}`);
  else if (typeof value === 'string') {
    lines.push(`${lead} |${value.endsWith('\n') ? '' : '-'}`);
    for (const line of value.replace(/\n$/, '').split('\n')) lines.push(line === '' ? '' : indent + line);
  } else if (isListed) {
    // The first line of what is listed stands beside its dash.
    const first = lines.length;
    writeBlock(lines, value, indent);
    lines[first] = `${lead} ${(lines[first] ?? '').slice(indent.length)}`;
  } else {
    lines.push(lead);
    writeBlock(lines, value, indent);
  }
}

/** The value on one line; undefined when it needs several. */
function inlineText(value: unknown): string | undefined {
  if (typeof value === 'string') return isBlockText(value) ? undefined : scalarText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : undefined;
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

/** Several lines that a literal block can hold as they are. */
function isBlockText(text: string): boolean {
  return (
    text.includes('\n') &&
    !/^[\s]|\n\n$|[^\n\x20-\x7E\u00A1-\u2027\u2030-\uD7FF\u{10000}-\u{10FFFF}]/u.test(text)
  );
}

/** Plain when nothing in it could be taken for anything but text; JSON's quotes otherwise. */
function scalarText(text: string): string {
  const isPlain = text.length <= 2000 && PLAIN.test(text);
  return isPlain && !RESERVED.test(text)
    ? text
    : JSON.stringify(text).replaceAll(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, escaped);
}

const PLAIN =
  /^(?=[A-Za-z_/$(])(?:[\w/.,;(){}'"+=<>$%?!*~^|&-]|:(?=[\w/])| (?=[\w/.,;(){}'"+=<>$%?!*~^|&-]))+$/;

/** Words that some version of YAML reads as a truth value, nothing, or a number. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf|\.nan|\.inf)$/i;

function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
