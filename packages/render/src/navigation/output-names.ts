/**
 * Checks that output paths are valid and distinct on Linux, macOS and Windows. Bundles with other names are
 * rejected on arrival.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { flatText } from '../text/compact-values.ts';

const maxSegments = 32;
const maxNameBytes = 1000;
const maxSegmentBytes = 255;
const forbidden = /[\p{Cc}\\:*?"<>|]/u;
const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Added by the export. */
const exportFiles = ['manifest.json', 'manifest.json.minisig'];

export class OutputNames {
  /** Lower-cased path → original spelling. */
  readonly #files = new Map(exportFiles.map((name) => [name, '']));
  readonly #folders = new Set<string>();

  /** Reserves the path. Returns why it is invalid, as the end of a sentence, or undefined. */
  take(path: string): string | undefined {
    const problem = problemOf(path);
    if (problem !== undefined) return problem;
    const kept = flatText(path);
    const lower = kept.toLowerCase();
    const folded = lower === kept ? kept : lower;
    const taken = this.#files.get(folded);
    if (taken === path) return undefined;
    if (taken === '') return 'is that of a file which every export has';
    if (taken !== undefined) return `differs from "${taken}" only in case`;
    if (this.#folders.has(folded) || !this.#takeFolders(folded)) return 'is that of a file and of a folder';
    this.#files.set(folded, kept);
    return undefined;
  }

  isTaken(lowerCase: string): boolean {
    return this.#files.has(lowerCase);
  }

  /** Consecutive files usually share their folders. */
  #takeFolders(folded: string): boolean {
    const slash = folded.lastIndexOf('/');
    if (slash < 0 || this.#folders.has(folded.slice(0, slash))) return true;
    const folders = foldersOf(folded);
    if (folders.some((folder) => this.#files.has(folder))) return false;
    for (const folder of folders) this.#folders.add(folder);
    return true;
  }

  /** Returns the stored copy of the path, so that equal strings share memory. */
  intern(path: string): string {
    const taken = this.#files.get(path);
    return taken === path ? taken : path;
  }
}

/** A lone surrogate has no percent-encoding. */
export function hasAddress(path: string): boolean {
  return path.isWellFormed();
}

export function reasonFor(path: string): string {
  return problemOf(path) ?? 'differs from another only in case';
}

export function renamedFile(file: string, output: string, reason: string): Diagnostic {
  const old = hasAddress(file)
    ? 'and its old address leads there'
    : 'and nothing leads there from its name, which no address can express';
  return {
    severity: 'warning',
    code: 'file_name_unusable',
    message: `The name "${file.toWellFormed()}" ${reason}; readers find it at "${output}", ${old}`,
    file,
    hint: 'Rename the file to choose its address.',
  };
}

/** Applies only when one path is both a file and a folder. */
export function unusableName(file: string, problem: string, output = file): Diagnostic {
  return {
    severity: 'error',
    code: 'file_name_unusable',
    message: `The name "${output}" ${problem}; the file is not published`,
    file,
    hint: 'Rename the file and update its references.',
  };
}

/** Fast path for ordinary names within all limits. */
const plainPath = /^[\w-]+(?:[./][\w-]+)*$/;
const plainBytes = 2 * maxSegments - 1;
const reservedPart = /(?:^|\/)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)/i;

/** Completes a sentence; undefined when the name is valid. */
export function problemOf(path: string): string | undefined {
  if (path.length <= plainBytes && plainPath.test(path) && !reservedPart.test(path)) return undefined;
  if (!path.isWellFormed() || forbidden.test(path))
    return 'contains a character that some systems do not allow';
  if (path.normalize('NFC') !== path) return 'is not in Unicode’s composed form';
  if (Buffer.byteLength(path) > maxNameBytes) return `has more than ${maxNameBytes} bytes`;
  const segments = path.split('/');
  if (segments.length > maxSegments) return `lies more than ${maxSegments} folders deep`;
  for (const segment of segments) {
    if (/^\.*$/.test(segment) || /[. ]$/.test(segment)) return 'has a part that ends in a dot or a space';
    if (Buffer.byteLength(segment) > maxSegmentBytes)
      return `has a part of more than ${maxSegmentBytes} bytes`;
    if (reservedOnWindows.test(segment)) return 'has a part that Windows reserves';
  }
  return undefined;
}

function foldersOf(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
}
