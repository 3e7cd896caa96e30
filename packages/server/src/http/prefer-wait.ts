/**
 * `Prefer: wait=N`: holds the answer until the record changes, so that one request takes the place of many.
 */
import type { JobChanges } from '../ports/changes.ts';

const mostSeconds = 55;

export function preferredWaitSeconds(header: string | undefined): number | undefined {
  const [, digits] = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/.exec(header ?? '') ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), mostSeconds);
}

/** Reads until `unchanged` says no, the time is up, or the signal ends it; gives the last reading. */
export async function readWhenChanged<T>(
  changes: JobChanges,
  options: { jobId: string; seconds: number; signal: AbortSignal },
  read: () => Promise<T>,
  unchanged: (reading: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + options.seconds * 1000;
  for (;;) {
    const seconds = Math.max(0, (deadline - Date.now()) / 1000);
    const change = changes.next(options.jobId, { seconds, signal: options.signal });
    try {
      const reading = await read();
      if (!unchanged(reading)) return reading;
      if ((await change.happened) !== 'changed') return await read();
    } finally {
      change.stop();
    }
  }
}
