/**
 * The process that waits for the next export of the branch that was exported last, so that nobody waits for it to start. It
 * sees that branch's checkout, has its memory open and nothing else, gets one order, and ends with it. There is one at most;
 * an export that it does not fit starts its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { SourceRequest } from '../ports/sources.ts';
import { startAhead, type Started } from '../rendering/process.ts';
import { foresee, identityOf, type Foreseen } from './foreseen.ts';
import { exportMemoryMegabytes, program } from './process.ts';
import { memoryFiles, type MemoryPlace } from './project-memory.ts';

export interface Waiting {
  started: Started;
  /** Holds the files that it writes, by their usual names. */
  folder: string;
}

interface WaitingFor extends Waiting {
  /** The checkout, and the files of the memory: others than these were not meant. */
  identities: string;
  removed(): void;
}

type Owner = Pick<Context, 'config' | 'sources' | 'blobs'>;
type Source = Omit<SourceRequest, 'commit' | 'credential'>;

/** Long enough for the next export in line to begin, which needs the processors more. */
const pauseMs = 50;
let waiting: WaitingFor | undefined;
let running = 0;

/** Says that an export has begun; what it gives back says that it has ended. */
export function noteExport(): () => void {
  running += 1;
  return () => void (running -= 1);
}

/** The names of the files that an export has written for it. */
export function filesIn(folder: string): { spool: string; report: string; bundle: string } {
  return {
    spool: join(folder, 'spool'),
    report: join(folder, 'report.json'),
    bundle: join(folder, 'bundle.tar.gz'),
  };
}

/** Whoever takes it removes its folder. */
export async function takeWaiting(foreseen: Foreseen, memory: MemoryPlace): Promise<Waiting | undefined> {
  const identities = await identitiesOf(foreseen, memory);
  if (waiting?.identities !== identities) return undefined;
  const taken = waiting;
  waiting = undefined;
  taken.removed();
  if (taken.started.isThere) return taken;
  await rm(taken.folder, { recursive: true, force: true });
  return undefined;
}

/** For the next export of a branch of which one has just ended. What goes wrong is found out by that export. */
export async function waitForNext(context: Owner, source: Source, memory: MemoryPlace): Promise<void> {
  const { exportWaitingSeconds: seconds, dataDir, renderProcesses } = context.config;
  if (seconds === 0) return;
  await new Promise((resolve) => void setTimeout(resolve, pauseMs).unref());
  const foreseen = running > 0 ? undefined : await foresee(context.sources, source, memory.sourceFolder);
  if (foreseen === undefined) return;
  const folder = await mkdtemp(join(dataDir, 'work', 'waiting-'));
  const files = filesIn(folder);
  const identities = await identitiesOf(foreseen, memory);
  const started = await startAhead({
    program,
    folder: foreseen.folder,
    memoryMegabytes: exportMemoryMegabytes,
    yields: true,
    processes: renderProcesses,
    hidden: [dataDir],
    files: [
      { path: files.spool, use: 'write' },
      { path: files.report, use: 'write' },
      ...memoryFiles(memory),
    ],
    output: context.blobs.putFile === undefined ? 'pipe' : { file: files.bundle },
  });
  await endWaiting();
  if (started === undefined) return rm(folder, { recursive: true, force: true });
  const timer = setTimeout(() => void endWaiting(), seconds * 1000).unref();
  waiting = { started, folder, identities, removed: () => clearTimeout(timer) };
}

async function endWaiting(): Promise<void> {
  const ended = waiting;
  waiting = undefined;
  ended?.removed();
  ended?.started.kill();
  if (ended !== undefined) await rm(ended.folder, { recursive: true, force: true });
}

async function identitiesOf({ folder, identity }: Foreseen, { young, old }: MemoryPlace): Promise<string> {
  return JSON.stringify([folder, identity, await identityOf(young), await identityOf(old)]);
}
