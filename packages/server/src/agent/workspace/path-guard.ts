/**
 * Decides from the text alone which paths an agent may use: relative, plain, visible, and never an alias of
 * `.git` on any operating system.
 */
import { PathRefusedError } from '../contract.ts';

const maxPathBytes = 1024;
const maxNameBytes = 255;
const maxDepth = 32;

export function guardPath(path: string): void {
  const refusal = pathRefusal(path);
  if (refusal !== undefined) throw new PathRefusedError(refusal);
}

export function pathRefusal(path: string): string | undefined {
  if (path === '') return 'The path is empty. Give the path of a file, such as guides/start.mdx.';
  // Control, zero-width and direction characters and lone surrogates are invisible to reviewers.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(path)) {
    return 'The path contains an invisible character. Use plain letters.';
  }
  if (path.includes('\\')) return `${path} contains a backslash. Separate folders with /.`;
  if (path.startsWith('/')) {
    return `${path} is absolute. Paths are relative to the docs folder: remove the leading /.`;
  }
  const names = path.split('/');
  if (names.includes('..'))
    return `${path} leaves the docs folder. Only files of the docs folder are available.`;
  if (names.some((name) => name === '' || name === '.')) {
    return `${path} has an empty segment. Remove ./, // and a trailing /.`;
  }
  if (names.some(isGitName)) return `${path} is a name that git reserves. Choose another.`;
  if (
    names.length > maxDepth ||
    Buffer.byteLength(path) > maxPathBytes ||
    names.some((name) => Buffer.byteLength(name) > maxNameBytes)
  ) {
    return 'The path is too long or too deep. Choose a shorter one.';
  }
  return undefined;
}

/** Aliases of `.git` on Windows (short names, trailing dots, streams) and macOS (case and Unicode folding). */
function isGitName(name: string): boolean {
  return /^(?:\.git|git~\d+)[ .]*(?::|$)/.test(name.normalize('NFKC').toLowerCase());
}

/** The names that git reserves; a fetched repository cannot contain them. */
export function isGitFolder(name: string): boolean {
  const folded = name.replaceAll(/\p{Cf}/gu, '').toLowerCase();
  return /^(?:\.git|git~1)[ .]*(?:[:\\]|$)/.test(folded);
}
