/**
 * Formats text and JSON values as literals of programming languages. Untrusted text must not escape its quotes.
 */
import { asObject } from '../config/json.ts';

/** PHP and Ruby: only the backslash and the quote are special. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** PowerShell doubles quotes and also treats curly quotes as quotes. */
export function powershellQuoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`;
}

/** JSON escapes: JavaScript, Python, Go, Java, C#. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** Kotlin and Dart: `$` starts an expression. */
export function dollarQuoted(text: string): string {
  return unicodeQuoted(text, (code) => String.raw`\u${code.padStart(4, '0')}`).replaceAll(
    '$',
    String.raw`\$`,
  );
}

/** Swift and Rust: `\u{…}` escapes. */
export function bracedQuoted(text: string): string {
  return unicodeQuoted(text, (code) => String.raw`\u{${code}}`);
}

/** C: octal escapes have a fixed length; hexadecimal escapes would consume following digits. */
export function octalQuoted(text: string): string {
  return unicodeQuoted(
    text,
    (code) => `\\${Number.parseInt(code, 16).toString(8).padStart(3, '0')}`,
  ).replaceAll('??', String.raw`?\?`);
}

function unicodeQuoted(text: string, escape: (hexadecimal: string) => string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(/[\u0000-\u001F\u007F]/g, (character) => escape(character.charCodeAt(0).toString(16)));
  return `"${escaped}"`;
}

export interface LiteralStyle {
  text: (text: string) => string;
  true: string;
  false: string;
  null: string;
  list: readonly [open: string, close: string];
  map: readonly [open: string, close: string];
  pair: string;
  /** The literal of an empty object, when it differs from an empty map. */
  emptyMap?: string;
  indent: string;
}

export const PYTHON: LiteralStyle = {
  text: doubleQuoted,
  true: 'True',
  false: 'False',
  null: 'None',
  list: ['[', ']'],
  map: ['{', '}'],
  pair: ': ',
  indent: '    ',
};
export const JAVASCRIPT: LiteralStyle = {
  text: doubleQuoted,
  true: 'true',
  false: 'false',
  null: 'null',
  list: ['[', ']'],
  map: ['{', '}'],
  pair: ': ',
  indent: '  ',
};
export const PHP: LiteralStyle = {
  text: singleQuoted,
  true: 'true',
  false: 'false',
  null: 'null',
  list: ['[', ']'],
  map: ['[', ']'],
  pair: ' => ',
  emptyMap: '(object) []',
  indent: '  ',
};
export const DART: LiteralStyle = { ...JAVASCRIPT, text: dollarQuoted };

export function literal(value: unknown, style: LiteralStyle, margin = ''): string {
  if (value === null || value === undefined) return style.null;
  if (typeof value === 'boolean') return value ? style.true : style.false;
  if (typeof value === 'string') return style.text(value);
  const inner = margin + style.indent;
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + literal(item, style, inner));
    return wrapped(items, style.list, margin);
  }
  const object = asObject(value);
  if (!object) return JSON.stringify(value);
  const pairs = Object.entries(object).map(
    ([key, item]) => `${inner}${style.text(key)}${style.pair}${literal(item, style, inner)}`,
  );
  return pairs.length === 0 && style.emptyMap !== undefined
    ? style.emptyMap
    : wrapped(pairs, style.map, margin);
}

function wrapped(lines: string[], [open, close]: readonly [string, string], margin: string): string {
  return lines.length === 0 ? open + close : `${open}\n${lines.join(',\n')}\n${margin}${close}`;
}

export function indented(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}`);
}
