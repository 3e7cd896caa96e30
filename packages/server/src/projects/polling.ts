/** Schedules the polls of a project: its row exists while polling is enabled. */
import type { UpdateProject } from '@docyard/api';
import { nowText, type Context } from '../context.ts';
import { readExportSettings } from './export-settings.ts';

/** Runs in the transaction of the change. The next poll follows at once and ends a backoff. */
export async function schedulePolls(
  context: Pick<Context, 'database' | 'clock'>,
  projectId: string,
  { exports, source, agent }: UpdateProject,
): Promise<void> {
  const isConcerned = exports?.polling !== undefined || source !== undefined || agent?.forge !== undefined;
  if (!isConcerned) return;
  const { polling } = await readExportSettings(context, projectId);
  if (!polling.enabled) {
    await context.database.deleteFrom('source_polls').where('project_id', '=', projectId).execute();
    return;
  }
  const next_at = nowText(context);
  await context.database
    .insertInto('source_polls')
    .values({ project_id: projectId, failures: 0, next_at })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ next_at, failures: 0 }))
    .execute();
}
