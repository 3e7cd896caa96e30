/**
 * Brings the tables of a database up to date, whichever it is. Several processes may try at once: one does it.
 */
import { sql, type Kysely, type LogEvent } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Tables } from '../../ports/database.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { migrations } from './migrations/index.ts';

export interface OpeningOptions {
  measures?: Measures | undefined;
  /** Leaves the tables as they are, for whoever only wants to look. */
  asItIs?: boolean;
  /** Told what was done to bring the tables up to date, if anything was. */
  applied?: (migrations: string[]) => void;
}

export async function bringUpToDate(
  database: Kysely<Tables>,
  name: string,
  { asItIs = false, applied = () => {} }: OpeningOptions = {},
): Promise<void> {
  if (asItIs) return;
  const [newer] = (await appliedNames(database)).filter((applied) => !knownMigrations.includes(applied));
  if (newer !== undefined) {
    throw new Error(
      `The database ${name} was brought up to date by a newer version of Docyard (${newer}). Use that version, or a backup from before.`,
    );
  }
  const { error, results = [] } = await migratorOf(database).migrateToLatest();
  const done = results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
  if (done.length > 0) applied(done);
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  throw new Error(
    `The database ${name} could not be brought up to date (${failed ?? 'before the first step'}).`,
    { cause: error },
  );
}

export interface MigrationState {
  name: string;
  appliedAt: Date | null;
}

export const knownMigrations: readonly string[] = Object.keys(migrations);

/** Every step that this program knows, and those that a newer one has done. Reads only. */
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

/** How Kysely is told to count queries; nothing when nobody wants to know. */
export function counting(measures: Measures | undefined): { log?: (event: LogEvent) => void } {
  if (measures === undefined) return {};
  const log = ({ level, queryDurationMillis }: LogEvent) =>
    measures.queryEnded({ seconds: queryDurationMillis / 1000, failed: level === 'error' });
  return { log };
}

function migratorOf(database: Kysely<Tables>): Migrator {
  return new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
}
