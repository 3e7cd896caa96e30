/** Decides whether the injected faults explain a failed export. */
import type { Change } from './history.ts';

/** Faults that can end an attempt; killed API processes cannot. */
export type Cause = 'worker' | 'database' | 'storage' | 'disk';

export interface Incident {
  cause: Cause;
  fromMs: number;
  toMs: number;
}

/** Delay until a lost worker is detected and a database has recovered. */
const noticedWithinMs = 20_000;

const causesOf: Record<string, readonly Cause[]> = {
  worker_lost: ['worker', 'database', 'storage', 'disk'],
  storage_failed: ['database', 'storage', 'disk'],
};

/** Returns undefined when a fault explains the end of each attempt. */
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
