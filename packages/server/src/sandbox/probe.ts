/** Probes the sandbox: starts a process exactly like one for a site and lets it attempt escapes. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bubblewrap, explainBubblewrap, missingBubblewrap } from './bubblewrap.ts';
import { runInSandbox, ProcessDiedError } from './run-in-sandbox.ts';
import { maxThreads, type SandboxSetup } from './launch.ts';

/** What a successful attempt proves. */
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
  /** Exceeds the memory limit. */
  tooManyBytes: number;
  prlimit: string | undefined;
  maxThreads: number;
}

export type ProbeOutcome = { escapes: Escape[] } | { failed: string; complaint: string };

const program = fileURLToPath(new URL('probe-child.ts', import.meta.url));
const memoryMegabytes = 64;
const processes = 1;
/** Generous, for a busy machine. */
const maxSeconds = 60;

export async function probe(setup: SandboxSetup): Promise<ProbeOutcome> {
  // Synchronous, because module loading would delay the start of the process.
  const folder = mkdtempSync(join(tmpdir(), 'docyard-probe-'));
  const [secretFile, socketFile] = [join(folder, 'secret'), join(folder, 'socket')];
  const [overNetwork, overFile] = [createServer(), createServer()];
  try {
    writeFileSync(secretFile, 'seen');
    await listen(overNetwork, { port: 0, host: '127.0.0.1' });
    // A socket path is limited to about a hundred characters.
    await listen(overFile, { path: socketFile }).catch(() => undefined);
    const order: ProbeOrder = {
      secretFile,
      socketFile,
      port: (overNetwork.address() as AddressInfo).port,
      processId: process.pid,
      tooManyBytes: 1024 ** 3,
      prlimit: setup.runtime.prlimit,
      maxThreads: maxThreads(processes),
    };
    return await runInSandbox(setup, {
      program,
      order,
      memoryMegabytes,
      processes,
      signal: AbortSignal.timeout(maxSeconds * 1000),
      onMessage: (raw) => ({ answer: { escapes: escapesIn(raw) } }),
    });
  } catch (error) {
    return { failed: reasonOf(error, setup), complaint: error instanceof Error ? error.message : '' };
  } finally {
    for (const server of [overNetwork, overFile]) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Validated by hand, because loading a schema library would delay the start. */
function escapesIn(raw: unknown): Escape[] {
  const { escapes: reported } = raw as { escapes?: unknown };
  if (!Array.isArray(reported)) throw new Error('The probe process sent an invalid message.');
  return reported.map((name) => {
    const known = names.find((escape) => escape === name);
    if (known === undefined) throw new Error('The probe process reported an unknown escape.');
    return known;
  });
}

function reasonOf(error: unknown, { confinement }: SandboxSetup): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === bubblewrap)
    return code === 'ENOENT' ? missingBubblewrap() : 'bubblewrap (bwrap) cannot be started';
  if (error instanceof ProcessDiedError && confinement.namespaces) return explainBubblewrap(error.message);
  return 'a process with limits cannot be started';
}

function listen(server: Server, place: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('connection', (socket) => socket.destroy());
    server.once('error', reject).listen(place, resolve);
  });
}
