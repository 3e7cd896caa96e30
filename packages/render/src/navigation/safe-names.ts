/**
 * Derives portable file names: invalid characters are replaced, reserved words get a suffix, names that differ
 * only in case get a number. The result is deterministic.
 */
import { hash } from 'node:crypto';
import { problemOf } from './output-names.ts';
import { withoutTrailing } from './plain-route.ts';

const refusedCharacters = /[\p{Cc}\\:*?"<>|]+/gu;
const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** Leaves room for a suffix and a number. */
const maxSegmentBytes = 200;
const shortenedBytes = 150;

export function safePath(path: string): string {
  if (problemOf(path) === undefined) return path;
  const safe = path.toWellFormed().normalize('NFC').split('/').map(safeSegment).join('/');
  // The path as a whole may still be too deep or too long for a bundle.
  return problemOf(safe) === undefined ? safe : `${shortHash(path)}/${safe.slice(safe.lastIndexOf('/') + 1)}`;
}

function safeSegment(segment: string): string {
  const plain = withoutTrailing(segment.replaceAll(refusedCharacters, '-'), '. ').replace(
    reservedOnWindows,
    '$&_',
  );
  // A segment without any valid character still needs a name.
  const name = plain.replaceAll('-', '') === '' && plain !== segment ? `name-${shortHash(segment)}` : plain;
  if (Buffer.byteLength(name) <= maxSegmentBytes) return name;
  const start = Buffer.from(name).subarray(0, shortenedBytes).toString();
  return `${withoutTrailing(start, '\u{fffd}. ')}-${shortHash(name)}`;
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

/** Returns only the paths that need another name. `isTaken` receives lower-cased paths. */
export function renamedPaths(
  paths: Iterable<string>,
  isTaken: (lowerCase: string) => boolean = () => false,
): Map<string, string> {
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  const all = [...paths];
  if (areAllUsable(all, isTaken)) return renamed;
  for (const path of byPrecedence(all)) {
    const safe = safePath(path);
    let name = safe;
    for (let count = 2; taken.has(name.toLowerCase()) || isTaken(name.toLowerCase()); count++)
      name = numbered(safe, count);
    taken.add(name.toLowerCase());
    if (name !== path) renamed.set(path, name);
  }
  return renamed;
}

function areAllUsable(paths: readonly string[], isTaken: (lowerCase: string) => boolean): boolean {
  const lowerCase = new Set<string>();
  for (const path of paths) {
    const name = path.toLowerCase();
    if (problemOf(path) !== undefined || lowerCase.has(name) || isTaken(name)) return false;
    lowerCase.add(name);
  }
  return true;
}

/** Valid names come before names that must change, and lower-case names before their variants. */
function byPrecedence(paths: readonly string[]): string[] {
  const rank = (path: string): number =>
    (safePath(path) === path ? 0 : 2) + (path.toLowerCase() === path ? 0 : 1);
  return paths.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function numbered(path: string, count: number): string {
  const [, stem = path, ending = ''] = /^(.*[^/.])(\.[^./]+)$/.exec(path) ?? [];
  return `${stem}-${count}${ending}`;
}
