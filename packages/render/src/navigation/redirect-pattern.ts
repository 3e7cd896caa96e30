/**
 * The two sides of a redirect as parts: fixed text, `:name` for one segment, `:name*` and `*` for the rest. Everything
 * that later stands in a server's configuration is checked or encoded here, so that those who write it need not.
 */
export type PatternPart = { text: string } | { name: string; rest: boolean };
export type Pattern = readonly PatternPart[];

/** More than one of these in a row would let a server's matching go wrong, and no site needs them. */
const mostPlaceholders = 4;
const mostCharacters = 500;
const mostSegmentBytes = 200;

/** Characters that mean nothing in any configuration, in quotes or in regular expressions. */
const plainPath = /^(?:[\w .~/@+,!&=()'-]|[^\p{ASCII}\p{C}\p{Z}]|\u{200d})*$/u;

/** A source from the root: `/old/:slug*`. Undefined when no server could be told of it safely. */
export function parseSource(source: string): Pattern | undefined {
  const path = `/${decoded(source)
    .normalize('NFC')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/^\//, '')
    .replace(/\/$/, '')}`;
  if (path.length > mostCharacters) return undefined;
  const parts = partsOf(path.replace(/\.html$/, ''));
  const rests = parts.filter((part) => 'name' in part && part.rest).length;
  const names = parts.flatMap((part) => ('name' in part ? part.name : []));
  const fixed = parts.map((part) => ('text' in part ? part.text : 'x')).join('');
  const segments = fixed.split('/').slice(1);
  const usable =
    rests <= 1 &&
    names.length <= mostPlaceholders &&
    new Set(names).size === names.length &&
    plainPath.test(fixed) &&
    segments.every((part) => part !== '.' && part !== '..' && Buffer.byteLength(part) <= mostSegmentBytes);
  return usable ? parts : undefined;
}

/** A path of the site or an address of the web, in a form that is safe between quotes anywhere. */
export function parseDestination(destination: string): Pattern | undefined {
  const text = destination.trim();
  if (text.length > mostCharacters) return undefined;
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

/** The text of a pattern, with what `value` says in place of each placeholder. */
export function fill(pattern: Pattern, value: (name: string) => string): string {
  return pattern.map((part) => ('text' in part ? part.text : value(part.name))).join('');
}

/** The part before the first placeholder. */
export function fixedStart(pattern: Pattern): string {
  const [first] = pattern;
  return first !== undefined && 'text' in first ? first.text : '';
}

/**
 * One expression for JavaScript, nginx and Go alike. What a placeholder takes holds no control character or backslash
 * and does not begin with a slash: it goes into a Location header, and `//host` there would lead to another site.
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

/** The values of the placeholders of a pattern in a path, or undefined when it does not match. */
export function matcherOf(pattern: Pattern): (path: string) => Map<string, string> | undefined {
  const expression = new RegExp(expressionOf(pattern));
  const names = namesOf(pattern);
  return (path) => {
    const match = expression.exec(path);
    return match ? new Map(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined;
  };
}

/** In the order of the groups of the expression. */
export function namesOf(pattern: Pattern): string[] {
  return pattern.flatMap((part) => ('name' in part ? part.name : []));
}

/** Percent-encodes whatever is not plainly part of an address; what is encoded already stays. */
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}
