/**
 * Removes files of old exports, orphaned files, old events and old idempotency records. The newest completed
 * export of a project always stays.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { markPurged, type Job } from '../jobs/store.ts';
import { failedByFindings, resultOf } from './record.ts';

const eventDays = 7;
const idempotencyHours = 24;
const ownersPerBatch = 200;
const exportId = /^se_[0-9a-f]{16}$/;

export async function sweep(context: Context): Promise<{ purged: string[] }> {
  // First the part that needs only the database, because the store may be unavailable.
  await removeOldRows(context);
  const purged = await purgeOldExports(context);
  await removeOrphans(context);
  return { purged };
}

/** The next sweep removes files that cannot be removed now. */
export async function removeFiles(
  context: Pick<Context, 'blobs' | 'log'>,
  jobIds: readonly string[],
): Promise<void> {
  try {
    for (const jobId of jobIds) await context.blobs.removeAll(jobId);
  } catch (error) {
    context.log.warn({ err: error }, 'files of deleted jobs could not be removed yet');
  }
}

/** Previews of branches are counted separately and never displace published exports. */
const newestFirst = sql<number>`row_number() over (partition by project_id, preview_of is null order by sequence desc)`;

/** The row is marked first, so that no link serves a partly removed export. */
async function purgeOldExports(context: Context): Promise<string[]> {
  const { retention } = context.config;
  const oldest = hoursAgo(context, retention.days * 24);
  const ranked = context.database
    .selectFrom('jobs')
    .select(['id', 'finished_at', newestFirst.as('place')])
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null);
  const expendable = await context.database
    .selectFrom(ranked.as('ranked'))
    .select('id')
    .where('place', '>', 1)
    .where('id', 'not in', shownPreviews(context))
    .where(({ or, eb }) => or([eb('place', '>', retention.exports), eb('finished_at', '<', oldest)]))
    .execute();
  for (const { id } of expendable) {
    await markPurged(context, id);
    await context.blobs.removeAll(id);
  }
  return expendable.map(({ id }) => id);
}

/** The address of a pull request shows its preview until the pull request is closed. */
function shownPreviews({ database }: Pick<Context, 'database'>) {
  return database
    .selectFrom('pull_requests')
    .select('shown_job_id')
    .where('shown_job_id', 'is not', null)
    .$narrowType<{ shown_job_id: string }>();
}

/**
 * Files of deleted or purged jobs and of lost attempts. The report of a job that failed because of its
 * findings stays as long as an export.
 */
async function removeOrphans(context: Context): Promise<void> {
  for await (const owners of inBatches(context.blobs.listOwners(), ownersPerBatch)) {
    const jobs = await context.database
      .selectFrom('jobs')
      .select(['id', 'status', 'result', 'failure', 'finished_at', 'purged_at'])
      .where(
        'id',
        'in',
        owners.map(({ owner }) => owner),
      )
      .execute();
    const known = new Map(jobs.map((job) => [job.id, job]));
    for (const { owner, generations } of owners) {
      // A bucket may contain foreign objects; only names of exports are touched.
      if (!exportId.test(owner)) continue;
      const keep = filesToKeep(context, known.get(owner));
      if (keep === 'everything') continue;
      if (keep === 'nothing') {
        await context.blobs.removeAll(owner);
        continue;
      }
      const others = generations.filter((generation) => generation !== keep.attempt);
      for (const other of others) await context.blobs.removeAll(`${owner}/${other}`);
    }
  }
}

type StoredJob = Pick<Job, 'status' | 'result' | 'failure' | 'finished_at' | 'purged_at'>;

function filesToKeep(
  context: Context,
  job: StoredJob | undefined,
): 'everything' | 'nothing' | { attempt: string } {
  if (job === undefined) return 'nothing';
  const oldest = hoursAgo(context, context.config.retention.days * 24);
  const hasReport = failedByFindings(job) && (job.finished_at ?? '') >= oldest;
  if (!isFinal(job.status) || hasReport) return 'everything';
  const result = job.purged_at === null ? resultOf(job) : null;
  return result === null ? 'nothing' : { attempt: String(result.attempt) };
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
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
