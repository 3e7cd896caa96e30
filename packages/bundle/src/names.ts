/**
 * Which names a file of a bundle may have: those that mean the same file below one folder on Linux, macOS, Windows and in an
 * address. The exporter keeps to them, and whoever reads a bundle refuses all others.
 */
import { BundleRefused } from './refusal.ts';

export const mostSegments = 32;
const mostNameBytes = 1000;
const mostSegmentBytes = 255;
const forbidden = /[\x00-\x1f\x7f-\x9f\\:*?"<>|]/;
const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** Why a name cannot be used, as the rest of a sentence; undefined when it can. */
export function problemOfName(path: string, segmentsAllowed = mostSegments): string | undefined {
  if (path === '' || path.startsWith('/')) return 'is not relative';
  if (!path.isWellFormed() || forbidden.test(path)) return 'holds a character that not every system allows';
  if (path.normalize('NFC') !== path) return 'is not in Unicode’s composed form';
  if (Buffer.byteLength(path) > mostNameBytes) return `has more than ${mostNameBytes} bytes`;
  const segments = path.split('/');
  if (segments.length > segmentsAllowed) return `lies more than ${segmentsAllowed} folders deep`;
  for (const segment of segments) {
    if (segment === '') return 'has an empty part';
    if (segment === '.' || segment === '..') return 'leads to another folder';
    if (/[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
    if (Buffer.byteLength(segment) > mostSegmentBytes)
      return `has a part of more than ${mostSegmentBytes} bytes`;
    if (reservedOnWindows.test(segment)) return 'has a part that Windows reserves';
  }
  return undefined;
}

/** Names so far, and a refusal for one that could be the same file as another, or the folder of another. */
export class DistinctNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  /** Whether it is new; remembers it then. */
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

  insist(path: string): void {
    if (!this.add(path)) throw new BundleRefused('duplicate', quoted(path));
  }
}

export function insistOnName(path: string, segmentsAllowed?: number): void {
  const problem = problemOfName(path, segmentsAllowed);
  if (problem !== undefined) throw new BundleRefused('unsafe_path', `${quoted(path)} ${problem}.`);
}

/** A name of a stranger as it may be printed. */
export function quoted(path: string): string {
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return JSON.stringify(shown).replace(/[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '�');
}
