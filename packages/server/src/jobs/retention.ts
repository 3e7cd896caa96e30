/**
 * Deletes the records of jobs that ended long ago. The newest completed export of a project and the audit log
 * stay. The sweep of exports removes the orphaned files.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { inTransaction, type Database } from '../ports/database.ts';

const maxBatchSize = 200;

export async function sweepJobs(
  context: Pick<Context, 'database' | 'clock' | 'config' | 'changes'>,
): Promise<{ deleted: string[] }> {
  const { jobDays } = context.config.retention;
  const oldest = new Date(context.clock.now().getTime() - jobDays * 86_400_000).toISOString();
  const deleted: string[] = [];
  for (;;) {
    const ids = await inTransaction(context.database, (database) => deleteBatch(database, oldest));
    deleted.push(...ids);
    for (const id of ids) context.changes.notify(id);
    if (ids.length < maxBatchSize) return { deleted };
  }
}

async function deleteBatch(database: Database, oldest: string): Promise<string[]> {
  const old = await oldJobs(database, oldest)
    .select('jobs.id')
    .orderBy('jobs.sequence')
    .limit(maxBatchSize)
    .execute();
  if (old.length === 0) return [];
  const deleted = await database
    .deleteFrom('jobs')
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    // An agent job may have been resumed since.
    .where('status', 'in', ['completed', 'failed'])
    .returning('id')
    .execute();
  const ids = deleted.map(({ id }) => id);
  if (ids.length > 0) await database.deleteFrom('job_events').where('job_id', 'in', ids).execute();
  return ids;
}

function oldJobs(database: Database, oldest: string) {
  return database
    .selectFrom('jobs')
    .where('jobs.status', 'in', ['completed', 'failed'])
    .where('jobs.finished_at', '<', oldest)
    .where((eb) => eb.or([eb('jobs.archived_at', 'is', null), eb('jobs.archived_at', '<', oldest)]))
    .where((eb) =>
      eb.or([
        eb('jobs.kind', '!=', 'export'),
        eb('jobs.status', '!=', 'completed'),
        // Previews of branches do not count as published exports.
        eb('jobs.preview_of', 'is not', null),
        eb.exists(newerExport(database)),
      ]),
    )
    .where('jobs.id', 'not in', (eb) =>
      eb
        .selectFrom('pull_requests')
        .select('shown_job_id')
        .where('shown_job_id', 'is not', null)
        .$narrowType<{ shown_job_id: string }>(),
    )
    .where('jobs.id', 'not in', (eb) =>
      eb.selectFrom('agent_messages').select('job_id').where('taken_at', 'is', null),
    );
}

function newerExport(database: Database) {
  return database
    .selectFrom('jobs as newer')
    .select('newer.id')
    .where('newer.project_id', '=', sql.ref<string>('jobs.project_id'))
    .where('newer.sequence', '>', sql.ref<number>('jobs.sequence'))
    .where('newer.kind', '=', 'export')
    .where('newer.status', '=', 'completed')
    .where('newer.preview_of', 'is', null);
}
