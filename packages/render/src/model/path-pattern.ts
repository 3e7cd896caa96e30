/**
 * Path patterns of generated files: `*` matches within one segment; a leading `{page}` matches a page route, and a leading
 * `{folder}` any folder below the root.
 */
const page = '{page}';
const folder = '{folder}';

export function matchesPath(pattern: string, path: string, isPage: (route: string) => boolean): boolean {
  if (pattern.startsWith(page)) {
    const end = pattern.slice(page.length);
    return path.endsWith(end) && isPage(path.slice(0, -end.length));
  }
  if (pattern.startsWith(folder)) {
    const end = pattern.slice(folder.length);
    return path.length > end.length && path.endsWith(end);
  }
  const star = pattern.indexOf('*');
  if (star < 0) return path === pattern;
  const end = pattern.slice(star + 1);
  return (
    path.length >= star + end.length &&
    path.startsWith(pattern.slice(0, star)) &&
    path.endsWith(end) &&
    !path.slice(star, path.length - end.length).includes('/')
  );
}

export function isFixedPath(pattern: string): boolean {
  return !pattern.includes('*') && !pattern.startsWith('{');
}
