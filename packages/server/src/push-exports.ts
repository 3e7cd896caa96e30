/** Starts exports for pushes. Features do not import each other, so the events of forges and exports meet here. */
import { operation } from '@docyard/api';
import type { Context } from './context.ts';
import { inputOf } from './exports/record.ts';
import { prepareExport, startExports } from './exports/start.ts';
import type { StartOutcome, StartPushExport } from './forge-events/event-handlers.ts';
import { refuseExportStart } from './http/limits.ts';
import { holdJob } from './jobs/store.ts';
import { Problem } from './problem.ts';
import type { ProjectRecord } from './projects/find-project.ts';

const retrySeconds = 60;

export const startPushExport: StartPushExport = async (context, push) => {
  const { project } = push;
  const organization = await context.database
    .selectFrom('organizations')
    .select(['plan', 'local_sources'])
    .where('id', '=', project.organization_id)
    .executeTakeFirstOrThrow();
  if (organization.plan !== operation('startExport').plan) {
    return { failedBecause: `The plan ${organization.plan} has no exports.` };
  }
  if (push.previousJobId !== null && (await willIncludePush(context, push.previousJobId, project))) {
    return { jobId: push.previousJobId };
  }
  const actor = {
    organizationId: project.organization_id,
    projectId: project.id,
    name: 'system',
    address: null,
    requestId: null,
  };
  try {
    const prepared = await prepareExport(context, {
      request: { domain: project.domain },
      actor,
      allowLocal: organization.local_sources === 1,
    });
    prepared.input.trigger = { kind: 'push', eventId: push.eventId, commit: push.commit };
    const refuse = (recent: Parameters<typeof refuseExportStart>[1]) => refuseExportStart(context, recent);
    const [outcome] = await startExports(context, [{ prepared, actor, refuse }]);
    const started = outcome?.started;
    return started instanceof Problem || started === undefined ? refusalOf(started) : { jobId: started.id };
  } catch (error) {
    if (error instanceof Problem) return refusalOf(error);
    throw error;
  }
};

/** A queued export has no commit yet: its worker fetches the head of the branch. */
async function willIncludePush(context: Context, jobId: string, project: ProjectRecord): Promise<boolean> {
  const job = await holdJob(context.database, jobId);
  if (job?.status !== 'queued' || job.source_commit !== null) return false;
  const { repository, ref, directory } = inputOf(job).source;
  const isSameSource =
    repository === project.repository && ref === project.ref && directory === project.directory;
  return isSameSource && job.cancel_requested_at === null;
}

/** A limit passes; other problems need a change of the project. */
function refusalOf(problem: Problem | undefined): StartOutcome {
  const isLimit = problem?.code === 'rate_limited' || problem?.code === 'queue_full';
  if (problem === undefined || !isLimit) {
    return { failedBecause: problem?.message ?? 'The export could not be started.' };
  }
  const seconds = Number(problem.headers['retry-after']);
  return { retryAfterSeconds: seconds > 0 ? seconds : retrySeconds, reason: problem.message };
}
