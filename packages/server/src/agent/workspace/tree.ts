/**
 * The files of the docs folder as an agent may touch them: text of a bounded size, at guarded paths. A link is never
 * followed, on any part of the way, and what git stores elsewhere (submodules, large files) is not overwritten.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PathRefused, type Tree } from '../contract.ts';
import { guardPath, isGitFolder, pathRefusal } from './path-guard.ts';

export interface TreeOptions {
  folder: string;
  /** Paths of folders that stand for a commit of another repository. */
  submodules: ReadonlySet<string>;
  /** Paths that the repository holds as symbolic links; they are laid out as text. */
  links: ReadonlySet<string>;
  /** Whether git keeps only a pointer to what is written here (Git LFS). */
  isPointer(path: string): Promise<boolean>;
}

const mostFiles = 100_000;
const mostWrittenBytes = 1_000_000;
/** API descriptions are larger than pages, and tools must read them to check links. */
const mostReadBytes = 8_000_000;
const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

export function openTree(options: TreeOptions): Tree {
  const { folder } = options;
  return {
    folder,
    list: () => listFiles(folder),
    async read(given) {
      guardPath(given);
      const path = await spellingOf(folder, given);
      const place = await placeOf(folder, path);
      return place === undefined ? undefined : readPlainFile(place, path);
    },
    async write(given, content) {
      guardPath(given);
      refuseContent(given, content);
      const path = await spellingOf(folder, given);
      await refuseStoredElsewhere(options, path);
      await makeParents(folder, path);
      await writePlainFile(join(folder, path), path, content);
    },
    async remove(given) {
      guardPath(given);
      const path = await spellingOf(folder, given);
      const place = await placeOf(folder, path);
      if (place === undefined) throw new PathRefused(`There is no file ${path}. List the files to find it.`);
      if (options.links.has(path)) throw linkRefused(path);
      await unlink(place);
      await removeEmptyParents(options, path);
    },
  };
}

/** Sorted, so that two looks at the same files are the same. Links and what the guard refuses are left out. */
async function listFiles(root: string): Promise<{ path: string; sizeBytes: number }[]> {
  const found: { path: string; sizeBytes: number }[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (pathRefusal(path) !== undefined) continue;
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const status = await lstat(join(root, path)).catch(missing);
      if (status?.isFile()) found.push({ path, sizeBytes: status.size });
      if (found.length > mostFiles) throw new PathRefused(`There are more than ${mostFiles} files.`);
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Names are composed, as people type them, unless the repository has the file under another spelling. */
async function spellingOf(root: string, path: string): Promise<string> {
  return (await placeOf(root, path)) === undefined ? path.normalize('NFC') : path;
}

/** Where the file lies; undefined when there is none. Throws when there is a link on the way. */
async function placeOf(root: string, path: string): Promise<string | undefined> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const part = names.slice(0, depth).join('/');
    const status = await lstat(join(root, part)).catch(missing);
    if (status?.isSymbolicLink()) throw linkRefused(part);
    const isThere = depth < names.length ? status?.isDirectory() : status?.isFile();
    if (isThere !== true) return undefined;
  }
  return join(root, path);
}

async function readPlainFile(place: string, path: string): Promise<Uint8Array | undefined> {
  const file = await openPlainFile(place, path, O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size > mostReadBytes) {
      throw new PathRefused(`${path} holds ${size} bytes, more than can be read. Work on a smaller file.`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function writePlainFile(place: string, path: string, content: string): Promise<void> {
  const file = await openPlainFile(place, path, O_RDWR | O_CREAT);
  try {
    const beginning = await file.read(Buffer.alloc(8000), 0, 8000, 0);
    if (beginning.buffer.subarray(0, beginning.bytesRead).includes(0)) {
      throw new PathRefused(`${path} is not a text file. Only text can be written.`);
    }
    await file.truncate(0);
    await file.write(content, 0, 'utf8');
  } finally {
    await file.close();
  }
}

/** Opens without following a link, even one that was put there after the look, and without waiting on a pipe. */
async function openPlainFile(place: string, path: string, flags: number): Promise<FileHandle> {
  const file = await open(place, flags | O_NOFOLLOW | O_NONBLOCK, 0o644).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw linkRefused(path);
    if (code === 'EISDIR') throw new PathRefused(`${path} is a folder. Give the path of a file.`);
    throw error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new PathRefused(`${path} is not a file.`);
}

function refuseContent(path: string, content: string): void {
  const size = Buffer.byteLength(content);
  if (size > mostWrittenBytes) {
    throw new PathRefused(`${size} bytes are too many for ${path}. A file may hold ${mostWrittenBytes}.`);
  }
  if (content.includes('\0') || !content.isWellFormed()) {
    throw new PathRefused(`The content for ${path} is not text. Only text can be written.`);
  }
}

async function refuseStoredElsewhere(options: TreeOptions, path: string): Promise<void> {
  const names = path.split('/');
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const submodule = above.find((part) => options.submodules.has(part));
  if (submodule !== undefined) {
    throw new PathRefused(`${submodule} is another repository (a submodule). Write somewhere else.`);
  }
  if (options.links.has(path)) throw linkRefused(path);
  if (await options.isPointer(path)) {
    throw new PathRefused(`${path} is kept in Git LFS and cannot be written here. Write somewhere else.`);
  }
}

async function makeParents(root: string, path: string): Promise<void> {
  const names = path.split('/').slice(0, -1);
  for (const [index] of names.entries()) {
    const part = names.slice(0, index + 1).join('/');
    await mkdir(join(root, part)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    const status = await lstat(join(root, part));
    if (status.isSymbolicLink()) throw linkRefused(part);
    if (!status.isDirectory()) {
      throw new PathRefused(`${part} is a file, so nothing can be below it. Choose another folder.`);
    }
  }
}

/** git keeps no empty folders, but a submodule is one and would count as removed. */
async function removeEmptyParents({ folder, submodules }: TreeOptions, path: string): Promise<void> {
  const names = path.split('/').slice(0, -1);
  for (let depth = names.length; depth > 0; depth -= 1) {
    const part = names.slice(0, depth).join('/');
    if (submodules.has(part)) return;
    const emptied = await rmdir(join(folder, part)).then(
      () => true,
      () => false,
    );
    if (!emptied) return;
  }
}

/** Everything that is named as git's own folder, wherever it lies. Only a foreign engine can have put it there. */
export async function gitFoldersIn(root: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (isGitFolder(entry.name)) found.push(path);
      else if (entry.isDirectory()) waiting.push(path);
    }
  }
  return found;
}

function linkRefused(path: string): PathRefused {
  return new PathRefused(`${path} is a link. Links are not followed: name the file it leads to.`);
}

function missing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
