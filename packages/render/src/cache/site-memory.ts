/**
 * Where the renderer leaves what the next run of the same site can use, and how it knows files again. The caller keeps the
 * values; what is in them is the renderer's own business, and a value that is missing only costs time.
 */
import { readFileSync, statSync } from 'node:fs';
import { shortHash } from '../text/short-hash.ts';
import type { SourceMark } from '../model/page.ts';

export interface SiteMemory {
  readonly isEmpty: boolean;
  get(key: string): Uint8Array | undefined;
  has(key: string): boolean;
  /** Parts of a value follow each other. */
  put(key: string, ...parts: readonly Uint8Array[]): void;
  /** The value is still of use, though nobody reads it now. */
  touch(key: string): void;
}

/** A file as it was found. */
export type FileMark = [file: string, ...mark: SourceMark];

/** A file that was written this shortly before it was marked may have been written again without looking any different. */
const uncertainMs = 2000;
/** By how much the clock of a file system may be behind: Linux sets it a hundred times a second, or more often. */
const clockStepMs = 11;

export class FileHashes {
  readonly #root: string;
  readonly #known: ReadonlyMap<string, FileMark>;
  readonly #knownAtMs: number;
  /** Earlier than any file that is written from now on. */
  readonly #startedAtMs = Date.now() - clockStepMs;
  readonly #marks = new Map<string, FileMark | undefined>();

  constructor(root: string, known: readonly FileMark[] = [], knownAtMs = 0) {
    this.#root = root;
    this.#known = new Map(known.map((mark) => [mark[0], mark]));
    this.#knownAtMs = knownAtMs;
  }

  /** Undefined for what is not there. */
  of(file: string): string | undefined {
    return this.mark(file)?.[5];
  }

  /** Whether the file has the content that it had when it was marked. */
  isAsBefore(file: string): boolean {
    const before = this.#known.get(file);
    return before !== undefined && before[5] === this.of(file);
  }

  mark(file: string): FileMark | undefined {
    if (this.#marks.has(file)) return this.#marks.get(file);
    const mark = this.#look(file);
    this.#marks.set(file, mark);
    return mark;
  }

  /** Whoever has read a file since tells how it was, unless it is known already. */
  learn(file: string, mark: SourceMark): void {
    if (!this.#marks.has(file)) this.#marks.set(file, this.#sure(file, mark));
  }

  #look(file: string): FileMark | undefined {
    const path = `${this.#root}/${file}`;
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = found;
    const before = this.#known.get(file);
    const looksSame =
      before?.[1] === size && before[2] === mtimeMs && before[3] === ctimeMs && before[4] === ino;
    if (looksSame && Math.max(mtimeMs, ctimeMs) < this.#knownAtMs - uncertainMs) return before;
    return this.#sure(file, [size, mtimeMs, ctimeMs, ino, shortHash(readFileSync(path))]);
  }

  /** Of a file that may have been changed during the run nobody knows what was read of it when; the next run is to find it changed. */
  #sure(file: string, mark: SourceMark): FileMark {
    const changedAtMs = mark[2];
    return changedAtMs > this.#startedAtMs
      ? [file, -1, 0, changedAtMs, 0, `changed at ${changedAtMs}`]
      : [file, ...mark];
  }
}
