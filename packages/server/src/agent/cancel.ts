import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { markArchived, nothingToCancel, requestCancel, type Job, type StoreContext } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import { markMessagesTaken, pendingMessages } from './pending-messages.ts';
import { updateRun, readRuns } from './record.ts';

export async function cancelAgentJob(context: StoreContext, given: { job: Job; actor: Actor }): Promise<Job> {
  const { job } = given;
  const changed = isFinal(job.status) ? undefined : await stop(context, given);
  if (changed === undefined) throw nothingToCancel(job);
  await recordAudit(context, { actor: given.actor, action: 'agent.cancel', object: job.id });
  return changed;
}

/** A running job is canceled first. */
export async function archiveAgentJob(
  context: StoreContext,
  given: { job: Job; actor: Actor },
): Promise<Job> {
  const { job } = given;
  const stopped = isFinal(job.status) ? job : ((await stop(context, given)) ?? job);
  return mark(context, { job: stopped, actor: given.actor, archived: true });
}

/** Clients stop polling at `archived`, so a job whose canceled run has not stopped must not become active again. */
export async function unarchiveAgentJob(
  context: StoreContext,
  given: { job: Job; actor: Actor },
): Promise<Job> {
  const { job } = given;
  if (job.archived_at !== null && !isFinal(job.status)) {
    throw new Problem(
      'job_not_finished',
      'The job cannot be unarchived yet: its canceled run has not stopped. Try again when `finishedAt` is set.',
    );
  }
  return mark(context, { ...given, archived: false });
}

async function mark(
  context: StoreContext,
  { job, actor, archived }: { job: Job; actor: Actor; archived: boolean },
): Promise<Job> {
  const marked = await markArchived(context, job.id, archived);
  if (marked === undefined) return job;
  const action = archived ? 'agent.archive' : 'agent.unarchive';
  await recordAudit(context, { actor, action, object: job.id });
  return marked;
}

/** Pending messages are canceled with the job. */
async function stop(
  context: StoreContext,
  { job, actor }: { job: Job; actor: Actor },
): Promise<Job | undefined> {
  const changed = await requestCancel(context, job, actor);
  if (changed === undefined) return undefined;
  const last = (await readRuns(context, [job.id])).at(-1);
  const waiting = await pendingMessages(context, job.id);
  await markMessagesTaken(
    context,
    waiting.map(({ sequence }) => sequence),
    last?.number ?? 0,
  );
  if (isFinal(changed.status) && last !== undefined) {
    await updateRun(context, last, { ending: 'cancelled', finishedAt: nowText(context) });
  }
  return changed;
}
