/**
 * Tries the walls: starts a process of ours exactly as one for a site would be, which then attempts what an attacker would.
 * It says what got through, and never guesses from versions or settings.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bubblewrap, explainBubblewrap } from './bubblewrap.ts';
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

const Answer = z.object({ escapes: z.array(z.enum(names)) });

const program = fileURLToPath(new URL('probe-child.ts', import.meta.url));
const memoryMegabytes = 64;
const processes = 1;
/** A fifth of a second when nothing else runs; a start is no reason to give up on a busy machine. */
const mostSeconds = 20;

export async function probe(shelter: Shelter): Promise<ProbeOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-probe-'));
  const [secretFile, socketFile] = [join(folder, 'secret'), join(folder, 'socket')];
  const [overNetwork, overFile] = [await listenOn(0), await listenOn(socketFile)];
  try {
    await writeFile(secretFile, 'seen');
    const order: ProbeOrder = {
      secretFile,
      socketFile,
      port: overNetwork.port,
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
      hear: (raw) => ({ answer: Answer.parse(raw) }),
    });
  } catch (error) {
    return { failed: reasonOf(error, shelter), complaint: error instanceof Error ? error.message : '' };
  } finally {
    for (const server of [overNetwork, overFile]) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function reasonOf(error: unknown, { confinement }: Shelter): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path === bubblewrap) return 'bubblewrap (bwrap) is not installed';
  if (error instanceof ProcessDied && confinement.walls) return explainBubblewrap(error.message);
  return 'a process with limits cannot be started here';
}

async function listenOn(place: number | string): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof place === 'number') server.listen(place, '127.0.0.1', resolve);
    else server.listen(place, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => void server.close(),
  };
}
