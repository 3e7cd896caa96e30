/**
 * Reports changed files of a folder in batches. Uses one watcher per folder, because Node's recursive watch includes
 * node_modules and .git.
 */
import { type FSWatcher, watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isForeignFolder, isHiddenFile } from '@docyard/render/files';

export interface WatchOptions {
  root: string;
  /** Paths relative to the root, of files and folders. */
  onChange: (paths: string[]) => void;
  /** Called when a folder cannot be watched. */
  onError: (message: string) => void;
}

/** Editors save in several steps within milliseconds; a partial file must not be shown. */
const quietMs = 10;
/** During a long checkout, changes are shown in between. */
const maxWaitMs = 250;
const maxFolders = 20_000;

export class FolderWatch {
  readonly #options: WatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #waitingSince = 0;
  #closed = false;

  private constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Resolves when every folder is watched. */
  static async start(options: WatchOptions): Promise<FolderWatch> {
    const watching = new FolderWatch(options);
    await watching.#add('');
    return watching;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Returns every file of the folder, because files in a new folder were written before the watcher started. */
  async #add(folder: string): Promise<string[]> {
    if (this.#closed || this.#watchers.has(folder) || !this.#watch(folder)) return [];
    const entries = await readdir(join(this.#options.root, folder), { withFileTypes: true }).catch(() => []);
    const found: string[] = [];
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !isForeignFolder(path)) found.push(...(await this.#add(path)));
      else if (entry.isFile() && isWatched(entry.name)) found.push(path);
    }
    return found;
  }

  #watch(folder: string): boolean {
    if (this.#watchers.size >= maxFolders) return false;
    try {
      const watcher = watch(join(this.#options.root, folder), (event, name) =>
        this.#noteEvent(folder, event, name),
      );
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EMFILE')
        this.#options.onError(
          `Cannot watch more folders (${code}): edits in ${folder || 'the folder'} are not detected.`,
        );
      return false;
    }
  }

  #noteEvent(folder: string, event: string, name: string | null): void {
    if (name === null) return this.#note([folder]);
    if (!isWatched(name)) return;
    const path = folder === '' ? name : `${folder}/${name}`;
    if (!name.startsWith('.') && isForeignFolder(path)) return;
    this.#note([path]);
    if (event === 'rename') void this.#noteFolder(path);
  }

  async #noteFolder(path: string): Promise<void> {
    const found = await lstat(join(this.#options.root, path)).catch(() => undefined);
    if (found?.isDirectory()) this.#note(await this.#add(path));
    else this.#drop(path);
  }

  #drop(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  #note(paths: readonly string[]): void {
    if (this.#closed || paths.length === 0) return;
    if (this.#changed.size === 0) this.#waitingSince = performance.now();
    for (const path of paths) this.#changed.add(path);
    clearTimeout(this.#timer);
    const waited = performance.now() - this.#waitingSince;
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, Math.min(quietMs, maxWaitMs - waited)));
  }

  #flush(): void {
    const paths = [...this.#changed].toSorted();
    this.#changed.clear();
    this.#options.onChange(paths);
  }
}

/** Ignores temporary files of editors and systems. */
function isWatched(name: string): boolean {
  if (/^\.mint(?:lify)?ignore$/.test(name)) return true;
  return (
    !isHiddenFile(name) &&
    !/^\.[#_]|^#|~$|^4913$|\.(?:sw[a-z]|tmp|bak|orig|part|crdownload)$/.test(name) &&
    !/___jb_(?:bak|old|tmp)___$/.test(name)
  );
}
