/**
 * Gives a foreign program a copy of the tree, and brings back what it made of it. Every file that comes back passes the
 * same guard as a file that our own tools write; nothing that is not plain text comes back at all.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
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
const mostChangedBytes = 1_000_000;
const pieceBytes = 256_000;

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

/** Writes into the tree what is different in the copy. Throws PathRefused, and then has written nothing or a part. */
export async function harvest(tree: Tree, site: string): Promise<FileChange[]> {
  const before = (await tree.list()).filter(({ path }) => !isKeptOut(path));
  const now = new Set(await plainFiles(site));
  const changes: FileChange[] = before
    .filter(({ path }) => !now.has(path))
    .map(({ path }) => ({ path, content: null }));
  for (const path of now) {
    const content = await changedText(tree, site, path);
    if (content !== undefined) changes.push({ path, content });
  }
  // A folder may have taken the place of a file, so what is gone goes first.
  for (const { path, content } of changes) {
    await (content === null ? tree.remove(path) : tree.write(path, content));
  }
  return changes;
}

function isKeptOut(path: string): boolean {
  return path.split('/').some((name) => namesKeptOut.has(name));
}

/** Undefined when the file is as it was. A changed one is read once, so what is judged is what is written. */
async function changedText(tree: Tree, site: string, path: string): Promise<string | undefined> {
  const file = await openPlain(join(site, path));
  try {
    if (await isUnchanged(file, join(tree.folder, path))) return undefined;
    const bytes = Buffer.alloc(mostChangedBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = (await file.read(bytes, size, bytes.length - size, size)).bytesRead;
    }
    if (size > mostChangedBytes) {
      throw new PathRefused(
        `The agent wrote too much to ${path}. A file may hold ${mostChangedBytes} bytes.`,
      );
    }
    return textOf(bytes.subarray(0, size), path);
  } finally {
    await file.close();
  }
}

/** Piece by piece, because a site may hold films. */
async function isUnchanged(file: FileHandle, original: string): Promise<boolean> {
  const other = await openPlain(original).catch((error: unknown) => {
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

function openPlain(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new PathRefused(`The agent wrote ${path}, which is not text.`, { cause: error });
  }
}

async function plainFiles(site: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const folder = join(site, at);
    // The agent may have locked a folder; it is ours all the same.
    if (((await lstat(folder)).mode & 0o700) !== 0o700) await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (isKeptOut(path)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) found.push(path);
      else throw new PathRefused(`The agent left ${path}, which is neither a file nor a folder.`);
      if (found.length + waiting.length > mostFiles) {
        throw new PathRefused(`The agent left more than ${mostFiles} files.`);
      }
    }
  }
  return found.toSorted();
}
