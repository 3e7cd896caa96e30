/** Runs database migrations. Several processes may start at the same time; one of them migrates. */
import { sql, type Kysely, type LogEvent } from 'kysely';
import { Migrator } from 'kysely/migration';
import { schemaVersionName, type Tables } from '../../ports/database.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { version } from '../../version.ts';
import { migrations } from './migrations/index.ts';

export interface OpeningOptions {
  measures?: Measures | undefined;
  /** Whether pending migrations are applied (the default), refused, or left alone by read-only commands. */
  pending?: 'apply' | 'refuse' | 'leave';
  /** Whether SQLite is copied before a migration. The default is true. */
  backup?: boolean;
  /** Called before a database with tables is migrated. `backup` is the file of its copy. */
  migrating?: (start: { pending: string[]; database: string; backup: string | null }) => void;
  /** Called with the names of the applied migrations, if any. */
  applied?: (migrations: string[]) => void;
}

/** `backUp` copies the database to a file and returns its path. */
export async function migrate(
  database: Kysely<Tables>,
  name: string,
  { pending: policy = 'apply', migrating = () => {}, applied = () => {} }: OpeningOptions = {},
  backUp?: (pending: readonly string[]) => string,
): Promise<void> {
  if (policy === 'leave') return;
  const before = await appliedNames(database);
  const newer = before.filter((known) => !knownMigrations.includes(known));
  if (newer.length > 0) throw new Error(await explainNewer(database, name, newer));
  const pending = knownMigrations.filter((known) => !before.includes(known));
  if (policy === 'refuse' && pending.length > 0) {
    throw new Error(
      `The database ${name} needs ${pending.length === 1 ? 'a migration' : 'migrations'} (${pending.join(', ')}), and AUTO_MIGRATE is off. Run docyard migrate of version ${version} first.`,
    );
  }
  if (before.length > 0 && pending.length > 0)
    migrating({ pending, database: name, backup: backUp?.(pending) ?? null });
  const { error, results = [] } = await migratorOf(database).migrateToLatest();
  const done = results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
  if (done.length > 0) {
    await recordVersion(database);
    applied(done);
  }
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  throw new Error(`The database ${name} could not be migrated (${failed ?? 'before the first migration'}).`, {
    cause: error,
  });
}

async function recordVersion(database: Kysely<Tables>): Promise<void> {
  const value = `${knownMigrations.at(-1)} ${version}`;
  await database
    .insertInto('installation')
    .values({ name: schemaVersionName, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

async function explainNewer(
  database: Kysely<Tables>,
  name: string,
  newer: readonly string[],
): Promise<string> {
  const row = await database
    .selectFrom('installation')
    .select('value')
    .where('name', '=', schemaVersionName)
    .executeTakeFirst();
  const [migration, recorded] = row?.value.split(' ') ?? [];
  // Without a record of its last migration, the version that applied it is unknown.
  const other = migration === newer.at(-1) && recorded !== undefined ? recorded : undefined;
  const by = other === undefined ? 'a newer version of Docyard' : `Docyard ${other}`;
  const advice = other === undefined ? 'the newer version' : `version ${other} or a newer one`;
  return `The database ${name} was migrated by ${by} (${newer.join(', ')}). This is Docyard ${version}, which cannot use it. Start ${advice}, or restore the backup from before the upgrade.`;
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
