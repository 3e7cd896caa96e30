/** Watches the memory and the end of the descendants of this process. */
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const lookEveryMs = 20;
const pageBytes = 4096;

/** `stop` returns the peak in megabytes. */
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

/** The number of descendants that are still running after a grace period. */
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
    // The process has exited.
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
