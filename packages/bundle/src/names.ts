/**
 * Valid file names of a bundle: those that denote the same file on Linux, macOS, Windows and in a URL. The
 * exporter follows these rules, and readers refuse all other names.
 */
import { BundleRefusedError } from './refusal.ts';

export const maxSegments = 32;
const maxNameBytes = 1000;
const maxSegmentBytes = 255;
const forbidden = /[\x00-\x1f\x7f-\x9f\\:*?"<>|]/;
const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** The reason as the rest of a sentence; undefined for a valid name. */
export function problemOfName(path: string, segmentsAllowed = maxSegments): string | undefined {
  if (path === '' || path.startsWith('/')) return 'is not relative';
  if (!path.isWellFormed() || forbidden.test(path))
    return 'contains a character that some systems do not allow';
  if (path.normalize('NFC') !== path) return 'is not in Unicode’s composed form';
  if (Buffer.byteLength(path) > maxNameBytes) return `has more than ${maxNameBytes} bytes`;
  const segments = path.split('/');
  if (segments.length > segmentsAllowed) return `is nested more than ${segmentsAllowed} folders deep`;
  for (const segment of segments) {
    if (segment === '') return 'has an empty part';
    if (segment === '.' || segment === '..') return 'leads to another folder';
    if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
    if (Buffer.byteLength(segment) > maxSegmentBytes)
      return `has a part of more than ${maxSegmentBytes} bytes`;
    if (reservedOnWindows.test(segment)) return 'has a part that Windows reserves';
  }
  return undefined;
}

/** Detects names that could be the same file as another one, or the folder of another one. */
export class DistinctNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** Whether the name is new. */
  add(path: string): boolean {
    const folded = path.toLowerCase();
    if (this.#files.has(folded) || this.#folders.has(folded)) return false;
    const folders: string[] = [];
    for (let slash = folded.lastIndexOf('/'); slash > 0; slash = folded.lastIndexOf('/', slash - 1)) {
      const folder = folded.slice(0, slash);
      if (this.#folders.has(folder)) break;
      if (this.#files.has(folder)) return false;
      folders.push(folder);
    }
    this.#files.add(folded);
    for (const folder of folders) this.#folders.add(folder);
    return true;
  }

  require(path: string): void {
    if (!this.add(path)) throw new BundleRefusedError('duplicate', quoted(path));
  }
}

export function requireValidName(path: string, segmentsAllowed?: number): void {
  const problem = problemOfName(path, segmentsAllowed);
  if (problem !== undefined) throw new BundleRefusedError('unsafe_path', `${quoted(path)} ${problem}.`);
}

/** Escapes an untrusted name for output. */
export function quoted(path: string): string {
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return JSON.stringify(shown).replace(/[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '�');
}
