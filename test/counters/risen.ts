/** Which counters are higher than they were, by more than chance. */
import type { Counters } from './count.ts';

/** Allocations differ by 0.2 % from run to run, the others not at all; what is small may grow by a little. */
const share = 0.02;
const little = 5;

export function risen(before: Counters, now: Counters): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const known = before[name];
    if (known === undefined) return [`${name}: ${count} a page, and none before`];
    if (count <= known * (1 + share) + (name === 'files written' ? 0 : little)) return [];
    return [`${name}: ${count} a page, ${((count / known - 1) * 100).toFixed(1)} % more than ${known}`];
  });
}
