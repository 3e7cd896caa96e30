/**
 * Which cores everything runs on. This process is pinned, and whatever it starts inherits that: Docyard, the other generators,
 * servers, databases and those who put load on them.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The targets are those of a machine with so many. */
const usualCores = 2;

/** Returns what there is to tell about it. */
export function pinToCores(wanted: string | undefined): string {
  const all = availableParallelism();
  const allowed = allowedCores();
  const list = wanted ?? allowed.slice(0, usualCores).join(',');
  const { status } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(process.pid)]);
  if (status !== 0) return `not pinned (taskset is missing or refuses the cores ${list}), all ${all} cores`;
  return `everything pinned to the cores ${list} of ${all}`;
}

/** A container may have the cores 4 and 5. */
function allowedCores(): number[] {
  const { stdout } = spawnSync('taskset', ['--cpu-list', '--pid', String(process.pid)], { encoding: 'utf8' });
  const ranges = /: ([\d,-]+)\s*$/.exec(stdout ?? '')?.[1] ?? '0-1';
  return ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
