/**
 * Brings the tables of a database up to date, whichever it is. Several processes may try at once: one does it.
 */
import type { Kysely, LogEvent } from 'kysely';
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

/** Every step that this program knows. Reads only. */
export async function listMigrations(database: Kysely<Tables>): Promise<MigrationState[]> {
  const known = await migratorOf(database).getMigrations();
  return known.map(({ name, executedAt }) => ({ name, appliedAt: executedAt ?? null }));
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
