/**
 * Purges steps, messages and diffs of agent jobs after the retention period. Running jobs and jobs with pending
 * messages are kept.
 */
import type { Context } from '../context.ts';
import { markPurged, type Job, type StoreContext } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';

type RetentionContext = StoreContext & Pick<Context, 'config'>;

/** The period restarts with every run and when a job is archived. */
export async function sweepAgentJobs(context: RetentionContext): Promise<{ purged: string[] }> {
  const days = context.config.retention.agentDays;
  const oldest = new Date(context.clock.now().getTime() - days * 86_400_000).toISOString();
  const ended = await oldJobs(context, oldest).select('id').execute();
  const purged: string[] = [];
  for (const { id } of ended) {
    const isPurged = await inTransaction(context.database, (database) =>
      purge({ ...context, database }, id, oldest),
    );
    if (isPurged) purged.push(id);
  }
  return { purged };
}

export function refusePurged(job: Pick<Job, 'purged_at'>): void {
  if (job.purged_at === null) return;
  throw new Problem(
    'job_purged',
    'The steps and changes of this job were deleted after the retention period. Start a new job.',
  );
}

function oldJobs({ database }: Pick<Context, 'database'>, oldest: string) {
  return database
    .selectFrom('jobs')
    .where('kind', '=', 'agent')
    .where('status', 'in', ['completed', 'failed'])
    .where('purged_at', 'is', null)
    .where('finished_at', '<', oldest)
    .where((eb) => eb.or([eb('archived_at', 'is', null), eb('archived_at', '<', oldest)]))
    .where('id', 'not in', (eb) =>
      eb.selectFrom('agent_messages').select('job_id').where('taken_at', 'is', null),
    );
}

/** Checks again inside the transaction: the job may have been resumed. */
async function purge(context: RetentionContext, id: string, oldest: string): Promise<boolean> {
  const { database } = context;
  if ((await oldJobs(context, oldest).select('id').where('id', '=', id).executeTakeFirst()) === undefined)
    return false;
  await database.deleteFrom('agent_steps').where('job_id', '=', id).execute();
  await database.deleteFrom('agent_messages').where('job_id', '=', id).execute();
  await database
    .updateTable('agent_runs')
    .set({ files: null, patch: null, own_files: null, own_patch: null })
    .where('job_id', '=', id)
    .execute();
  await markPurged(context, id);
  return true;
}
