/** `Prefer: wait=N` (RFC 7240): holds the response until the record changes (long polling). */
import type { JobChanges } from '../ports/changes.ts';

const maxSeconds = 55;

export function preferredWaitSeconds(header: string | undefined): number | undefined {
  const [, digits] = /(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])/.exec(header ?? '') ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), maxSeconds);
}

/** Reads until `unchanged` is false, the time is up, or the signal is aborted; returns the last reading. */
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
