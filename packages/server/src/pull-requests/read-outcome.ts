/** Reads what became of the export of a pull request. */
import type { Failure } from '@docyard/api';
import { failureOf } from '../jobs/failure.ts';
import { Problem } from '../problem.ts';
import type { PrFacts } from '../ports/forge-review.ts';
import type { PreviewOutcome, Work } from './outcome.ts';
import type { PullRequestRecord } from './records.ts';

export async function readOutcome(
  { context, parts }: Pick<Work, 'context' | 'parts'>,
  { pull, facts }: { pull: PullRequestRecord; facts: PrFacts | undefined },
): Promise<PreviewOutcome> {
  const { organization_id: organizationId, project_id: projectId, job_id: jobId } = pull;
  const job =
    jobId === null
      ? undefined
      : await context.database
          .selectFrom('jobs')
          .select(['id', 'status', 'failure', 'purged_at'])
          .where('id', '=', jobId)
          .where('project_id', '=', projectId)
          .executeTakeFirst();
  if (job === undefined || job.purged_at !== null) return gone('The export of the preview was deleted.');
  if (job.status === 'queued' || job.status === 'running') return { kind: 'running' };
  if (job.status === 'failed') {
    const failure = JSON.parse(job.failure ?? 'null') as Failure | null;
    return failure === null
      ? gone('The export failed.')
      : { kind: 'failed', failure, canRetry: failure.retryable };
  }
  const reach = { organizationId, projectId };
  try {
    const report = await parts.readReport(context, {
      jobId: job.id,
      reach,
      baseCommit: facts?.baseCommit ?? null,
    });
    return { kind: 'ready', report };
  } catch (error) {
    if (error instanceof Problem && error.code === 'bundle_purged') return gone(error.message);
    throw error;
  }
}

function gone(message: string): PreviewOutcome {
  return { kind: 'failed', failure: failureOf('storage_failed', message), canRetry: true };
}
