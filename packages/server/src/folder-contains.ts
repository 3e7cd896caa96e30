import { relative } from 'node:path';

/** Also true for the folder itself. */
export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
}
