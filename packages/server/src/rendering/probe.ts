/**
 * Tries the walls: starts a process of ours exactly as one for a site would be, which then attempts what an attacker would.
 * It says what got through, and never guesses from versions or settings.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bubblewrap, explainBubblewrap, missingBubblewrap } from './bubblewrap.ts';
import { converseIn, ProcessDied } from './conversation.ts';
import { mostThreads, type Shelter } from './launch.ts';

/** What each attempt shows when it succeeds. */
export const escapes = {
  files: 'files of this machine can be read',
  writing: 'files can be written',
  processes: 'other processes can be seen',
  network: 'the network can be reached',
  descriptors: 'open files are passed on to it',
  calls: 'system calls are not filtered',
  memory: 'memory is not limited',
  forks: 'the number of processes is not limited',
} as const;
export type Escape = keyof typeof escapes;
const names = Object.keys(escapes) as Escape[];

export interface ProbeOrder {
  secretFile: string;
  socketFile: string;
  port: number;
  processId: number;
  /** More than it may have. */
  tooManyBytes: number;
  prlimit: string | undefined;
  mostThreads: number;
}

export type ProbeOutcome = { escapes: Escape[] } | { failed: string; complaint: string };

const program = fileURLToPath(new URL('probe-child.ts', import.meta.url));
const memoryMegabytes = 64;
const processes = 1;
/** It takes a fifth of a second; a busy machine is no reason to give up. */
const mostSeconds = 60;

export async function probe(shelter: Shelter): Promise<ProbeOutcome> {
  // Without letting go: what else is loaded meanwhile would keep the process from being started for 0.1 s.
  const folder = mkdtempSync(join(tmpdir(), 'docyard-probe-'));
  const [secretFile, socketFile] = [join(folder, 'secret'), join(folder, 'socket')];
  const [overNetwork, overFile] = [createServer(), createServer()];
  try {
    writeFileSync(secretFile, 'seen');
    await listen(overNetwork, { port: 0, host: '127.0.0.1' });
    // The name of a socket may have a hundred characters, and that of a folder more.
    await listen(overFile, { path: socketFile }).catch(() => undefined);
    const order: ProbeOrder = {
      secretFile,
      socketFile,
      port: (overNetwork.address() as AddressInfo).port,
      processId: process.pid,
      tooManyBytes: 1024 ** 3,
      prlimit: shelter.own.prlimit,
      mostThreads: mostThreads(processes),
    };
    return await converseIn(shelter, {
      program,
      order,
      memoryMegabytes,
      processes,
      signal: AbortSignal.timeout(mostSeconds * 1000),
      hear: (raw) => ({ answer: { escapes: escapesIn(raw) } }),
    });
  } catch (error) {
    return { failed: reasonOf(error, shelter), complaint: error instanceof Error ? error.message : '' };
  } finally {
    for (const server of [overNetwork, overFile]) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** By hand: loading what checks messages elsewhere takes 60 ms, and every start waits for this one. */
function escapesIn(raw: unknown): Escape[] {
  const { escapes: told } = raw as { escapes?: unknown };
  if (!Array.isArray(told)) throw new Error('The process that tries the walls has said something else.');
  return told.map((name) => {
    const known = names.find((escape) => escape === name);
    if (known === undefined) throw new Error('The process that tries the walls has found what nobody knows.');
    return known;
  });
}

function reasonOf(error: unknown, { confinement }: Shelter): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === bubblewrap)
    return code === 'ENOENT' ? missingBubblewrap() : 'bubblewrap (bwrap) cannot be started';
  if (error instanceof ProcessDied && confinement.walls) return explainBubblewrap(error.message);
  return 'a process with limits cannot be started here';
}

function listen(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('connection', (socket) => socket.destroy());
    server.once('error', reject).listen(place, resolve);
  });
}
