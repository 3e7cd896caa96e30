/** The processes below this one, as the system tells of them: how much memory they have together, and whether they end. */
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const lookEveryMs = 20;
const pageBytes = 4096;

/** `stop` gives the most megabytes that were seen at once. */
export function watchMemory(): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(
      most,
      descendants(process.pid).reduce((sum, pid) => sum + residentBytes(pid), 0),
    );
  }, lookEveryMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(most / 1e6);
    },
  };
}

/** How many are still there after five seconds; usually they are gone at once. */
export async function endOfDescendants(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (descendants(process.pid).length === 0) return 0;
    await setTimeout(50);
  }
  return descendants(process.pid).length;
}

function descendants(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter((text) => text !== '')
      .flatMap((text) => [Number(text), ...descendants(Number(text))]);
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return 0;
  }
}
