/** Whether the trouble of a run explains that an export was given up. */
import type { Change } from './history.ts';

/** What hits workers and what they store; killed API processes lose no attempt. */
export type Cause = 'worker' | 'database' | 'storage' | 'disk';

export interface Incident {
  cause: Cause;
  fromMs: number;
  toMs: number;
}

/** A lost worker is noticed this much later than it was lost; the database gets time after an outage. */
const noticedWithinMs = 20_000;

const causesOf: Record<string, readonly Cause[]> = {
  worker_lost: ['worker', 'database', 'storage', 'disk'],
  storage_failed: ['database', 'storage', 'disk'],
};

/** The sentence to complain with; undefined when each attempt met trouble that can end it. */
export function whyUnexplained(
  code: string,
  changes: readonly Change[],
  incidents: readonly Incident[],
): string | undefined {
  const causes = causesOf[code];
  if (causes === undefined) return `${code} is no failure that trouble causes`;
  for (const { attempt, fromMs, toMs } of attemptsIn(changes)) {
    const met = incidents.some(
      (incident) =>
        causes.includes(incident.cause) &&
        incident.fromMs <= toMs &&
        incident.toMs + noticedWithinMs >= fromMs,
    );
    if (!met) return `no trouble explains the loss of attempt ${attempt}`;
  }
  return undefined;
}

function attemptsIn(changes: readonly Change[]): { attempt: number; fromMs: number; toMs: number }[] {
  return [...Map.groupBy(changes, ({ attempt }) => attempt)]
    .filter(([attempt]) => attempt > 0)
    .map(([attempt, own]) => ({
      attempt,
      fromMs: Math.min(...own.map(({ atMs }) => atMs)),
      toMs: Math.max(...own.map(({ atMs }) => atMs)),
    }));
}
