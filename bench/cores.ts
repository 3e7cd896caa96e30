/** Pins this process to cores; every process it starts inherits that. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The targets are defined for a machine with two cores. */
const defaultCores = 2;

/** Returns a note for the report. */
export function pinToCores(wanted: string | undefined): string {
  const all = availableParallelism();
  const allowed = allowedCores();
  const list = wanted ?? allowed.slice(0, defaultCores).join(',');
  const { status } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(process.pid)]);
  if (status !== 0) return `not pinned (taskset is missing or refuses the cores ${list}), all ${all} cores`;
  return `everything pinned to the cores ${list} of ${all}`;
}

/** A container may own cores 4 and 5, for example. */
function allowedCores(): number[] {
  const { stdout } = spawnSync('taskset', ['--cpu-list', '--pid', String(process.pid)], { encoding: 'utf8' });
  const ranges = /: ([\d,-]+)\s*$/.exec(stdout ?? '')?.[1] ?? '0-1';
  return ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
