/** Cancels an export, or deletes a finished one. */
import { recordAudit } from '../audit/audit.ts';
import type { Actor } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { deleteJob, nothingToCancel, requestCancel, type Job, type StoreContext } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { findExport } from './read.ts';

export async function cancelExport(
  context: StoreContext,
  input: { jobId: string; actor: Actor },
): Promise<Job> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const job = await findExport(inside, { id: input.jobId, reach: input.actor });
    const changed = isFinal(job.status) ? undefined : await requestCancel(inside, job, input.actor);
    if (changed === undefined) throw nothingToCancel(job);
    await recordAudit(inside, { actor: input.actor, action: 'export.cancel', object: job.id });
    return changed;
  });
}

/** The caller removes the files after the commit. */
export async function deleteExport(
  context: StoreContext,
  input: { jobId: string; actor: Actor },
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const job = await findExport(inside, { id: input.jobId, reach: input.actor });
    if (!isFinal(job.status)) {
      throw new Problem(
        'job_not_finished',
        'The job has not finished. Cancel it first, or wait until it has ended.',
      );
    }
    await deleteJob(inside, job.id);
    await recordAudit(inside, { actor: input.actor, action: 'export.delete', object: job.id });
  });
}
