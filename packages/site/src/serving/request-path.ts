/** Parses and decodes the request path once, and detects malformed ones. */
export type RequestPath =
  | { path: string; query: string; hasControlCharacter?: boolean }
  /** No resource can have such a path. */
  | 'malformed'
  | 'too long';

const maxCharacters = 4096;
/** The common case: nothing to decode and no query. */
const plainPath = /^\/[\w\-./]*$/;

/** `target` is the raw request target: a path with a query, or an absolute URL from a proxy. */
export function readRequestPath(target: string): RequestPath {
  if (target.length > maxCharacters) return 'too long';
  if (plainPath.test(target)) return { path: target, query: '' };
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [, encoded = '', query = ''] = /^([^?#]*)(\?[^#]*)?/s.exec(own) ?? [];
  const path = plainPath.test(encoded) ? encoded : decoded(encoded === '' ? '/' : encoded);
  if (path === undefined || !path.startsWith('/')) return 'malformed';
  return /\p{Cc}/u.test(path) ? { path, query, hasControlCharacter: true } : { path, query };
}

/** Browsers resolve dot segments before the request; no file name contains them. */
export function hasDotSegments(path: string): boolean {
  return path.includes('/.') && /\/\.\.?(?:\/|$)/.test(path);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
