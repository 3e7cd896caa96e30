/**
 * Parses both sides of a redirect: fixed text, `:name` for one segment, `:name*` and `*` for the rest. All text
 * that enters a server configuration is validated or encoded here.
 */
import { percentDecode } from '../text/percent-decode.ts';
import { splitSuffix } from './addresses.ts';

export type PatternPart = { text: string } | { name: string; rest: boolean };
export type Pattern = readonly PatternPart[];

/** Many adjacent placeholders cause excessive backtracking in servers. */
const maxPlaceholders = 4;
const maxCharacters = 500;
const maxSegmentBytes = 200;

/** Characters without special meaning in server configurations, quotes and regular expressions. */
const plainPath = /^(?:[\w .~/@+,!&=()'-]|[^\p{ASCII}\p{C}\p{Z}]|\u{200d})*$/u;

/** Undefined when the source has no safe representation. */
export function parseSource(source: string): Pattern | undefined {
  const path = `/${percentDecode(source.trim())
    .normalize('NFC')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/^\//, '')
    .replace(/\/$/, '')}`;
  if (path.length > maxCharacters) return undefined;
  const parts = partsOf(path.replace(/\.html$/, ''));
  const rests = parts.filter((part) => 'name' in part && part.rest).length;
  const names = parts.flatMap((part) => ('name' in part ? part.name : []));
  const fixed = parts.map((part) => ('text' in part ? part.text : 'x')).join('');
  const segments = fixed.split('/').slice(1);
  const usable =
    rests <= 1 &&
    names.length <= maxPlaceholders &&
    new Set(names).size === names.length &&
    plainPath.test(fixed) &&
    segments.every((part) => part !== '.' && part !== '..' && Buffer.byteLength(part) <= maxSegmentBytes);
  return usable ? parts : undefined;
}

/** A site path or URL, encoded so that it is safe between quotes. */
export function parseDestination(destination: string): Pattern | undefined {
  const text = destination.trim();
  if (text.length > maxCharacters) return undefined;
  const outside = /^(?:https?:)?\/\/([^/?#]*)/i.exec(text);
  if (outside) {
    if (!/^[\p{L}\p{N}.-]+(?::\d{1,5})?$/u.test(outside[1] ?? '')) return undefined;
    return partsOf(text.startsWith('//') ? `https:${text}` : text).map(encodedPart);
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return undefined;
  return partsOf(`/${text.replace(/^[/\\]+/, '')}`).map(encodedPart);
}

export function isOutside(destination: Pattern): boolean {
  const [first] = destination;
  return first !== undefined && 'text' in first && /^https?:/i.test(first.text);
}

export function isFixed(pattern: Pattern): boolean {
  return pattern.every((part) => 'text' in part);
}

export function fill(pattern: Pattern, value: (name: string) => string): string {
  return pattern.map((part) => ('text' in part ? part.text : value(part.name))).join('');
}

export function fixedStart(pattern: Pattern): string {
  const [first] = pattern;
  return first !== undefined && 'text' in first ? first.text : '';
}

/**
 * A regular expression for JavaScript, nginx and Go. A placeholder value enters a Location header, so it
 * matches no control character or backslash and cannot start with a slash: `//host` would redirect to another
 * site.
 */
export function expressionOf(pattern: Pattern, base = ''): string {
  let expression = escaped(base);
  pattern.forEach((part, index) => {
    if ('text' in part) {
      const next = pattern[index + 1];
      const last = index + 2 === pattern.length;
      const folder = part.text.endsWith('/') && next !== undefined && 'name' in next && next.rest && last;
      expression += escaped(folder ? part.text.slice(0, -1) : part.text);
      if (folder) expression += `(?:/${restOfPath})?`;
    } else if (!part.rest) expression += '([^/\\\\\\x00-\\x20\\x7f]+)';
    else if (!expression.endsWith(`(?:/${restOfPath})?`)) expression += restOfPath;
  });
  return `^${expression}$`;
}

const restOfPath = '((?:[^/\\\\\\x00-\\x20\\x7f][^\\\\\\x00-\\x20\\x7f]*)?)';

export function matcherOf(pattern: Pattern): (path: string) => Map<string, string> | undefined {
  const expression = new RegExp(expressionOf(pattern));
  const names = namesOf(pattern);
  return (path) => {
    const match = expression.exec(path);
    return match ? new Map(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined;
  };
}

/** In the order of the expression's groups. */
export function namesOf(pattern: Pattern): string[] {
  return pattern.flatMap((part) => ('name' in part ? part.name : []));
}

/** Matches the paths that a destination can produce. */
export function pathPattern(source: Pattern, destination: Pattern): Pattern {
  const end = destination.findIndex((part) => 'text' in part && /[?#]/.test(part.text));
  return destination.slice(0, end < 0 ? undefined : end + 1).map((part) => {
    if ('text' in part) return { text: percentDecode(splitSuffix(part.text)[0]) };
    return source.find((one) => 'name' in one && one.name === part.name) ?? part;
  });
}

/** Existing percent-encoding is preserved. */
export function encodeAddress(text: string): string {
  return text.replaceAll(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~/?#@!&=+,:%]/gu, (character) =>
    [...new TextEncoder().encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

function partsOf(text: string): PatternPart[] {
  const parts: PatternPart[] = [];
  let at = 0;
  for (const match of text.matchAll(/:([A-Za-z]\w*)(\*)?|\*/g)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    parts.push({ name: match[1] ?? '*', rest: match[1] === undefined || match[2] !== undefined });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

function encodedPart(part: PatternPart): PatternPart {
  return 'text' in part ? { text: encodeAddress(part.text) } : part;
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
