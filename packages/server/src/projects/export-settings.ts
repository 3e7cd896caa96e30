/** The defaults of a project for its exports. */
import type { ProjectExports, UpdateProject } from '@docyard/api';
import { nowText, type Context } from '../context.ts';

const settingsName = 'exports';
const defaultSettings: ProjectExports = {
  customScripts: 'skip',
  onPush: { enabled: true, quietSeconds: 10 },
  polling: { enabled: false, intervalSeconds: 300 },
};

export async function readExportSettings(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<ProjectExports> {
  return (await viewExportSettings(context, [projectId])).get(projectId) ?? defaultSettings;
}

/** With one entry for each project. */
export async function viewExportSettings(
  context: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Map<string, ProjectExports>> {
  const settings = new Map(projectIds.map((id) => [id, defaultSettings]));
  if (projectIds.length === 0) return settings;
  const rows = await context.database
    .selectFrom('project_settings')
    .select(['project_id', 'value'])
    .where('project_id', 'in', projectIds)
    .where('name', '=', settingsName)
    .execute();
  for (const row of rows)
    settings.set(row.project_id, { ...defaultSettings, ...(JSON.parse(row.value) as object) });
  return settings;
}

/** Runs in the transaction of the caller, who also writes the audit entry. */
export async function changeExportSettings(
  context: Pick<Context, 'database' | 'clock'>,
  projectId: string,
  change: NonNullable<UpdateProject['exports']>,
): Promise<void> {
  const old = await readExportSettings(context, projectId);
  const next: ProjectExports = {
    customScripts: change.customScripts ?? old.customScripts,
    onPush: {
      enabled: change.onPush?.enabled ?? old.onPush.enabled,
      quietSeconds: change.onPush?.quietSeconds ?? old.onPush.quietSeconds,
    },
    polling: {
      enabled: change.polling?.enabled ?? old.polling.enabled,
      intervalSeconds: change.polling?.intervalSeconds ?? old.polling.intervalSeconds,
    },
  };
  const kept = { value: JSON.stringify(next), updated_at: nowText(context) };
  await context.database
    .insertInto('project_settings')
    .values({ project_id: projectId, name: settingsName, ...kept })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(kept))
    .execute();
}
