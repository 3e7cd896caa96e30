/**
 * What `docyard build` remembers of the last build into the same folder: rendered pages, and which files stand there. A file that
 * somebody has touched since is not the one that was written, and is written again.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunMemory, type LastFiles } from '@docyard/render';
import type { ArchivedFile } from '@docyard/bundle';
import { MemoryFile } from '../exports/memory-file.ts';
import type { MemoryPlace } from '../exports/project-memory.ts';
import { openLocalMemory } from './local-memory.ts';

export interface BuiltFile extends ArchivedFile {
  /** As it was written; of a file of this build it is looked up at the end. */
  mtimeMs?: number;
}

const listKey = 'built';

export class BuildMemory {
  readonly options: { memory: RunMemory; lastFiles?: LastFiles };
  readonly #place: MemoryPlace;
  readonly #handles: number[];
  readonly #file: MemoryFile;
  readonly #out: string;
  readonly #last = new Map<string, BuiltFile>();

  /** Undefined where nothing can be remembered. `marker` is the file that tells which build the folder is of. */
  static async open(root: string, out: string, marker: string): Promise<BuildMemory | undefined> {
    const place = await openLocalMemory('builds', [root, out]);
    return place && new BuildMemory(place, await place.engine(), { root, out, marker });
  }

  private constructor(
    place: MemoryPlace,
    engine: string,
    { root, out, marker }: { root: string; out: string; marker: string },
  ) {
    this.#place = place;
    this.#out = out;
    this.#handles = [openSync(place.young, 'r+'), openSync(place.old, 'r')];
    const [young = -1, old] = this.#handles;
    this.#file = new MemoryFile(young, old);
    const memory = new RunMemory(this.#file, engine, root);
    this.options = { memory };
    const list = this.#file.get(listKey);
    if (list === undefined || memory.lastToken === undefined || tokenIn(marker) !== memory.lastToken) return;
    const { token, files } = JSON.parse(Buffer.from(list).toString()) as {
      token: string;
      files: BuiltFile[];
    };
    if (token !== memory.lastToken) return;
    for (const file of files) this.#last.set(file.path, file);
    this.options.lastFiles = {
      has: (path) => this.#isThere(path),
      paths: () => this.#last.keys(),
      areAllThere: () => [...this.#last.keys()].every((path) => this.#isThere(path)),
      read: (path) => (this.#isThere(path) ? readFileSync(join(out, path)) : undefined),
      readAhead: async (path) => (this.#isThere(path) ? [await readFile(join(out, path))] : []),
    };
  }

  /** Whether files of the last build stay where they are. */
  isEdit = false;

  keep(path: string): BuiltFile {
    this.isEdit = true;
    const file = this.#last.get(path);
    if (file === undefined) throw new Error(`The last build has written no ${path}.`);
    return file;
  }

  /** Puts new files in their places and removes those that are no more. */
  moveChanges(draft: string, files: readonly BuiltFile[]): void {
    const now = new Set(files.map(({ path }) => path));
    for (const path of this.#last.keys()) if (!now.has(path)) rmSync(join(this.#out, path), { force: true });
    const changed = files.filter((file) => this.#last.get(file.path) !== file).map(({ path }) => path);
    for (const path of [...changed, 'manifest.json']) {
      mkdirSync(dirname(join(this.#out, path)), { recursive: true });
      renameSync(join(draft, path), join(this.#out, path));
    }
  }

  /** Returns what the folder is called from now on. */
  finish(files: readonly BuiltFile[]): string {
    const { memory } = this.options;
    const listed = files.map((file) =>
      file.mtimeMs === undefined ? { ...file, mtimeMs: statSync(join(this.#out, file.path)).mtimeMs } : file,
    );
    this.#file.put(listKey, Buffer.from(JSON.stringify({ token: memory.token, files: listed })));
    memory.commit();
    this.#file.leaveIndex();
    return memory.token;
  }

  /** The next build begins anew. */
  async discard(): Promise<void> {
    await this.#place.discard();
  }

  async close(): Promise<void> {
    this.#file.flush();
    await this.#place.completed(this.#file.usedBytes);
    for (const handle of this.#handles) closeSync(handle);
    this.#place.release();
  }

  #isThere(path: string): boolean {
    const last = this.#last.get(path);
    if (last === undefined) return false;
    const found = statSync(join(this.#out, path), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size === last.sizeBytes && found.mtimeMs === last.mtimeMs;
  }
}

function tokenIn(marker: string): string | undefined {
  try {
    return readFileSync(marker, 'utf8').split('\n')[1];
  } catch {
    return undefined;
  }
}
