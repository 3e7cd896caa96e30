/** Uses an installation for a long time and checks that nothing grows: memory, open files, processes, disk and rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startGitServer } from '../fakes/git-server.ts';
import { processesIn } from '../torture/processes.ts';
import { Load, type LoadCounts } from './load.ts';
import { trendOf, type Allowance, type Sample, type Trend } from './series.ts';
import { startStack, type Stack, type StackName } from './stacks.ts';

export interface SoakOptions {
  stack: StackName;
  minutes: number;
  warmUpMinutes: number;
  sampleSeconds: number;
  onProgress(text: string): void;
}

export interface Measure extends Trend {
  name: string;
  unit: string;
}

export interface SoakFigures {
  minutes: number;
  warmUpMinutes: number;
  samples: number;
  load: LoadCounts;
  measures: Measure[];
  problems: string[];
}

/** Records that retention keeps for days, so their number follows from the work: a soak looks at the rows of one export. */
const lastingTables = new Set([
  'jobs',
  'job_events',
  'audit_log',
  'idempotency',
  'webhook_messages',
  'webhook_deliveries',
  'webhook_attempts',
  'sqlite_sequence',
]);
const progressEverySeconds = 60;

interface Kind {
  unit: string;
  allowance: Allowance;
}

const kinds = {
  memory: { unit: 'MB', allowance: { share: 0.1, amount: 20 } },
  'open files': { unit: '', allowance: { share: 0.1, amount: 10 } },
  processes: { unit: '', allowance: { share: 0, amount: 3 } },
  disk: { unit: 'MB', allowance: { share: 0.1, amount: 20 } },
  /** It fills until its two files are rotated; see docs/internals/cache.mdx. */
  'build cache': { unit: 'MB', allowance: { share: 0, amount: 320 } },
  objects: { unit: '', allowance: { share: 0.1, amount: 20 } },
  'other rows': { unit: '', allowance: { share: 0.1, amount: 50 } },
  'rows of an export': { unit: '', allowance: { share: 0.1, amount: 1 } },
} as const satisfies Record<string, Kind>;

export async function soak(options: SoakOptions): Promise<SoakFigures> {
  const { stack: name, minutes, warmUpMinutes, onProgress } = options;
  const git = await startGitServer();
  const environment = {
    EGRESS_ALLOW: `source:${git.host}`,
    EXPORT_CONCURRENCY: '2',
    RENDER_PROCESSES: '1',
    RETENTION_EXPORTS: '5',
  };
  onProgress(`starting the stack ${name}`);
  const stack = await startStack(name, environment);
  const over = new AbortController();
  const load = new Load(stack.apis, stack.key);
  try {
    const working = load.run(git, over.signal);
    const samples = await Promise.race([sampleUntil(options, stack, load), working.then(() => [])]);
    over.abort();
    await working;
    const problems = [...load.failures];
    for (const status of await stack.stop())
      if (status !== 0) problems.push(`A process exited with ${status}.`);
    const measures = measuresOf(samples.filter(({ atSeconds }) => atSeconds >= warmUpMinutes * 60));
    for (const { name: measure, growth, allowed, isFlat } of measures) {
      if (!isFlat)
        problems.push(
          `${measure} grew by ${growth.toFixed(1)}, and at most ${allowed.toFixed(1)} is allowed.`,
        );
    }
    return { minutes, warmUpMinutes, samples: samples.length, load: load.counts, measures, problems };
  } finally {
    over.abort();
    await stack.remove();
    await git.close();
  }
}

/** One value of each measure, by name. */
interface Snapshot {
  atSeconds: number;
  values: Map<string, { kind: keyof typeof kinds; value: number }>;
}

async function sampleUntil(
  { minutes, sampleSeconds, onProgress }: SoakOptions,
  stack: Stack,
  load: Load,
): Promise<Snapshot[]> {
  const startedAt = performance.now();
  const samples: Snapshot[] = [];
  let nextProgress = 0;
  for (;;) {
    const atSeconds = (performance.now() - startedAt) / 1000;
    if (atSeconds > minutes * 60) return samples;
    samples.push({ atSeconds, values: await take(stack, load.counts.exports) });
    if (atSeconds >= nextProgress) {
      nextProgress += progressEverySeconds;
      onProgress(progressLine(samples.at(-1), load));
    }
    const next = startedAt + samples.length * sampleSeconds * 1000;
    await pause(Math.max(0, next - performance.now()));
  }
}

async function take(stack: Stack, exports: number): Promise<Snapshot['values']> {
  const values: Snapshot['values'] = new Map();
  for (const { name, service } of stack.processes) {
    values.set(`Memory of ${name}`, { kind: 'memory', value: residentMegabytes(service.pid) });
    const openFiles = readdirSync(`/proc/${service.pid}/fd`).length;
    values.set(`Open files of ${name}`, { kind: 'open files', value: openFiles });
  }
  const children = stack.processes.reduce((sum, { service }) => sum + processesIn(service.dataDir).length, 0);
  values.set('Processes', { kind: 'processes', value: children });
  values.set('Disk', { kind: 'disk', value: stack.diskBytes() / 1e6 });
  values.set('Build cache', { kind: 'build cache', value: stack.buildCacheBytes() / 1e6 });
  values.set('Files or objects of bundles', { kind: 'objects', value: await stack.countObjects() });
  const rows = await stack.countRows();
  const sumOf = (isCounted: (table: string) => boolean) =>
    [...rows].reduce((sum, [table, count]) => sum + (isCounted(table) ? count : 0), 0);
  values.set('Other rows', { kind: 'other rows', value: sumOf((table) => !lastingTables.has(table)) });
  if (exports > 0) {
    const value = sumOf((table) => lastingTables.has(table)) / exports;
    values.set('Rows of an export', { kind: 'rows of an export', value });
  }
  return values;
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = NaN] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}

function measuresOf(samples: readonly Snapshot[]): Measure[] {
  const names = [...(samples.at(-1)?.values ?? [])];
  return names.map(([name, { kind }]) => {
    const series = samples.flatMap(({ atSeconds, values }): Sample[] => {
      const found = values.get(name);
      return found === undefined ? [] : [{ atSeconds, value: found.value }];
    });
    const { unit, allowance } = kinds[kind];
    return { name, unit, ...trendOf(series, allowance) };
  });
}

function progressLine(snapshot: Snapshot | undefined, { counts, failures }: Load): string {
  const memory = [...(snapshot?.values ?? [])]
    .filter(([, { kind }]) => kind === 'memory')
    .map(([, { value }]) => `${Math.round(value)} MB`);
  const minutes = Math.floor((snapshot?.atSeconds ?? 0) / 60);
  return `${minutes} min: ${counts.exports} exports, ${counts.polls} polls, memory ${memory.join(', ')}, failures: ${failures.length}`;
}
