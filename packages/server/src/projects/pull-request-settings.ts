/** The settings of a project for previews of its pull requests. */
import type { ProjectPullRequests, UpdateProject } from '@docyard/api';
import { nowText, type Context } from '../context.ts';
import { secretsSet } from './secrets.ts';

const settingsName = 'pull-requests';

type Stored = Omit<ProjectPullRequests, 'enabled'> & { enabled: boolean | null };

const defaults: Stored = { enabled: null, comment: true, status: true, failOn: ['error'], forks: 'approve' };

export async function readPullRequestSettings(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<ProjectPullRequests> {
  const settings = await viewPullRequestSettings(context, [projectId]);
  return settings.get(projectId) ?? { ...defaults, enabled: false };
}

/** With one entry for each project. */
export async function viewPullRequestSettings(
  context: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Map<string, ProjectPullRequests>> {
  const stored = await readStored(context, projectIds);
  const set = await secretsSet(context, projectIds);
  return new Map(
    projectIds.map((id) => {
      const settings = stored.get(id) ?? defaults;
      return [id, { ...settings, enabled: settings.enabled ?? set.has(`${id}/forge.credential`) }];
    }),
  );
}

/** Runs in the transaction of the caller, who also writes the audit entry. */
export async function changePullRequestSettings(
  context: Pick<Context, 'database' | 'clock'>,
  projectId: string,
  change: NonNullable<UpdateProject['pullRequests']>,
): Promise<void> {
  const old = (await readStored(context, [projectId])).get(projectId) ?? defaults;
  const next: Stored = {
    enabled: change.enabled === undefined ? old.enabled : change.enabled,
    comment: change.comment ?? old.comment,
    status: change.status ?? old.status,
    failOn: change.failOn ?? old.failOn,
    forks: change.forks ?? old.forks,
  };
  const kept = { value: JSON.stringify(next), updated_at: nowText(context) };
  await context.database
    .insertInto('project_settings')
    .values({ project_id: projectId, name: settingsName, ...kept })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(kept))
    .execute();
}

async function readStored(
  { database }: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Map<string, Stored>> {
  if (projectIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('project_settings')
    .select(['project_id', 'value'])
    .where('project_id', 'in', projectIds)
    .where('name', '=', settingsName)
    .execute();
  return new Map(rows.map((row) => [row.project_id, { ...defaults, ...(JSON.parse(row.value) as Stored) }]));
}
