/** Runs database migrations. Several processes may start at the same time; one of them migrates. */
import { sql, type Kysely, type LogEvent } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Tables } from '../../ports/database.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { migrations } from './migrations/index.ts';

export interface OpeningOptions {
  measures?: Measures | undefined;
  /** Leaves the tables unchanged, for read-only commands. */
  skipMigrations?: boolean;
  /** Called with the names of the applied migrations, if any. */
  applied?: (migrations: string[]) => void;
}

export async function migrate(
  database: Kysely<Tables>,
  name: string,
  { skipMigrations = false, applied = () => {} }: OpeningOptions = {},
): Promise<void> {
  if (skipMigrations) return;
  const [newer] = (await appliedNames(database)).filter((applied) => !knownMigrations.includes(applied));
  if (newer !== undefined) {
    throw new Error(
      `The database ${name} was migrated by a newer version of Docyard (${newer}). Use that version or restore an earlier backup.`,
    );
  }
  const { error, results = [] } = await migratorOf(database).migrateToLatest();
  const done = results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
  if (done.length > 0) applied(done);
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  throw new Error(`The database ${name} could not be migrated (${failed ?? 'before the first migration'}).`, {
    cause: error,
  });
}

export interface MigrationState {
  name: string;
  appliedAt: Date | null;
}

export const knownMigrations: readonly string[] = Object.keys(migrations);

/** All known migrations, and unknown ones that a newer version has applied. Read-only. */
export async function listMigrations(
  database: Kysely<Tables>,
): Promise<{ known: MigrationState[]; newer: string[] }> {
  const known = await migratorOf(database).getMigrations();
  return {
    known: known.map(({ name, executedAt }) => ({ name, appliedAt: executedAt ?? null })),
    newer: (await appliedNames(database)).filter((name) => !knownMigrations.includes(name)),
  };
}

async function appliedNames(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const applied = sql<{ name: string }>`select name from kysely_migration order by name`;
  return (await applied.execute(database)).rows.map(({ name }) => name);
}

/** Kysely options that measure queries. */
export function queryMeasuring(measures: Measures | undefined): { log?: (event: LogEvent) => void } {
  if (measures === undefined) return {};
  const log = ({ level, queryDurationMillis }: LogEvent) =>
    measures.queryEnded({ seconds: queryDurationMillis / 1000, failed: level === 'error' });
  return { log };
}

function migratorOf(database: Kysely<Tables>): Migrator {
  return new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
}
