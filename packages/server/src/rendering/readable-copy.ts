/**
 * A copy of a private folder that every user of this machine may read, and that is only brought up to date when it is made
 * again: of 10,000 files that are as they were none is opened. Links are left out, since they lead nowhere inside.
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

/** Whether something is part of the site, by its path in the folder and what is there. */
export type OfSite = (path: string, found: Stats) => boolean;

/** A file as it was when it was copied. */
type Mark = [bytes: number, mtimeMs: number, ctimeMs: number, inode: number];

interface Marks {
  madeAtMs: number;
  files: [path: string, mark: Mark][];
}

/** A file that was written this shortly before it was copied may have been written again without looking any different. */
const uncertainMs = 2000;
const filesInRow = 200;
const forAll = { folder: 0o755, file: 0o644, mayRead: 0o004 } as const;

/** `place` is a folder of ours, empty or as an earlier call has left it. Returns where the copy lies in it. */
export async function copyForAll(from: string, place: string, ofSite: OfSite): Promise<string> {
  const marksFile = join(place, 'marks.json');
  const copy = join(place, 'copy');
  const before = readMarks(marksFile);
  // Whoever is killed in the middle of it leaves a copy that nobody trusts.
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
  #sinceOtherWork = 0;

  constructor({ from, to }: { from: string; to: string }, before: Marks, ofSite: OfSite) {
    this.#from = from;
    this.#to = to;
    this.#before = new Map(before.files);
    this.#certainBeforeMs = before.madeAtMs - uncertainMs;
    this.#ofSite = ofSite;
  }

  async folder(way: string): Promise<void> {
    const to = join(this.#to, way);
    chmodSync(to, forAll.folder);
    const there = new Map<string, Dirent>();
    for (const entry of await readdir(to, { withFileTypes: true })) there.set(entry.name, entry);
    for (const name of await readdir(join(this.#from, way))) {
      const path = join(way, name);
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
    if (old?.isFile() && this.#isAsBefore(path, mark)) return;
    const target = join(this.#to, path);
    rmSync(target, { recursive: true, force: true });
    copyFileSync(join(this.#from, path), target);
    if ((found.mode & forAll.mayRead) === 0) chmodSync(target, forAll.file);
    if ((this.#sinceOtherWork = (this.#sinceOtherWork + 1) % filesInRow) === 0) await otherWork();
  }

  #isAsBefore(path: string, mark: Mark): boolean {
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
