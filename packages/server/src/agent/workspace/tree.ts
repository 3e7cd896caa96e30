/**
 * The docs files of an agent: text of bounded size at guarded paths. Links are never followed, and submodules
 * and LFS files are not overwritten.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PathRefusedError, type Tree } from '../contract.ts';
import { guardPath, isGitFolder, pathRefusal } from './path-guard.ts';

export interface TreeOptions {
  folder: string;
  submodules: ReadonlySet<string>;
  /** Paths of symbolic links, which are checked out as text. */
  links: ReadonlySet<string>;
  isPointer(path: string): Promise<boolean>;
}

const maxFiles = 100_000;
const maxWrittenBytes = 1_000_000;
/** API descriptions are larger than pages, and link checks read them. */
const maxReadBytes = 8_000_000;
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
      await refuseSubmodulesAndLfs(options, path);
      await createParents(folder, path);
      await writePlainFile(join(folder, path), path, content);
    },
    async remove(given) {
      guardPath(given);
      const path = await spellingOf(folder, given);
      const place = await placeOf(folder, path);
      if (place === undefined)
        throw new PathRefusedError(`${path} does not exist. List the files to find it.`);
      if (options.links.has(path)) throw linkRefused(path);
      await unlink(place);
      await removeEmptyParents(options, path);
    },
  };
}

/** Sorted. Links and refused paths are left out. */
async function listFiles(root: string): Promise<{ path: string; sizeBytes: number; modifiedMs: number }[]> {
  const found: { path: string; sizeBytes: number; modifiedMs: number }[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (pathRefusal(path) !== undefined) continue;
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile()) continue;
      const status = await lstat(join(root, path)).catch(ignoreMissing);
      if (status?.isFile()) found.push({ path, sizeBytes: status.size, modifiedMs: status.mtimeMs });
      if (found.length > maxFiles) throw new PathRefusedError(`There are more than ${maxFiles} files.`);
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Normalizes new names to NFC; an existing file keeps its spelling. */
async function spellingOf(root: string, path: string): Promise<string> {
  return (await placeOf(root, path)) === undefined ? path.normalize('NFC') : path;
}

/** Undefined if there is no file. Throws if any part of the path is a link. */
async function placeOf(root: string, path: string): Promise<string | undefined> {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth += 1) {
    const part = names.slice(0, depth).join('/');
    const status = await lstat(join(root, part)).catch(ignoreMissing);
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
    if (size > maxReadBytes) {
      throw new PathRefusedError(
        `${path} has ${size} bytes, which is too large to read. Work on a smaller file.`,
      );
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
      throw new PathRefusedError(`${path} is not a text file. Only text can be written.`);
    }
    await file.truncate(0);
    await file.write(content, 0, 'utf8');
  } finally {
    await file.close();
  }
}

/** O_NOFOLLOW: a link may have been created since the check. O_NONBLOCK: opening a FIFO would block. */
async function openPlainFile(place: string, path: string, flags: number): Promise<FileHandle> {
  const file = await open(place, flags | O_NOFOLLOW | O_NONBLOCK, 0o644).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw linkRefused(path);
    if (code === 'EISDIR') throw new PathRefusedError(`${path} is a folder. Give the path of a file.`);
    throw error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new PathRefusedError(`${path} is not a file.`);
}

function refuseContent(path: string, content: string): void {
  const size = Buffer.byteLength(content);
  if (size > maxWrittenBytes) {
    throw new PathRefusedError(`${path} would have ${size} bytes. The limit is ${maxWrittenBytes}.`);
  }
  if (content.includes('\0') || !content.isWellFormed()) {
    throw new PathRefusedError(`The content for ${path} is not text. Only text can be written.`);
  }
}

async function refuseSubmodulesAndLfs(options: TreeOptions, path: string): Promise<void> {
  const names = path.split('/');
  const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
  const submodule = above.find((part) => options.submodules.has(part));
  if (submodule !== undefined) {
    throw new PathRefusedError(`${submodule} is a submodule. Write to another folder.`);
  }
  if (options.links.has(path)) throw linkRefused(path);
  if (await options.isPointer(path)) {
    throw new PathRefusedError(`${path} is stored in Git LFS and cannot be written. Write to another file.`);
  }
}

async function createParents(root: string, path: string): Promise<void> {
  const names = path.split('/').slice(0, -1);
  for (const [index] of names.entries()) {
    const part = names.slice(0, index + 1).join('/');
    await mkdir(join(root, part)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    const status = await lstat(join(root, part));
    if (status.isSymbolicLink()) throw linkRefused(part);
    if (!status.isDirectory()) {
      throw new PathRefusedError(`${part} is a file, not a folder. Choose another folder.`);
    }
  }
}

/** Git stores no empty folders, but removing an empty submodule folder would count as a change. */
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

/** Only an external agent can create such names. */
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

function linkRefused(path: string): PathRefusedError {
  return new PathRefusedError(`${path} is a link. Links are not followed: use the path of its target.`);
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
