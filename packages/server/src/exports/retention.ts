/**
 * Removes what is no longer kept: files of old exports, files no row speaks of, events and idempotency records
 * past their time. The newest completed export of a project always stays.
 */
import type { Context } from '../context.ts';
import { markPurged } from '../jobs/store.ts';
import { failedByFindings, resultOf } from './record.ts';

const eventDays = 7;
const idempotencyHours = 24;

export async function sweep(context: Context): Promise<{ purged: string[] }> {
  const purged = await purgeOldExports(context);
  await removeOrphans(context);
  await removeOldRows(context);
  return { purged };
}

/** The row is marked before the files go: a link may then fail a moment early, but never half way. */
async function purgeOldExports(context: Context): Promise<string[]> {
  const { retention } = context.config;
  const oldest = hoursAgo(context, retention.days * 24);
  const kept = await context.database
    .selectFrom('jobs')
    .select(['id', 'project_id', 'preview_of', 'finished_at'])
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null)
    .orderBy('project_id')
    .orderBy('sequence', 'desc')
    .execute();
  const seen = new Map<string, number>();
  const purged: string[] = [];
  for (const job of kept) {
    // Previews of branches are counted apart: they must not push out what was published.
    const line = job.preview_of === null ? job.project_id : `previews of ${job.project_id}`;
    const newer = seen.get(line) ?? 0;
    seen.set(line, newer + 1);
    const expendable = newer >= retention.exports || (job.finished_at ?? '') < oldest;
    if (newer === 0 || !expendable) continue;
    await markPurged(context, job.id);
    await context.blobs.removeAll(job.id);
    purged.push(job.id);
  }
  return purged;
}

/**
 * Files of a job that was deleted or purged, and of attempts that were lost before they could say so. The report of a
 * job that failed because of it stays as long as any export.
 */
async function removeOrphans(context: Context): Promise<void> {
  const oldest = hoursAgo(context, context.config.retention.days * 24);
  for (const jobId of await context.blobs.listOwners()) {
    const job = await context.database
      .selectFrom('jobs')
      .select(['status', 'result', 'failure', 'finished_at', 'purged_at'])
      .where('id', '=', jobId)
      .executeTakeFirst();
    const unfinished = job?.status === 'queued' || job?.status === 'running';
    const explains = job !== undefined && failedByFindings(job) && (job.finished_at ?? '') >= oldest;
    if (unfinished || explains) continue;
    const result = job === undefined || job.purged_at !== null ? null : resultOf(job);
    if (result === null) await context.blobs.removeAll(jobId);
    else await removeOtherAttempts(context, jobId, String(result.attempt));
  }
}

async function removeOtherAttempts(context: Context, jobId: string, kept: string): Promise<void> {
  for (const attempt of await context.blobs.listGenerations(jobId)) {
    if (attempt !== kept) await context.blobs.removeAll(`${jobId}/${attempt}`);
  }
}

async function removeOldRows(context: Context): Promise<void> {
  const { database } = context;
  await database
    .deleteFrom('idempotency')
    .where('created_at', '<', hoursAgo(context, idempotencyHours))
    .execute();
  await database
    .deleteFrom('job_events')
    .where('at', '<', hoursAgo(context, eventDays * 24))
    .execute();
}

function hoursAgo(context: Pick<Context, 'clock'>, hours: number): string {
  return new Date(context.clock.now().getTime() - hours * 3_600_000).toISOString();
}
