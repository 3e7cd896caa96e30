/**
 * The processor time of a process, and the memory of it and everything it started, from /proc. Memory is the proportional
 * set size: what processes share is divided between them, so that the sum is what they hold together.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const sampleEveryMs = 50;
/** New processes are looked for less often: it takes longer than all the rest. */
const looksForTree = 4;
/**
 * Proportional sizes cost milliseconds for large processes, on the cores that are measured: reading them each time took 12 % of a
 * core. They are asked for when the resident sizes, which cost nothing, have grown by so much, and as often as a hundredth of the time
 * allows; in between both are taken to change alike. Asked for only when they had grown, sums were up to 8 % too small or 5 % too large.
 */
const noticedGrowth = 1.1;
const shareOfTime = 0.01;
const pageBytes = 4096;
const ticksPerSecond = 100;
const tellsProportional = existsSync('/proc/self/smaps_rollup');

/** For the notes below a table. */
export const memoryKind = tellsProportional
  ? `the sum of the proportional set sizes (PSS) of all its processes, followed every ${sampleEveryMs} ms`
  : `the sum of the resident set sizes of all its processes, followed every ${sampleEveryMs} ms (this system does not tell proportional ones)`;

/** Processor time of one process so far, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  // The name of the program comes first, in brackets, and may hold anything.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}

export interface TreeUse {
  /** The highest sum of memory. */
  peakBytes: number;
  /** As far as it was seen: a process may have done a little more after the last look. */
  cpuSeconds: number;
}

/** Returns the function that ends the sampling and tells what was seen. */
export function watchTree(pid: number): () => TreeUse {
  let peakBytes = 0;
  /** When the proportional sizes were last asked for, and what part they were. */
  let askedAtBytes = 0;
  let askAgainAtMs = 0;
  let proportion = 1;
  let looks = 0;
  let tree: number[] = [];
  const cpuSeconds = new Map<number, number>();
  const sample = () => {
    if (looks % looksForTree === 0) tree = treeOf(pid);
    looks += 1;
    for (const each of tree) cpuSeconds.set(each, Math.max(cpuSeconds.get(each) ?? 0, cpuSecondsOf(each)));
    const resident = sumOf(tree, residentBytes);
    const nowMs = performance.now();
    if (resident > askedAtBytes * noticedGrowth || nowMs > askAgainAtMs) {
      askedAtBytes = Math.max(askedAtBytes, resident);
      proportion = sumOf(tree, proportionalBytes) / Math.max(1, resident);
      askAgainAtMs = nowMs + (performance.now() - nowMs) / shareOfTime;
    }
    peakBytes = Math.max(peakBytes, resident * proportion);
  };
  sample();
  const timer = setInterval(sample, sampleEveryMs);
  return () => {
    clearInterval(timer);
    return { peakBytes, cpuSeconds: [...cpuSeconds.values()].reduce((sum, each) => sum + each, 0) };
  };
}

export function watchMemory(pid: number): () => number {
  const end = watchTree(pid);
  return () => end().peakBytes;
}

/** Any thread may have started a process. */
function treeOf(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function sumOf(pids: readonly number[], bytesOf: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + bytesOf(pid), 0);
}

function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageBytes;
}

function proportionalBytes(pid: number): number {
  if (!tellsProportional) return residentBytes(pid);
  const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024;
}

/** A process that has ended meanwhile reads as nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
