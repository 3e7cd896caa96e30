/**
 * Where root renders, the process has another user, who may not be allowed to read a private folder. Such a folder is copied
 * for it, so that the folder itself stays as it is. For everybody else there is nothing to do.
 */
import { lstatSync, statSync, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isForeignFolder, isHiddenFile } from '@docyard/render/files';
import { isDiskFull } from '@docyard/site/disk';
import type { Shown } from './bubblewrap.ts';
import { givesUpRoot, type Shelter } from './launch.ts';
import { copyForAll, type OfSite } from './readable-copy.ts';

export interface Readable {
  shown: Shown[];
  remove(): Promise<void>;
}

interface Choices {
  /** Where a copy stays, to be brought up to date the next time. */
  keepIn?: string | undefined;
  /** What the process must not see is not copied either. */
  hidden?: readonly string[] | undefined;
}

export async function readableFor(
  paths: readonly string[],
  shelter: Shelter,
  { keepIn, hidden = [] }: Choices = {},
): Promise<Readable> {
  const scratch: string[] = [];
  const shown: Shown[] = [];
  if (paths.length === 0 || !givesUpRoot(shelter))
    return { shown: paths.map((place) => ({ source: place, place })), remove: async () => {} };
  // Where it cannot be made, whoever copies finds out.
  if (keepIn !== undefined) await mkdir(keepIn, { recursive: true, mode: 0o700 }).catch(() => undefined);
  // The place of the copy may itself lie in the folder.
  const ofSite = withoutFolders([...hidden, ...(keepIn === undefined ? [] : [keepIn])]);
  for (const [index, place] of paths.entries()) {
    if (await isReadableForAll(place, ofSite)) {
      shown.push({ source: place, place });
      continue;
    }
    const kept = keepIn && (await keptCopyOf(place, join(keepIn, String(index)), ofSite));
    if (kept !== undefined) {
      shown.push({ source: kept, place });
      continue;
    }
    const folder = await mkdtemp(join(tmpdir(), 'docyard-readable-'));
    scratch.push(folder);
    shown.push({ source: await copyOf(place, folder, ofSite), place });
  }
  return {
    shown,
    async remove() {
      for (const folder of scratch) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder says nothing about what is in it. */
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

/** Files are not waited for: 10,000 take 40 ms instead of 400. */
async function isFolderReadable(root: string, folder: Stats, ofSite: OfSite, way: string): Promise<boolean> {
  if (!isOpen(folder)) return false;
  const path = join(root, way);
  for (const name of await readdir(path)) {
    const inside = lstatSync(`${path}/${name}`);
    const wayInside = way === '' ? name : `${way}/${name}`;
    if (!ofSite(wayInside, inside)) continue;
    const isReadable = inside.isDirectory()
      ? await isFolderReadable(root, inside, ofSite, wayInside)
      : isFileReadable(inside);
    if (!isReadable) return false;
  }
  return true;
}

/** Links lead nowhere inside, so they do not count. */
function isFileReadable(found: Stats): boolean {
  return !found.isFile() || (found.mode & 0o004) !== 0;
}

/** Undefined where there is no room for one that stays. */
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

/** Tools keep keys in hidden files. Of those a site uses only snippets and the ones that say what does not belong to it. */
function isSecret(path: string): boolean {
  return isHiddenFile(path) && !/^\.mint(?:lify)?ignore$/.test(basename(path));
}

/** Whatever way leads there. */
function identity({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function identityOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? [] : [identity(found)];
}
