/**
 * Writes JSON data as YAML. It needs no anchors, tags or comments, which makes it much faster than a general
 * YAML library.
 */
import { asObject } from '../config/json.ts';

export function yamlText(value: unknown): string {
  const lines: string[] = [];
  const inline = typeof value === 'string' ? scalarText(value) : inlineText(value);
  if (inline === undefined) writeBlock(lines, value, '');
  else lines.push(inline);
  return `${lines.join('\n')}\n`;
}

export function yamlEntry(key: string, value: unknown, indent: string): string {
  const lines: string[] = [];
  writeItem(lines, `${indent}${scalarText(key)}:`, value, `${indent}  `, false);
  return `${lines.join('\n')}\n`;
}

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

/** `lead` precedes the value on its line: a dash, or a key with its colon. */
function writeItem(lines: string[], lead: string, value: unknown, indent: string, isListed: boolean): void {
  const inline = inlineText(value);
  if (inline !== undefined) lines.push(`${lead} ${inline}`);
  else if (typeof value === 'string') {
    lines.push(`${lead} |${value.endsWith('\n') ? '' : '-'}`);
    for (const line of value.replace(/\n$/, '').split('\n')) lines.push(line === '' ? '' : indent + line);
  } else if (isListed) {
    const first = lines.length;
    writeBlock(lines, value, indent);
    lines[first] = `${lead} ${(lines[first] ?? '').slice(indent.length)}`;
  } else {
    lines.push(lead);
    writeBlock(lines, value, indent);
  }
}

function inlineText(value: unknown): string | undefined {
  if (typeof value === 'string') return isBlockText(value) ? undefined : scalarText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : undefined;
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

function isBlockText(text: string): boolean {
  return (
    text.includes('\n') &&
    !/^[\s]|\n\n$|[^\n\x20-\x7E\u00A1-\u2027\u2030-\uD7FF\u{10000}-\u{10FFFF}]/u.test(text)
  );
}

/** Plain when unambiguous, else a JSON string. */
function scalarText(text: string): string {
  const isPlain = text.length <= 2000 && PLAIN.test(text);
  return isPlain && !RESERVED.test(text)
    ? text
    : JSON.stringify(text).replaceAll(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, escaped);
}

const PLAIN =
  /^(?=[A-Za-z_/$(])(?:[\w/.,;(){}'"+=<>$%?!*~^|&-]|:(?=[\w/])| (?=[\w/.,;(){}'"+=<>$%?!*~^|&-]))+$/;

/** Words that some YAML version reads as a boolean, null or number. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf|\.nan|\.inf)$/i;

function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
