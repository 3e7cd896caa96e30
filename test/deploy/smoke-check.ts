/** Checks a newly installed program: it responds, exports the sample site, shows the manual and stops. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocyardClient, waitForExport } from '@docyard/api';
import { watchMemory } from '../../bench/process-tree.ts';

export interface VisitFigures {
  startMs: number;
  idleMegabytes: number;
  exportMegabytes: number;
  stopMs: number;
}

/** `child` is a process that runs `serve --admin-key-file DATA/admin-key`, or its launcher. */
export async function visit(child: ChildProcess, dataDir: string): Promise<VisitFigures> {
  const started = performance.now();
  const origin = await originOf(child);
  expectOk(await fetch(`${origin}/readyz`));
  const startMs = performance.now() - started;
  // The pid of the program, not of its launcher.
  const pid = Number(readFileSync(join(dataDir, 'lock.pid'), 'utf8'));
  const idleMegabytes = megabytes(watchMemory(pid)());

  const apiKey = readFileSync(join(dataDir, 'admin-key'), 'utf8').trim();
  const client = new DocyardClient({ baseUrl: origin, apiKey });
  const highest = watchMemory(pid);
  const { jobId } = await client.call('startExport', { body: { domain: 'handbook.example.com' } });
  const job = await waitForExport(client, jobId, { timeoutSeconds: 120 });
  if (job.status !== 'completed') throw new Error(`The export ended ${job.status}: ${JSON.stringify(job)}`);
  const exportMegabytes = megabytes(highest());
  const manual = await fetch(`${origin}/docs/`);
  expectOk(manual);
  if (!(await manual.text()).includes('Docyard')) throw new Error('The manual is not the manual.');

  const stopping = performance.now();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.kill(pid, 'SIGTERM');
  await ended;
  return { startMs, idleMegabytes, exportMegabytes, stopMs: performance.now() - stopping };
}

function originOf(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const hear = (text: Buffer | string) => {
      output += String(text);
      const [, port] = /running at http:\/\/[^:\s]+:(\d+)/.exec(output) ?? [];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`The program ended with ${code}:\n${output}`)));
  });
}

function expectOk(response: Response): void {
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}.`);
}

const megabytes = (bytes: number) => bytes / 1e6;
