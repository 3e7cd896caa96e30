/**
 * The folder in which exports of a project leave what the next one can use: the checkout, and a memory of rendered pages and
 * packed blocks. It belongs to one branch and one set of options, so that nobody who may write to another branch can touch
 * it, and to one export at a time; one that finds it taken works without. Everything in it can be lost.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { engineIdentity } from './engine-identity.ts';

export interface MemoryPlace {
  /** Names the program that reads and writes it. */
  engine(): Promise<string>;
  young: string;
  old: string;
  /** Where the source may stay from one export to the next. */
  sourceFolder: string;
  /** Where a copy of it may stay that the process that renders can read. */
  readableFolder: string;
  /** Says how much of the memory is in use, once an export is complete. */
  completed(usedBytes: number): Promise<void>;
  /** It may be damaged: the next export begins anew. */
  discard(): Promise<void>;
  release(): void;
}

const taken = new Set<string>();
/** What is young for longer than it takes to write everything twice is mostly left over. */
const restBytes = 64 * 1024 ** 2;
export const memoryKeptMs = 30 * 24 * 3600 * 1000;

interface Owner {
  projectId: string;
  /** Everything that decides which exports are alike. */
  kind: unknown;
}

/** Undefined when another export has it, or nobody wants any. */
export async function borrowMemory(
  { config }: Pick<Context, 'config'>,
  { projectId, kind }: Owner,
): Promise<MemoryPlace | undefined> {
  if (config.exportMemoryBytes === 0) return undefined;
  return openMemory(join(memoriesOf(config), projectId), kind);
}

/** The same for whoever has a folder of their own for memories. */
export async function openMemory(root: string, kind: unknown): Promise<MemoryPlace | undefined> {
  const name = createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 24);
  const folder = join(root, name);
  if (taken.has(folder)) return undefined;
  taken.add(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = join(folder, 'lock');
    if (!(await lockFor(lock))) return void taken.delete(folder);
    await rotate(folder);
    return {
      engine: engineIdentity,
      young: join(folder, 'young'),
      old: join(folder, 'old'),
      sourceFolder: join(folder, 'source'),
      readableFolder: join(folder, 'readable'),
      // On a disk that is full the memory is rotated too early or too late, which is all that this is for.
      completed: (usedBytes) => writeFile(join(folder, 'used'), String(usedBytes)).catch(() => undefined),
      discard: () => rm(folder, { recursive: true, force: true }),
      release() {
        taken.delete(folder);
        rmSync(lock, { force: true });
      },
    };
  } catch (error) {
    taken.delete(folder);
    throw error;
  }
}

/** False when another process has it that is still there. */
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

/** As the process that renders finds them open, after the others. */
export function memoryFiles(
  memory: Pick<MemoryPlace, 'young' | 'old'> | undefined,
): { path: string; use: 'go on with' | 'read' }[] {
  if (memory === undefined) return [];
  return [
    { path: memory.young, use: 'go on with' },
    { path: memory.old, use: 'read' },
  ];
}

/** When more than half of the young file is of no use any more, it becomes the old one. */
async function rotate(folder: string): Promise<void> {
  const [young, old] = [join(folder, 'young'), join(folder, 'old')];
  const used = Number(await readFile(join(folder, 'used'), 'utf8').catch(() => '0'));
  const { size } = await stat(young).catch(() => ({ size: 0 }));
  if (size > 2 * used + restBytes) await rename(young, old);
  for (const file of [young, old]) await writeFile(file, '', { flag: 'a', mode: 0o600 });
  await utimes(folder, new Date(), new Date());
}

/** Removes those of projects that are no more, what has not been used for long, and the oldest until the others fit. */
export async function sweepMemories({
  config,
  database,
  measures,
}: Pick<Context, 'config' | 'database' | 'measures'>): Promise<void> {
  const root = memoriesOf(config);
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
    const isKept = kept <= config.exportMemoryBytes && mtimeMs >= Date.now() - memoryKeptMs;
    if (isKept || taken.has(folder)) continue;
    kept -= bytes;
    await rm(folder, { recursive: true, force: true });
  }
  measures.cacheMeasured(kept);
}

/** The source is about as large as what is remembered of it; counting its files would take longer than it is worth. */
async function bytesOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    ['young', 'old', 'young'].map((name) => stat(join(folder, name)).catch(() => ({ size: 0 }))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

function memoriesOf({ dataDir }: Context['config']): string {
  return join(dataDir, 'cache', 'exports');
}
