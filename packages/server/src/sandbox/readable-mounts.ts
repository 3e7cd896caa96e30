/**
 * Mounts that a sandboxed process can read. When root renders, the process has another user, so a private
 * folder is copied instead of changing its mode.
 */
import { lstatSync, statSync, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isForeignFolder, isHiddenFile } from '@docyard/render/files';
import { isDiskFull } from '@docyard/site/disk';
import type { Mount } from './bubblewrap.ts';
import { givesUpRoot, type SandboxSetup } from './launch.ts';
import { copyForAll, type OfSite } from './readable-copy.ts';

export interface ReadableMounts {
  mounts: Mount[];
  remove(): Promise<void>;
}

interface MountOptions {
  /** Where a copy is kept for the next run. */
  keepIn?: string | undefined;
  /** Hidden folders are not copied. */
  hidden?: readonly string[] | undefined;
}

export async function readableMounts(
  paths: readonly string[],
  setup: SandboxSetup,
  { keepIn, hidden = [] }: MountOptions = {},
): Promise<ReadableMounts> {
  const scratch: string[] = [];
  const mounts: Mount[] = [];
  if (paths.length === 0 || !givesUpRoot(setup))
    return { mounts: paths.map((path) => ({ source: path, target: path })), remove: async () => {} };
  // The copy reports a folder that cannot be created.
  if (keepIn !== undefined) await mkdir(keepIn, { recursive: true, mode: 0o700 }).catch(() => undefined);
  // The copy may be inside the folder.
  const ofSite = withoutFolders([...hidden, ...(keepIn === undefined ? [] : [keepIn])]);
  for (const [index, path] of paths.entries()) {
    if (await isReadableForAll(path, ofSite)) {
      mounts.push({ source: path, target: path });
      continue;
    }
    const kept = keepIn && (await keptCopyOf(path, join(keepIn, String(index)), ofSite));
    if (kept !== undefined) {
      mounts.push({ source: kept, target: path });
      continue;
    }
    const folder = await mkdtemp(join(tmpdir(), 'docyard-readable-'));
    scratch.push(folder);
    mounts.push({ source: await copyOf(path, folder, ofSite), target: path });
  }
  return {
    mounts,
    async remove() {
      for (const folder of scratch) await rm(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(found: Stats): boolean {
  return found.isDirectory() ? (found.mode & 0o005) === 0o005 : isFileReadable(found);
}

function withoutFolders(folders: readonly string[]): OfSite {
  const leftOut = new Set(folders.flatMap(identityOf));
  return (path, found) =>
    found.isDirectory() ? !isForeignFolder(path) && !leftOut.has(identity(found)) : !isSecret(path);
}

async function isReadableForAll(root: string, ofSite: OfSite): Promise<boolean> {
  const found = await lstat(root);
  return found.isDirectory() ? isFolderReadable(root, found, ofSite, '') : isFileReadable(found);
}

/** Synchronous calls for files are much faster than promises. */
async function isFolderReadable(root: string, folder: Stats, ofSite: OfSite, way: string): Promise<boolean> {
  if (!isOpen(folder)) return false;
  const path = join(root, way);
  for (const name of await readdir(path)) {
    const inside = lstatSync(`${path}/${name}`);
    const relativePath = way === '' ? name : `${way}/${name}`;
    if (!ofSite(relativePath, inside)) continue;
    const isReadable = inside.isDirectory()
      ? await isFolderReadable(root, inside, ofSite, relativePath)
      : isFileReadable(inside);
    if (!isReadable) return false;
  }
  return true;
}

/** Symbolic links are not mounted, so they do not count. */
function isFileReadable(found: Stats): boolean {
  return !found.isFile() || (found.mode & 0o004) !== 0;
}

/** Undefined when the disk has no room for a kept copy. */
async function keptCopyOf(place: string, folder: string, ofSite: OfSite): Promise<string | undefined> {
  try {
    return await copyOf(place, folder, ofSite);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
}

async function copyOf(place: string, folder: string, ofSite: OfSite): Promise<string> {
  if ((await lstat(place)).isDirectory()) return copyForAll(place, folder, ofSite);
  await mkdir(folder, { recursive: true });
  const copy = join(folder, 'file');
  await copyFile(place, copy);
  await chmod(copy, 0o644);
  return copy;
}

/** Hidden files may contain keys of tools. A site uses only its ignore files. */
function isSecret(path: string): boolean {
  return isHiddenFile(path) && !/^\.mint(?:lify)?ignore$/.test(basename(path));
}

/** Identifies a folder regardless of its path. */
function identity({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function identityOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? [] : [identity(found)];
}
