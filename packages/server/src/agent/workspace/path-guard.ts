/**
 * Decides which paths an agent may name: relative to the docs folder, plain, visible, and never a spelling of `.git` on
 * any system the repository may be cloned to. It looks only at the text; `tree.ts` looks at what lies there.
 */
import { PathRefused } from '../contract.ts';

const longestPathBytes = 1024;
const longestNameBytes = 255;
const deepest = 32;

/** Throws a PathRefused whose message says what to write instead. */
export function guardPath(path: string): void {
  const refusal = pathRefusal(path);
  if (refusal !== undefined) throw new PathRefused(refusal);
}

export function pathRefusal(path: string): string | undefined {
  if (path === '') return 'The path is empty. Give the path of a file, such as guides/start.mdx.';
  // Controls, zero-width and direction marks, halves of surrogate pairs: what a reviewer cannot see.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(path)) {
    return 'The path holds a character that cannot be seen. Write it with plain letters.';
  }
  if (path.includes('\\')) return `${path} holds a backslash. Separate folders with /.`;
  if (path.startsWith('/')) {
    return `${path} is absolute. Paths are relative to the docs folder: leave out the / at the beginning.`;
  }
  const names = path.split('/');
  if (names.includes('..')) return `${path} leads upwards. Only files of the docs folder can be reached.`;
  if (names.some((name) => name === '' || name === '.')) {
    return `${path} has an empty part. Write it without ./, // and a / at the end.`;
  }
  if (names.some(isGitName)) return `${path} is a name that git keeps for itself. Choose another.`;
  if (
    names.length > deepest ||
    Buffer.byteLength(path) > longestPathBytes ||
    names.some((name) => Buffer.byteLength(name) > longestNameBytes)
  ) {
    return 'The path is too long or too deep. Choose a shorter one.';
  }
  return undefined;
}

/** `.git` as Linux, Windows (short names, trailing dots, streams) and macOS (folded letters) may understand it. */
function isGitName(name: string): boolean {
  return /^(?:\.git|git~\d+)[ .]*(?::|$)/.test(name.normalize('NFKC').toLowerCase());
}

/** What git itself takes for its folder and never lets into a tree; a fetched repository cannot hold such a name. */
export function isGitFolder(name: string): boolean {
  const folded = name.replaceAll(/\p{Cf}/gu, '').toLowerCase();
  return /^(?:\.git|git~1)[ .]*(?:[:\\]|$)/.test(folded);
}
