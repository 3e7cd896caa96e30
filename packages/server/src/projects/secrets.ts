/**
 * Secrets of a project, encrypted with a key outside the database. A sealed value is bound to its project and
 * name, so that a copied row is useless.
 */
import { nowText, type Context } from '../context.ts';
import { isSealedWith, resealEach, seal, unseal, type Resealed, type SealedPlace } from '../seal.ts';

type SecretContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export type SecretName =
  | 'model.key'
  | 'model.headers'
  | 'forge.credential'
  | 'git.signingKey'
  | 'content.key'
  | 'hook.secret'
  | 'hook.oldSecret'
  | `context.credential.${string}`;

interface Place {
  projectId: string;
  name: SecretName;
}

/** Null deletes it. */
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
  const values = { sealed: seal(context.secrets, placeOf(place), value), updated_at: nowText(context) };
  await context.database
    .insertInto('secrets')
    .values({ project_id, name, ...values })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(values))
    .execute();
}

/** Changes nothing if the secret exists. */
export async function writeSecretOnce(context: SecretContext, place: Place, value: string): Promise<void> {
  const sealed = seal(context.secrets, placeOf(place), value);
  await context.database
    .insertInto('secrets')
    .values({ project_id: place.projectId, name: place.name, sealed, updated_at: nowText(context) })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
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
  return row === undefined ? null : unseal(context.secrets, placeOf(place), row.sealed);
}

/** The names of the secrets of these projects, as `project/name`. */
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

/** How many secrets each key can open. */
export async function countSealedSecrets(
  context: Pick<Context, 'database'>,
  keys: readonly Buffer[],
): Promise<number[]> {
  const rows = await context.database.selectFrom('secrets').selectAll().execute();
  return keys.map((key) => rows.filter((row) => isSealedWith(key, placeOfRow(row), row.sealed)).length);
}

/** Seals every secret with the active key. */
export async function resealSecrets({
  database,
  secrets,
}: Pick<Context, 'database' | 'secrets'>): Promise<Resealed> {
  const rows = await database.selectFrom('secrets').selectAll().execute();
  return resealEach(secrets, rows, placeOfRow, (row, sealed) =>
    database
      .updateTable('secrets')
      .set({ sealed })
      .where('project_id', '=', row.project_id)
      .where('name', '=', row.name)
      .where('sealed', '=', row.sealed)
      .executeTakeFirst(),
  );
}

function placeOfRow({ project_id, name }: { project_id: string; name: string }): SealedPlace {
  return [project_id, name];
}

function placeOf({ projectId, name }: Place): SealedPlace {
  return [projectId, name];
}
