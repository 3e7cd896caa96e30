/**
 * The cache folder of a project: the checkout, a readable copy of it and the two files of the build cache. It
 * belongs to one branch and one set of options, so that write access to another branch cannot change it. One
 * export uses it at a time; an export that finds it locked runs without it. Its content may be lost at any
 * time.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { engineIdentity } from './engine-identity.ts';

export interface CacheFolder {
  /** Identifies the version of the program that reads and writes it. */
  engine(): Promise<string>;
  young: string;
  old: string;
  /** The checkout, kept for the next export. */
  sourceFolder: string;
  /** A copy of the checkout for a process that cannot read the original. */
  readableFolder: string;
  /** Records the used size after a completed export. */
  completed(usedBytes: number): Promise<void>;
  /** Removes a possibly damaged cache. */
  discard(): Promise<void>;
  release(): void;
}

const inUse = new Set<string>();
/** Size of unused values at which the files are rotated. */
const unusedBytes = 64 * 1024 ** 2;
export const maxCacheAgeMs = 30 * 24 * 3600 * 1000;

interface Owner {
  projectId: string;
  /** The values that distinguish exports of a project. */
  kind: unknown;
}

/** Undefined when another export uses it, or when caching is disabled. */
export async function openProjectCache(
  { config }: Pick<Context, 'config'>,
  { projectId, kind }: Owner,
): Promise<CacheFolder | undefined> {
  if (config.buildCacheBytes === 0) return undefined;
  return openCacheFolder(join(projectCaches(config), projectId), kind);
}

/** Exports with different `kind` never share a cache. Undefined when another process uses it. */
export async function openCacheFolder(root: string, kind: unknown): Promise<CacheFolder | undefined> {
  const name = createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 24);
  const folder = join(root, name);
  if (inUse.has(folder)) return undefined;
  inUse.add(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = join(folder, 'lock');
    if (!(await lockFor(lock))) return void inUse.delete(folder);
    await rotate(folder);
    return {
      engine: engineIdentity,
      young: join(folder, 'young'),
      old: join(folder, 'old'),
      sourceFolder: join(folder, 'source'),
      readableFolder: join(folder, 'readable'),
      // Only the time of the next rotation depends on it, so a failed write is harmless.
      completed: (usedBytes) => writeFile(join(folder, 'used'), String(usedBytes)).catch(() => undefined),
      discard: () => rm(folder, { recursive: true, force: true }),
      release() {
        inUse.delete(folder);
        rmSync(lock, { force: true });
      },
    };
  } catch (error) {
    inUse.delete(folder);
    throw error;
  }
}

/** False when a running process holds the lock. */
async function lockFor(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner !== process.pid && owner > 0 && isRunning(owner)) return false;
    await writeFile(file, String(process.pid));
    return true;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The files that the sandboxed process inherits open. */
export function cacheFiles(
  folder: Pick<CacheFolder, 'young' | 'old'> | undefined,
): { path: string; use: 'update' | 'read' }[] {
  if (folder === undefined) return [];
  return [
    { path: folder.young, use: 'update' },
    { path: folder.old, use: 'read' },
  ];
}

/**
 * The young file becomes the old one when it exceeds twice the bytes that the last export used, plus
 * `unusedBytes`.
 */
async function rotate(folder: string): Promise<void> {
  const [young, old] = [join(folder, 'young'), join(folder, 'old')];
  const used = Number(await readFile(join(folder, 'used'), 'utf8').catch(() => '0'));
  const { size } = await stat(young).catch(() => ({ size: 0 }));
  if (size > 2 * used + unusedBytes) await rename(young, old);
  for (const file of [young, old]) await writeFile(file, '', { flag: 'a', mode: 0o600 });
  await utimes(folder, new Date(), new Date());
}

/** Removes caches of deleted projects, expired ones, and the least recently used beyond the limit. */
export async function sweepProjectCaches({
  config,
  database,
  measures,
}: Pick<Context, 'config' | 'database' | 'measures'>): Promise<void> {
  const root = projectCaches(config);
  const found = [];
  for (const project of await readdir(root).catch(() => [])) {
    const row = await database
      .selectFrom('projects')
      .select('id')
      .where('id', '=', project)
      .executeTakeFirst();
    if (row === undefined) await rm(join(root, project), { recursive: true, force: true });
    for (const name of await readdir(join(root, project)).catch(() => [])) {
      const folder = join(root, project, name);
      const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: 0 }));
      found.push({ folder, mtimeMs, bytes: await bytesOf(folder) });
    }
  }
  let kept = 0;
  for (const { folder, mtimeMs, bytes } of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    kept += bytes;
    const isKept = kept <= config.buildCacheBytes && mtimeMs >= Date.now() - maxCacheAgeMs;
    if (isKept || inUse.has(folder)) continue;
    kept -= bytes;
    await rm(folder, { recursive: true, force: true });
  }
  measures.cacheMeasured(kept);
}

/** The size of the checkout is estimated by the young file, because counting its files would be slow. */
async function bytesOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    ['young', 'old', 'young'].map((name) => stat(join(folder, name)).catch(() => ({ size: 0 }))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

function projectCaches({ dataDir }: Context['config']): string {
  return join(dataDir, 'cache', 'exports');
}
