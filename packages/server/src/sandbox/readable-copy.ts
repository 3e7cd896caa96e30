/**
 * Keeps a world-readable copy of a private folder and updates only changed files. Symbolic links are left
 * out, since their targets are not mounted.
 */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';

/** Whether a file or folder is part of the site, by its relative path. */
export type OfSite = (path: string, found: Stats) => boolean;

/** The state of a file when it was copied. */
type Mark = [bytes: number, mtimeMs: number, ctimeMs: number, inode: number];

interface Marks {
  madeAtMs: number;
  files: [path: string, mark: Mark][];
}

/** A file written shortly before its copy may have changed again with the same timestamp. */
const uncertainMs = 2000;
const filesPerBatch = 200;
const forAll = { folder: 0o755, file: 0o644, mayRead: 0o004 } as const;

/** `place` is empty or the result of an earlier call. Returns the path of the copy. */
export async function copyForAll(from: string, place: string, ofSite: OfSite): Promise<string> {
  const marksFile = join(place, 'marks.json');
  const copy = join(place, 'copy');
  const before = readMarks(marksFile);
  // An interrupted update leaves no marks, so the copy is not trusted.
  rmSync(marksFile, { force: true });
  const madeAtMs = Date.now();
  const refreshed = new Refresh({ from, to: copy }, before, ofSite);
  mkdirSync(copy, { recursive: true });
  await refreshed.folder('');
  const marks: Marks = { madeAtMs, files: [...refreshed.marks] };
  writeFileSync(marksFile, JSON.stringify(marks), { mode: 0o600 });
  return copy;
}

class Refresh {
  readonly marks = new Map<string, Mark>();
  readonly #before: ReadonlyMap<string, Mark>;
  readonly #certainBeforeMs: number;
  readonly #ofSite: OfSite;
  readonly #from: string;
  readonly #to: string;
  #sinceYield = 0;

  constructor({ from, to }: { from: string; to: string }, before: Marks, ofSite: OfSite) {
    this.#from = from;
    this.#to = to;
    this.#before = new Map(before.files);
    this.#certainBeforeMs = before.madeAtMs - uncertainMs;
    this.#ofSite = ofSite;
  }

  async folder(folderPath: string): Promise<void> {
    const to = join(this.#to, folderPath);
    chmodSync(to, forAll.folder);
    const there = new Map<string, Dirent>();
    for (const entry of await readdir(to, { withFileTypes: true })) there.set(entry.name, entry);
    for (const name of await readdir(join(this.#from, folderPath))) {
      const path = join(folderPath, name);
      const found = lstatSync(join(this.#from, path), { throwIfNoEntry: false });
      if (found === undefined || !this.#ofSite(path, found)) continue;
      const old = there.get(name);
      if (found.isDirectory()) {
        there.delete(name);
        if (!old?.isDirectory()) replaceByFolder(join(to, name));
        await this.folder(path);
      } else if (found.isFile()) {
        there.delete(name);
        await this.#file(path, found, old);
      }
    }
    for (const name of there.keys()) rmSync(join(to, name), { recursive: true, force: true });
  }

  async #file(path: string, found: Stats, old: Dirent | undefined): Promise<void> {
    const mark: Mark = [found.size, found.mtimeMs, found.ctimeMs, found.ino];
    this.marks.set(path, mark);
    if (old?.isFile() && this.#isUnchanged(path, mark)) return;
    const target = join(this.#to, path);
    rmSync(target, { recursive: true, force: true });
    copyFileSync(join(this.#from, path), target);
    if ((found.mode & forAll.mayRead) === 0) chmodSync(target, forAll.file);
    if ((this.#sinceYield = (this.#sinceYield + 1) % filesPerBatch) === 0) await otherWork();
  }

  #isUnchanged(path: string, mark: Mark): boolean {
    const before = this.#before.get(path);
    const [, mtimeMs, ctimeMs] = mark;
    return (
      before !== undefined &&
      mark.every((value, index) => value === before[index]) &&
      Math.max(mtimeMs, ctimeMs) < this.#certainBeforeMs
    );
  }
}

function replaceByFolder(target: string): void {
  rmSync(target, { force: true });
  mkdirSync(target);
}

function readMarks(file: string): Marks {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Marks;
  } catch {
    return { madeAtMs: 0, files: [] };
  }
}
