import type { ProjectPolling } from '@docyard/api';
import type { AccessScope } from '../access-scope.ts';
import type { Context } from '../context.ts';
import { readExportSettings } from '../projects/export-settings.ts';
import { findProject } from '../projects/find-project.ts';

export async function readPolling(
  context: Pick<Context, 'database'>,
  where: { projectId: string; reach: AccessScope },
): Promise<ProjectPolling> {
  const { id, repository, ref } = await findProject(context, { id: where.projectId, reach: where.reach });
  const { polling } = await readExportSettings(context, id);
  const poll = await context.database
    .selectFrom('source_polls')
    .selectAll()
    .where('project_id', '=', id)
    .executeTakeFirst();
  const isSameSource = poll?.repository === repository && poll.ref === ref;
  return {
    ...polling,
    branch: isSameSource ? poll.branch : null,
    commit: isSameSource ? poll.commit_id : null,
    polledAt: poll?.polled_at ?? null,
    nextPollAt: poll?.next_at ?? null,
    problem: poll?.problem ?? null,
    failures: poll?.failures ?? 0,
  };
}
