/**
 * Where root renders, the process has another user, who may not be allowed to read a private folder. Such a folder is copied
 * for it, so that the folder itself stays as it is. For everybody else there is nothing to do.
 */
import { lstatSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shown } from './bubblewrap.ts';
import { givesUpRoot, type Shelter } from './launch.ts';

export interface Readable {
  shown: Shown[];
  remove(): Promise<void>;
}

export async function readableFor(paths: readonly string[], shelter: Shelter): Promise<Readable> {
  const scratch: string[] = [];
  const shown: Shown[] = [];
  if (paths.length === 0 || !givesUpRoot(shelter))
    return { shown: paths.map((place) => ({ source: place, place })), remove: async () => {} };
  // The renderer takes 100 ms to load, and a server is ready without it.
  const { isForeignFolder } = await import('@docyard/render');
  const ofSite = (names: string[]) => names.filter((name) => !isForeignFolder(name));
  for (const place of paths) {
    if (await isReadableForAll(place, ofSite)) {
      shown.push({ source: place, place });
      continue;
    }
    const folder = await mkdtemp(join(tmpdir(), 'docyard-readable-'));
    scratch.push(folder);
    await copyForAll(place, join(folder, 'copy'), ofSite);
    shown.push({ source: join(folder, 'copy'), place });
  }
  return {
    shown,
    async remove() {
      for (const folder of scratch) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Leaves out what belongs to tools. */
type OfSite = (names: string[]) => string[];

const modeForAll = { folder: 0o755, file: 0o644 } as const;

/** Links lead nowhere inside, so they do not count. Files are not waited for: 10,000 take 40 ms instead of 400. */
async function isReadableForAll(path: string, ofSite: OfSite): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isDirectory()) return !found.isFile() || (found.mode & 0o004) !== 0;
  if ((found.mode & 0o005) !== 0o005) return false;
  for (const name of ofSite(await readdir(path))) {
    const inside = lstatSync(join(path, name));
    const isReadable = inside.isDirectory()
      ? await isReadableForAll(join(path, name), ofSite)
      : !inside.isFile() || (inside.mode & 0o004) !== 0;
    if (!isReadable) return false;
  }
  return true;
}

async function copyForAll(from: string, to: string, ofSite: OfSite): Promise<void> {
  const found = await lstat(from);
  if (found.isFile()) {
    await copyFile(from, to);
    await chmod(to, modeForAll.file);
  }
  if (!found.isDirectory()) return;
  await mkdir(to);
  await chmod(to, modeForAll.folder);
  for (const name of ofSite(await readdir(from))) {
    await copyForAll(join(from, name), join(to, name), ofSite);
  }
}
