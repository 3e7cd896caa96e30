/**
 * How webhooks are told of an agent job: its record, and the pull request that came of it.
 */
import type { JobView, Context } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { describeAgentJob } from './read.ts';
import { readRuns } from './record.ts';

/** A pull request is told with the end of its run, as the record does; one that a follow-up goes on with is not new. */
export function agentView({ config, secrets }: Pick<Context, 'config' | 'secrets'>): Required<JobView> {
  return {
    record: (database, job) => describeAgentJob({ database, config, secrets }, job),
    async alsoHappened(database, job, change) {
      if (!isFinal(change)) return [];
      const runs = await readRuns({ database }, [job.id]);
      const url = runs.pop()?.pullRequest?.url ?? null;
      const isNew = url !== null && !runs.some((run) => run.pullRequest?.url === url);
      return isNew ? ['agent.pull_request_opened'] : [];
    },
  };
}
