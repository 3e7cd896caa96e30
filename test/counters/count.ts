/** Counts the work per page of an export of a small fixed site, in units that are the same on every machine. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../temporary-resources.ts';
import { writeCounterSite } from './site.ts';

/** Sums over the whole site. */
export interface Counted {
  pages: number;
  files: number;
  outputBytes: number;
  allocated: number;
  steps: Record<string, number>;
}

/** Averages per page. */
export type Counters = Record<string, number>;

export interface Expected {
  /** Counts differ between versions of V8. */
  node: string;
  eachPage: Counters;
}

export const expectedFile = fileURLToPath(new URL('expected.json', import.meta.url));

const pages = 48;
const youngMegabytes = 1024;
const flags = [
  `--min-semi-space-size=${youngMegabytes}`,
  `--max-semi-space-size=${youngMegabytes}`,
  '--expose-gc',
  // Optimized code elides allocations, and when it is compiled depends on other threads.
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--single-threaded',
  // Marking in steps and the limit of memory outside the heap depend on the speed of the machine.
  '--no-incremental-marking',
  '--external-memory-accounted-in-global-limit',
  '--initial-old-space-size=1024',
];

export async function countExport(): Promise<Counters> {
  const [warmUp, measured] = [temporaryFolder('warm-up'), temporaryFolder('counted')];
  writeCounterSite(warmUp, 16, 11);
  writeCounterSite(measured, pages, 7);
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [warmUp, measured], {
    execArgv: flags,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC' },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The counting process exited with ${String(code)}.`);
  });
  const [counted] = (await Promise.race([once(child, 'message'), ended])) as [Counted];
  return eachPage(counted);
}

function eachPage({ pages: rendered, files, outputBytes, allocated, steps }: Counted): Counters {
  const each = (sum: number) => Math.round((sum / rendered) * 100) / 100;
  return {
    'files written': each(files),
    'bytes written': Math.round(outputBytes / rendered),
    'bytes allocated': Math.round(allocated / rendered),
    ...Object.fromEntries(
      Object.entries(steps).map(([stage, sum]) => [`steps in ${stage}`, Math.round(sum / rendered)]),
    ),
  };
}
