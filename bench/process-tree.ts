/**
 * The processor time of a process, and the memory of it and everything it started, from /proc. Resident sizes are added
 * up, so memory that processes share counts once for each: the figure is too high rather than too low.
 */
import { readFileSync } from 'node:fs';

const sampleEveryMs = 50;
const pageBytes = 4096;
const ticksPerSecond = 100;

/** Processor time of one process so far, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  // The name of the program comes first, in brackets, and may hold anything.
  const [, fields = ''] = /^.*\) (.*)$/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}

/** Returns the function that ends the sampling and gives the highest sum, in bytes. */
export function watchMemory(pid: number): () => number {
  let peak = 0;
  const sample = () => {
    peak = Math.max(
      peak,
      treeOf(pid).reduce((sum, each) => sum + residentBytes(each), 0),
    );
  };
  sample();
  const timer = setInterval(sample, sampleEveryMs);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

function treeOf(pid: number): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageBytes;
}

/** A process that has ended meanwhile reads as nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
