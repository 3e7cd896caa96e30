/**
 * Creates the file copy of an external agent and moves changes between the copy and the tree. Files that come
 * back pass the path guard and must be text. The agent may run meanwhile, so paths in the copy are resolved
 * through open folder handles.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PathRefusedError, type FileChange, type Tree } from '../contract.ts';
import { isAgentFile } from './agent-files.ts';

const maxFiles = 100_000;
const maxDepth = 64;
const maxChangedBytes = 1_000_000;
const chunkBytes = 256_000;

export interface CollectedChanges {
  /** Everything written to the tree, even before a refusal, because a replay needs all of it. */
  changes: FileChange[];
  refused?: PathRefusedError;
}

export async function createAgentCopy(tree: Tree, site: string): Promise<void> {
  await mkdir(site, { recursive: true });
  const folders = new Set<string>();
  for (const { path } of await tree.list()) {
    if (isAgentFile(path)) continue;
    const target = join(site, path);
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true });
    folders.add(dirname(target));
    await copyFile(join(tree.folder, path), target, constants.COPYFILE_FICLONE);
  }
}

export async function collectChanges(tree: Tree, site: string): Promise<CollectedChanges> {
  const changes: FileChange[] = [];
  try {
    for (const change of await differences(tree, site)) {
      await (change.content === null ? tree.remove(change.path) : tree.write(change.path, change.content));
      changes.push(change);
    }
  } catch (error) {
    if (!(error instanceof PathRefusedError)) throw error;
    return { changes, refused: error };
  }
  return { changes };
}

/** Removals first, because a folder may replace a file. */
async function differences(tree: Tree, site: string): Promise<FileChange[]> {
  const before = new Set((await tree.list()).map(({ path }) => path).filter((path) => !isAgentFile(path)));
  const now = new Set<string>();
  const written: FileChange[] = [];
  await eachFile(site, async (found, file) => {
    // The tree normalizes new names to NFC.
    const path = before.has(found) ? found : found.normalize('NFC');
    now.add(path);
    const content = await changedText(tree, file, path);
    if (content !== undefined) written.push({ path, content });
  });
  const removed = [...before].filter((path) => !now.has(path)).map((path) => ({ path, content: null }));
  return [...removed, ...written.toSorted((a, b) => (a.path < b.path ? -1 : 1))];
}

export async function applyToCopy(site: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, content } of changes) {
    if (isAgentFile(path)) continue;
    const names = path.split('/');
    const name = names.pop() ?? '';
    const folder = await openFolderOf(site, names);
    try {
      if (content === null) await unlink(inside(folder, name)).catch(ignoreMissing);
      else await overwrite(inside(folder, name), content);
    } finally {
      await folder.close();
    }
  }
}

async function overwrite(place: string, content: string): Promise<void> {
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
  const file = await open(place, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Undefined if unchanged. A changed file is read once, so the judged text is the written text. */
async function changedText(tree: Tree, file: FileHandle, path: string): Promise<string | undefined> {
  if (await isUnchanged(file, join(tree.folder, path))) return undefined;
  const bytes = Buffer.alloc(maxChangedBytes + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size < bytes.length; size += read) {
    read = (await file.read(bytes, size, bytes.length - size, size)).bytesRead;
  }
  if (size > maxChangedBytes) {
    throw new PathRefusedError(`The agent wrote more than ${maxChangedBytes} bytes to ${path}.`);
  }
  return textOf(bytes.subarray(0, size), path);
}

/** In chunks, because a site may contain videos. */
async function isUnchanged(file: FileHandle, original: string): Promise<boolean> {
  const other = await open(original, readOnly).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  });
  if (other === undefined) return false;
  try {
    const [one, two] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
    for (let at = 0; ; at += chunkBytes) {
      const [a, b] = [await file.read(one, 0, chunkBytes, at), await other.read(two, 0, chunkBytes, at)];
      if (!one.subarray(0, a.bytesRead).equals(two.subarray(0, b.bytesRead))) return false;
      if (a.bytesRead < chunkBytes) return true;
    }
  } catch (error) {
    // Folders open but do not read.
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return false;
    throw error;
  } finally {
    await other.close();
  }
}

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new PathRefusedError(`The agent wrote ${path}, which is not text.`, { cause: error });
  }
}

async function eachFile(
  site: string,
  visit: (path: string, file: FileHandle) => Promise<void>,
): Promise<void> {
  let count = 0;
  const walk = async (folder: FileHandle, at: string, depth: number): Promise<void> => {
    // The agent may have removed its permissions.
    if (((await folder.stat()).mode & 0o700) !== 0o700) await chmod(inside(folder), 0o700);
    const entries = await readdir(inside(folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (isAgentFile(path)) continue;
      count += 1;
      if (count > maxFiles) throw new PathRefusedError(`The agent left more than ${maxFiles} files.`);
      if (depth > maxDepth) throw new PathRefusedError(`The agent left folders more than ${maxDepth} deep.`);
      const handle = await openInside(folder, entry.name, path, entry.isDirectory());
      if (handle === undefined) continue;
      try {
        if (entry.isDirectory()) await walk(handle, path, depth + 1);
        else if (entry.isFile() && (await handle.stat()).isFile()) await visit(path, handle);
        else throw notPlain(path);
      } finally {
        await handle.close();
      }
    }
  };
  const root = await openFolderOf(site, []);
  try {
    await walk(root, '', 0);
  } finally {
    await root.close();
  }
}

/** Undefined if it was removed since the listing. */
async function openInside(folder: FileHandle, name: string, path: string, isFolder: boolean) {
  const flags = isFolder ? folderOnly : readOnly;
  return open(inside(folder, name), flags).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EACCES') throw new PathRefusedError(`The agent left ${path}, which cannot be read.`);
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO') throw notPlain(path);
    throw error;
  });
}

/** O_PATH, which Node does not define: a handle that needs no read permission. */
const O_PATH = 0o10000000;
const folderOnly = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

async function openFolderOf(site: string, names: readonly string[]): Promise<FileHandle> {
  let folder = await open(site, folderOnly);
  for (const name of names) {
    const outer = folder;
    try {
      await mkdir(inside(outer, name)).catch(ignoreExisting);
      folder = await open(inside(outer, name), folderOnly);
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/**
 * Resolving through the handle prevents a race in which the agent replaces a folder with a link. Linux only,
 * like the sandbox.
 */
function inside(folder: FileHandle, name?: string): string {
  const place = `/proc/self/fd/${folder.fd}`;
  return name === undefined ? place : `${place}/${name}`;
}

function notPlain(path: string): PathRefusedError {
  return new PathRefusedError(`The agent left ${path}, which is neither a file nor a folder.`);
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
