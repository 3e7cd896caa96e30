/**
 * Samples processor time and memory of a process tree from /proc. Memory is the proportional set size (PSS), which divides
 * shared pages between their owners.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const sampleEveryMs = 50;
/** Listing the tree is expensive, so it happens only every few samples. */
const looksForTree = 4;
/**
 * Reading PSS is expensive and would distort the measurement. It is read when RSS, which is cheap, has grown by this factor,
 * and at a bounded rate; in between, PSS is scaled with RSS.
 */
const noticedGrowth = 1.1;
const shareOfTime = 0.01;
const pageBytes = 4096;
const ticksPerSecond = 100;
const hasProportionalSizes = existsSync('/proc/self/smaps_rollup');

export const memoryKind = hasProportionalSizes
  ? `the sum of the proportional set sizes (PSS) of all its processes, followed every ${sampleEveryMs} ms`
  : `the sum of the resident set sizes of all its processes, followed every ${sampleEveryMs} ms (this system does not report proportional ones)`;

/** Processor time of one process, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  // The program name in parentheses may contain any character, including a closing parenthesis.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}

export interface TreeUse {
  peakBytes: number;
  /** A process may have used a little more after the last sample. */
  cpuSeconds: number;
}

/** The returned function stops the sampling and returns the result. */
export function watchTree(pid: number): () => TreeUse {
  let peakBytes = 0;
  /** RSS and PSS share at the last PSS read. */
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

/** Any thread may have started a child process. */
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
  if (!hasProportionalSizes) return residentBytes(pid);
  const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024;
}

/** An exited process reads as an empty text. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
