/** Named settings of a project as JSON text, without secrets. */
import { nowText, type Context } from '../context.ts';

interface Place {
  projectId: string;
  name: string;
}

export async function readSetting(
  context: Pick<Context, 'database'>,
  { projectId, name }: Place,
): Promise<string | undefined> {
  const row = await context.database
    .selectFrom('project_settings')
    .select('value')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

export async function writeSetting(
  context: Pick<Context, 'database' | 'clock'>,
  { projectId, name }: Place,
  value: string,
): Promise<void> {
  const values = { value, updated_at: nowText(context) };
  await context.database
    .insertInto('project_settings')
    .values({ project_id: projectId, name, ...values })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(values))
    .execute();
}

/** Whether it still had this value. */
export async function deleteSetting(
  context: Pick<Context, 'database'>,
  { projectId, name }: Place,
  value: string,
): Promise<boolean> {
  const { numDeletedRows } = await context.database
    .deleteFrom('project_settings')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where('value', '=', value)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}
