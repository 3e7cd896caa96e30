/**
 * Secrets of a project, encrypted with a key that is not in the database. A sealed value opens only under the project
 * and the name it was written for, so that a row copied elsewhere is worth nothing.
 */
import { nowText, type Context } from '../context.ts';
import { seal, unseal, type SealedPlace } from '../seal.ts';

type SecretContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export type SecretName = 'model.key' | 'forge.credential';

interface Place {
  projectId: string;
  name: SecretName;
}

/** Null takes it away. */
export async function writeSecret(context: SecretContext, place: Place, value: string | null): Promise<void> {
  const { projectId: project_id, name } = place;
  if (value === null) {
    await context.database
      .deleteFrom('secrets')
      .where('project_id', '=', project_id)
      .where('name', '=', name)
      .execute();
    return;
  }
  const kept = { sealed: seal(context.secrets.sealKey, placeOf(place), value), updated_at: nowText(context) };
  await context.database
    .insertInto('secrets')
    .values({ project_id, name, ...kept })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(kept))
    .execute();
}

export async function readSecret(
  context: Pick<Context, 'database' | 'secrets'>,
  place: Place,
): Promise<string | null> {
  const row = await context.database
    .selectFrom('secrets')
    .select('sealed')
    .where('project_id', '=', place.projectId)
    .where('name', '=', place.name)
    .executeTakeFirst();
  return row === undefined ? null : unseal(context.secrets.sealKey, placeOf(place), row.sealed);
}

/** Which secrets these projects have, as `project/name`. */
export async function secretsSet(
  context: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Set<string>> {
  if (projectIds.length === 0) return new Set();
  const rows = await context.database
    .selectFrom('secrets')
    .select(['project_id', 'name'])
    .where('project_id', 'in', projectIds)
    .execute();
  return new Set(rows.map((row) => `${row.project_id}/${row.name}`));
}

function placeOf({ projectId, name }: Place): SealedPlace {
  return [projectId, name];
}
