/**
 * Gives a foreign program a copy of the tree, brings back what it made of it, and puts there what our own tools wrote.
 * Every file that comes back passes the same guard as a file that our own tools write; nothing that is not plain text
 * comes back at all. The program may be at work meanwhile, so no path in the copy is followed by its name alone.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PathRefused, type FileChange, type Tree } from '../contract.ts';

/**
 * Files that tell other agents what to do or what to start. They come from the branch of the job, which nobody has
 * vouched for, so the copy is without them; the instructions of the project are part of the task.
 */
const namesKeptOut = new Set(
  [
    '.claude .codex .cursor .gemini .github .husky .idea .opencode .vscode .zed',
    '.aider.conf.yml .clinerules .cursorrules .env .envrc .gitmodules .mcp.json .npmrc .windsurfrules opencode.json',
    'AGENTS.md CLAUDE.md GEMINI.md',
  ].flatMap((line) => line.split(' ')),
);

const mostFiles = 100_000;
const mostDepth = 64;
const mostChangedBytes = 1_000_000;
const pieceBytes = 256_000;

export interface Harvest {
  /** What is in the tree now, even when something was refused after it: whoever replays the run needs all of it. */
  changes: FileChange[];
  refused?: PathRefused;
}

export async function copyForAgent(tree: Tree, site: string): Promise<void> {
  await mkdir(site, { recursive: true });
  const folders = new Set<string>();
  for (const { path } of await tree.list()) {
    if (isKeptOut(path)) continue;
    const target = join(site, path);
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true });
    folders.add(dirname(target));
    await copyFile(join(tree.folder, path), target, constants.COPYFILE_FICLONE);
  }
}

/** Writes into the tree what is different in the copy. */
export async function harvest(tree: Tree, site: string): Promise<Harvest> {
  const changes: FileChange[] = [];
  try {
    for (const change of await differences(tree, site)) {
      await (change.content === null ? tree.remove(change.path) : tree.write(change.path, change.content));
      changes.push(change);
    }
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    return { changes, refused: error };
  }
  return { changes };
}

/** A folder may have taken the place of a file, so what is gone comes first. */
async function differences(tree: Tree, site: string): Promise<FileChange[]> {
  const before = new Set((await tree.list()).map(({ path }) => path).filter((path) => !isKeptOut(path)));
  const now = new Set<string>();
  const written: FileChange[] = [];
  await eachFile(site, async (found, file) => {
    // As the tree spells the names of new files.
    const path = before.has(found) ? found : found.normalize('NFC');
    now.add(path);
    const content = await changedText(tree, file, path);
    if (content !== undefined) written.push({ path, content });
  });
  const removed = [...before].filter((path) => !now.has(path)).map((path) => ({ path, content: null }));
  return [...removed, ...written.toSorted((a, b) => (a.path < b.path ? -1 : 1))];
}

/** Makes the copy follow what one of our own tools wrote into the tree. */
export async function putIntoCopy(site: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path, content } of changes) {
    if (isKeptOut(path)) continue;
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

function isKeptOut(path: string): boolean {
  return path.split('/').some((name) => namesKeptOut.has(name));
}

/** Undefined when the file is as it was. A changed one is read once, so what is judged is what is written. */
async function changedText(tree: Tree, file: FileHandle, path: string): Promise<string | undefined> {
  if (await isUnchanged(file, join(tree.folder, path))) return undefined;
  const bytes = Buffer.alloc(mostChangedBytes + 1);
  let size = 0;
  for (let read = -1; read !== 0 && size < bytes.length; size += read) {
    read = (await file.read(bytes, size, bytes.length - size, size)).bytesRead;
  }
  if (size > mostChangedBytes) {
    throw new PathRefused(`The agent wrote too much to ${path}. A file may hold ${mostChangedBytes} bytes.`);
  }
  return textOf(bytes.subarray(0, size), path);
}

/** Piece by piece, because a site may hold films. */
async function isUnchanged(file: FileHandle, original: string): Promise<boolean> {
  const other = await open(original, readOnly).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  });
  if (other === undefined) return false;
  try {
    const [one, two] = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)];
    for (let at = 0; ; at += pieceBytes) {
      const [a, b] = [await file.read(one, 0, pieceBytes, at), await other.read(two, 0, pieceBytes, at)];
      if (!one.subarray(0, a.bytesRead).equals(two.subarray(0, b.bytesRead))) return false;
      if (a.bytesRead < pieceBytes) return true;
    }
  } catch (error) {
    // A folder can be opened, but not read.
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
    throw new PathRefused(`The agent wrote ${path}, which is not text.`, { cause: error });
  }
}

/** Every file of the copy, open. Throws PathRefused for what is neither a file nor a folder. */
async function eachFile(
  site: string,
  visit: (path: string, file: FileHandle) => Promise<void>,
): Promise<void> {
  let count = 0;
  const walk = async (folder: FileHandle, at: string, depth: number): Promise<void> => {
    // The agent may have locked a folder; it is ours all the same.
    if (((await folder.stat()).mode & 0o700) !== 0o700) await chmod(inside(folder), 0o700);
    const entries = await readdir(inside(folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (isKeptOut(path)) continue;
      count += 1;
      if (count > mostFiles) throw new PathRefused(`The agent left more than ${mostFiles} files.`);
      if (depth > mostDepth) throw new PathRefused(`The agent left folders more than ${mostDepth} deep.`);
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

/** Undefined when it is gone since it was listed. */
async function openInside(folder: FileHandle, name: string, path: string, isFolder: boolean) {
  const flags = isFolder ? folderOnly : readOnly;
  return open(inside(folder, name), flags).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EACCES') throw new PathRefused(`The agent left ${path}, which cannot be read.`);
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO') throw notPlain(path);
    throw error;
  });
}

/** Node knows no name for it: a handle that only says where something is, for which no permission is needed. */
const O_PATH = 0o10000000;
const folderOnly = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Missing folders are made. No link is followed on the way. */
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
 * A place in a folder that is open: the kernel goes from the handle, so a folder that was meanwhile replaced by a link
 * leads nowhere else. Only Linux has this, and only Linux has the sandbox.
 */
function inside(folder: FileHandle, name?: string): string {
  const place = `/proc/self/fd/${folder.fd}`;
  return name === undefined ? place : `${place}/${name}`;
}

function notPlain(path: string): PathRefused {
  return new PathRefused(`The agent left ${path}, which is neither a file nor a folder.`);
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
