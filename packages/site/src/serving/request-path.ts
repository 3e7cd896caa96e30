/**
 * The path of a request, decoded once. What no honest client sends is told apart here, so that nobody after this file has
 * to think of dots, bytes that are no text, or names without end.
 */
export type RequestPath =
  | { path: string; query: string; hasControlCharacter?: boolean }
  /** Nothing can be at such a path. */
  | 'malformed'
  | 'too long';

const maxCharacters = 4096;
/** Nothing to decode and no query, as nearly always. */
const plainPath = /^\/[\w\-./]*$/;

/** `target` as it stands in the request line: a path with a query, or a whole address, as proxies send it. */
export function readRequestPath(target: string): RequestPath {
  if (target.length > maxCharacters) return 'too long';
  if (plainPath.test(target)) return { path: target, query: '' };
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [, encoded = '', query = ''] = /^([^?#]*)(\?[^#]*)?/s.exec(own) ?? [];
  const path = plainPath.test(encoded) ? encoded : decoded(encoded === '' ? '/' : encoded);
  if (path === undefined || !path.startsWith('/')) return 'malformed';
  return /\p{Cc}/u.test(path) ? { path, query, hasControlCharacter: true } : { path, query };
}

/** Browsers resolve these before they ask; a file or page never has them in its name. */
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
