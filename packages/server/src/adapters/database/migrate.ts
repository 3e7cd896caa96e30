/**
 * Brings the tables of a database up to date, whichever it is. Several processes may try at once: one does it.
 */
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Tables } from '../../ports/database.ts';
import { migrations } from './migrations/index.ts';

export async function bringUpToDate(database: Kysely<Tables>, name: string): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  throw new Error(
    `The database ${name} could not be brought up to date (${failed ?? 'before the first step'}).`,
    { cause: error },
  );
}
