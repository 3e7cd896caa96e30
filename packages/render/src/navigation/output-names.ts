/**
 * Which names the files of an output may have: those that are one and the same file on Linux, macOS and Windows. A bundle
 * with any other is refused where it arrives.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { flatText } from '../text/kept.ts';

const mostSegments = 32;
const mostNameBytes = 1000;
const mostSegmentBytes = 255;
const forbidden = /[\p{Cc}\\:*?"<>|]/u;
const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** An export adds these two itself. */
const ofTheExport = ['manifest.json', 'manifest.json.minisig'];

/** The names of one output so far. */
export class OutputNames {
  /** Without case, and as they were first given. */
  readonly #files = new Map(ofTheExport.map((name) => [name, '']));
  readonly #folders = new Set<string>();

  /** Why a file cannot have this name, as the rest of a sentence; undefined when it can, and from then on it is taken. */
  take(path: string): string | undefined {
    const problem = problemOf(path);
    if (problem !== undefined) return problem;
    const kept = flatText(path);
    const lower = kept.toLowerCase();
    /** Mostly the same, and one text does for both. */
    const folded = lower === kept ? kept : lower;
    const taken = this.#files.get(folded);
    if (taken === path) return undefined;
    if (taken === '') return 'is that of a file which every export has';
    if (taken !== undefined) return `differs from "${taken}" only in case`;
    if (this.#folders.has(folded) || !this.#takeFolders(folded)) return 'is that of a file and of a folder';
    this.#files.set(folded, kept);
    return undefined;
  }

  /** Whether a file has this name in small letters. */
  isTaken(lowerCase: string): boolean {
    return this.#files.has(lowerCase);
  }

  /** Whether all folders of a file may have their names. Most are known by the file before it. */
  #takeFolders(folded: string): boolean {
    const slash = folded.lastIndexOf('/');
    if (slash < 0 || this.#folders.has(folded.slice(0, slash))) return true;
    const folders = foldersOf(folded);
    if (folders.some((folder) => this.#files.has(folder))) return false;
    for (const folder of folders) this.#folders.add(folder);
    return true;
  }

  /** A name that may be taken, as the text that is kept of it: with one for all who keep it, 50,000 pages take 7 MB less. */
  sameText(path: string): string {
    const taken = this.#files.get(path);
    return taken === path ? taken : path;
  }
}

/** Whether an address can express a path: half a surrogate pair has no percent-encoding. */
export function hasAddress(path: string): boolean {
  return path.isWellFormed();
}

/** Why a name was changed. */
export function reasonFor(path: string): string {
  return problemOf(path) ?? 'differs from another only in case';
}

/** A file that is written under another name; `reason` is why it cannot have its own. */
export function renamedFile(file: string, output: string, reason: string): Diagnostic {
  const old = hasAddress(file)
    ? 'and its old address leads there'
    : 'and nothing leads there from its name, which no address can express';
  return {
    severity: 'warning',
    code: 'file_name_unusable',
    message: `The name "${file.toWellFormed()}" ${reason}; readers find it at "${output}", ${old}`,
    file,
    hint: 'Rename the file, so that its address stays what you chose.',
  };
}

/** Only where two files want the place of a file and of a folder. */
export function unusableName(file: string, problem: string, output = file): Diagnostic {
  return {
    severity: 'error',
    code: 'file_name_unusable',
    message: `The name "${output}" ${problem}; readers do not find the file`,
    file,
    hint: 'Rename it, and what refers to it.',
  };
}

/** Nearly every name: letters and digits in parts that end with one, and too short for any of the bounds. */
const plainPath = /^[\w-]+(?:[./][\w-]+)*$/;
const plainBytes = 2 * mostSegments - 1;
const reservedPart = /(?:^|\/)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)/i;

/** Why no file can have this name, as the rest of a sentence; undefined when one can. */
export function problemOf(path: string): string | undefined {
  if (path.length <= plainBytes && plainPath.test(path) && !reservedPart.test(path)) return undefined;
  if (!path.isWellFormed() || forbidden.test(path)) return 'holds a character that not every system allows';
  if (path.normalize('NFC') !== path) return 'is not in Unicode’s composed form';
  if (Buffer.byteLength(path) > mostNameBytes) return `has more than ${mostNameBytes} bytes`;
  const segments = path.split('/');
  if (segments.length > mostSegments) return `lies more than ${mostSegments} folders deep`;
  for (const segment of segments) {
    if (/^\.*$/.test(segment) || /[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
    if (Buffer.byteLength(segment) > mostSegmentBytes)
      return `has a part of more than ${mostSegmentBytes} bytes`;
    if (reservedOnWindows.test(segment)) return 'has a part that Windows reserves';
  }
  return undefined;
}

function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}
