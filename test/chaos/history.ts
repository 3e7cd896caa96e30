/**
 * What happened to every job, from the rows that the service itself wrote in the transaction of each change: whether the
 * moves were allowed, how many ran at once, and whether organizations were served in turn.
 */
import type { Cluster } from './cluster.ts';

export interface Change {
  sequence: number;
  jobId: string;
  organizationId: string;
  atMs: number;
  status: string;
  attempt: number;
  progress: number;
}

/** In the order in which they happened. */
export async function readHistory(cluster: Cluster, organizationIds: readonly string[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const organizationId of organizationIds) {
    const rows = await cluster.rows(`
      select event.sequence, event.job_id, event.at, fields.status, fields.attempt, fields.progress
      from job_events event join jobs on jobs.id = event.job_id,
        json_to_record(event.row::json) as fields(status text, attempt integer, progress float)
      where jobs.organization_id = '${organizationId}'`);
    for (const [sequence, jobId = '', at = '', status = '', attempt, progress] of rows) {
      changes.push({
        sequence: Number(sequence),
        jobId,
        organizationId,
        atMs: Date.parse(at),
        status,
        attempt: Number(attempt),
        progress: Number(progress),
      });
    }
  }
  return changes.toSorted((a, b) => a.sequence - b.sequence);
}

/** Changes of status without the reports of progress in between. */
export function movesOf(changes: readonly Change[]): Change[] {
  return changes.filter((change, index) => {
    const before = changes[index - 1];
    return before?.status !== change.status || before.attempt !== change.attempt;
  });
}

const pathOfAJob = /^queued 0 > running 1( > queued \d+ > running \d+)* > (completed|failed) \d+$/;

/** What contradicts the life of a job: one beginning, one end, attempts that count up, progress that never falls. */
export function contradictionsIn(changes: readonly Change[]): string[] {
  const moves = movesOf(changes);
  const path = moves.map(({ status, attempt }) => `${status} ${attempt}`).join(' > ');
  const wrong = pathOfAJob.test(path) ? [] : [`it went ${path}`];
  for (const [index, { status, attempt }] of moves.entries()) {
    const before = moves[index - 1]?.attempt ?? 0;
    if (attempt !== (status === 'running' ? before + 1 : before)) wrong.push(`it went ${path}`);
  }
  if (changes.some(({ progress }, index) => progress < (changes[index - 1]?.progress ?? 0))) {
    wrong.push('its progress fell');
  }
  return [...new Set(wrong)];
}

/**
 * Most jobs of one organization that were at work at the same time. An attempt that was handed back counts to its last
 * sign: whoever made it may have been dead since.
 */
export function mostAtOnce(history: readonly Change[]): number {
  const steps: { sequence: number; organizationId: string; step: number }[] = [];
  for (const changes of Map.groupBy(history, ({ jobId }) => jobId).values()) {
    for (const [attempt, own] of Map.groupBy(changes, (change) => change.attempt)) {
      const running = own.filter(({ status }) => status === 'running');
      const [first] = running;
      if (attempt === 0 || first === undefined) continue;
      const ended = own.find(({ status }) => status === 'completed') ?? running.at(-1) ?? first;
      const { organizationId } = first;
      steps.push({ sequence: first.sequence, organizationId, step: 1 });
      steps.push({ sequence: ended.sequence + 0.5, organizationId, step: -1 });
    }
  }
  const now = new Map<string, number>();
  let most = 0;
  for (const { organizationId, step } of steps.toSorted((a, b) => a.sequence - b.sequence)) {
    now.set(organizationId, (now.get(organizationId) ?? 0) + step);
    most = Math.max(most, now.get(organizationId) ?? 0);
  }
  return most;
}

/** Jobs that were begun for the first time while every organization had at least one waiting, by organization. */
export function turnsWhileAllWait(
  history: readonly Change[],
  organizationIds: readonly string[],
): Map<string, number> {
  const waiting = new Map(organizationIds.map((id) => [id, new Set<string>()]));
  const turns = new Map(organizationIds.map((id) => [id, 0]));
  for (const { jobId, organizationId, status, attempt } of history) {
    const own = waiting.get(organizationId);
    if (own === undefined) continue;
    if (status === 'queued') {
      own.add(jobId);
    } else if (own.has(jobId)) {
      const allWait = [...waiting.values()].every((jobs) => jobs.size > 0);
      if (allWait && attempt === 1) turns.set(organizationId, (turns.get(organizationId) ?? 0) + 1);
      own.delete(jobId);
    }
  }
  return turns;
}

/** Jain's index: 1 when all have the same, 1/n when one has everything. */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}

/** Seconds from the start to the first time that a worker began, for each job. */
export function waitsOf(history: readonly Change[], organizationId: string): number[] {
  const own = history.filter((change) => change.organizationId === organizationId);
  return [...Map.groupBy(own, ({ jobId }) => jobId).values()].flatMap((changes) => {
    const begun = changes.find(({ status }) => status === 'running');
    const [created] = changes;
    return begun === undefined || created === undefined ? [] : [(begun.atMs - created.atMs) / 1000];
  });
}
