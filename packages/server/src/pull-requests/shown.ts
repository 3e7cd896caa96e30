/** The export that the address of a pull request shows. */
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import type { PreviewPlace } from './addresses.ts';
import type { PullRequestRecord } from './records.ts';

type ShownJob = Pick<Job, 'id' | 'result'>;

/** Undefined for an unknown token. */
export async function findShownExport(
  { database }: Pick<Context, 'database'>,
  { token, side }: PreviewPlace,
): Promise<{ job: ShownJob } | { missing: Problem } | undefined> {
  const pull = await database
    .selectFrom('pull_requests')
    .selectAll()
    .where('token', '=', token)
    .executeTakeFirst();
  if (pull === undefined) return undefined;
  const jobId = side === 'after' ? pull.shown_job_id : pull.base_job_id;
  if (pull.shown_job_id === null || jobId === null) return { missing: reasonFor(pull) };
  const job = await database
    .selectFrom('jobs')
    .select(['id', 'result'])
    .where('id', '=', jobId)
    .where('project_id', '=', pull.project_id)
    .executeTakeFirst();
  return job === undefined ? { missing: removed('The export of this preview was removed.') } : { job };
}

function reasonFor({ state, number, shown_job_id: shown }: PullRequestRecord): Problem {
  const name = `the pull request #${number}`;
  if (state === 'removed')
    return removed(`The preview of ${name} was removed, because it was closed or merged.`);
  if (shown !== null) return notYet('There was no published export to compare with.');
  if (state === 'approval') return notYet(`A maintainer has to approve ${name} before it is built.`);
  if (state === 'failed')
    return notYet(`The docs of ${name} could not be built. The comment on it says why.`);
  if (state === 'skipped') return notYet(`${name.replace(/^t/, 'T')} has no preview.`);
  return notYet(`The preview of ${name} is being built. Reload the page in a moment.`);
}

function removed(message: string): Problem {
  return new Problem('bundle_purged', message);
}

function notYet(message: string): Problem {
  return new Problem('not_found', message);
}
