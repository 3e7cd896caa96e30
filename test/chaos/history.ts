/** Reads the history of every job from the event rows and checks transitions, concurrency and fairness between organizations. */
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

/** Changes of status, without progress. */
export function movesOf(changes: readonly Change[]): Change[] {
  return changes.filter((change, index) => {
    const before = changes[index - 1];
    return before?.status !== change.status || before.attempt !== change.attempt;
  });
}

const pathOfAJob = /^queued 0 > running 1( > queued \d+ > running \d+)* > (completed|failed) \d+$/;

/** Contradictions to the lifecycle of a job: one start, one end, increasing attempts and progress. */
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

/** The maximum of concurrent jobs per organization. A requeued attempt counts until its last heartbeat. */
export function maxConcurrent(history: readonly Change[]): number {
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

export interface Turns {
  got: number;
  /** Its share if all waiting organizations had been served equally. */
  due: number;
}

/**
 * Each claim while several organizations wait is one turn, of which each is due an equal share. Organizations at their limit do
 * not wait; retries are not turns.
 */
export function turnsOf(
  history: readonly Change[],
  organizationIds: readonly string[],
  runningPerOrganization: number,
): Map<string, Turns> {
  const places = new Map(
    organizationIds.map((id) => [id, { waiting: new Set<string>(), running: new Set<string>() }]),
  );
  const turns = new Map(organizationIds.map((id) => [id, { got: 0, due: 0 }]));
  for (const { jobId, organizationId, status, attempt } of history) {
    const place = places.get(organizationId);
    if (place === undefined) continue;
    if (status === 'running' && attempt === 1 && place.waiting.has(jobId)) {
      const served = [...places].filter(
        ([id, { waiting, running }]) =>
          id === organizationId || (waiting.size > 0 && running.size < runningPerOrganization),
      );
      for (const [id] of served.length > 1 ? served : []) {
        const own = turns.get(id) ?? { got: 0, due: 0 };
        own.due += 1 / served.length;
        if (id === organizationId) own.got += 1;
      }
    }
    place.waiting.delete(jobId);
    place.running.delete(jobId);
    if (status === 'queued' && attempt === 0) place.waiting.add(jobId);
    if (status === 'running') place.running.add(jobId);
  }
  return turns;
}

/** Jain's fairness index: 1 when all have the same, 1/n when one has everything. */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}

/** Seconds from the start to the first claim, for each job. */
export function waitsOf(history: readonly Change[], organizationId: string): number[] {
  const own = history.filter((change) => change.organizationId === organizationId);
  return [...Map.groupBy(own, ({ jobId }) => jobId).values()].flatMap((changes) => {
    const begun = changes.find(({ status }) => status === 'running');
    const [created] = changes;
    return begun === undefined || created === undefined ? [] : [(begun.atMs - created.atMs) / 1000];
  });
}
