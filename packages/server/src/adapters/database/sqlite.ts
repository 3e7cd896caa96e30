/**
 * SQLite through `node:sqlite`, for one process. synchronous=FULL: in WAL mode NORMAL may lose acknowledged
 * commits on power loss.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { fileErrorReason, isDiskFull } from '@docyard/site/disk';
import { createForOwner } from '../../file-modes.ts';
import { Problem } from '../../problem.ts';
import type { Tables } from '../../ports/database.ts';
import { migrate, queryMeasuring, type OpeningOptions } from './migrate.ts';

/** Waiting for the lock blocks the event loop. */
const busyTimeoutMs = 1000;
/** Another process may be migrating the file. */
const openingTimeoutMs = 60_000;

export async function openSqlite(file: string, options: OpeningOptions = {}): Promise<Kysely<Tables>> {
  // The WAL file inherits the mode of the database file.
  if (file !== ':memory:') createForOwner(file);
  const connection = new DatabaseSync(file, { timeout: openingTimeoutMs });
  attempt(() =>
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON'),
  );
  const dialect = new Dialect({ database: adapt(connection) });
  const database = new Kysely<Tables>({ dialect, ...queryMeasuring(options.measures) });
  const canBackUp = options.backup !== false && file !== ':memory:';
  const backUp = (pending: readonly string[]) => backUpBefore(connection, file, pending);
  await migrate(database, file, options, canBackUp ? backUp : undefined);
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return database;
}

const maxBackups = 3;

/** Copies the database into the folder `backups` beside it, which keeps the newest copies. */
function backUpBefore(connection: DatabaseSync, file: string, pending: readonly string[]): string {
  const folder = join(dirname(file), 'backups');
  const time = new Date().toISOString().replaceAll(/:|\.\d+/g, '');
  const backup = join(folder, `docyard-${time}-before-${pending[0]}.db`);
  const unfinished = `${backup}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(unfinished, { force: true });
    createForOwner(unfinished);
    connection.prepare('VACUUM INTO ?').run(unfinished);
    // SQLite does not flush the copy.
    const written = openSync(unfinished, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(unfinished, backup);
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished);
    throw new Error(
      `The database ${file} was not migrated, because it cannot be copied to ${folder}: ${isDiskFull(error) ? 'the disk is full' : fileErrorReason(error)}. Free some space, or make a backup on another disk and run docyard migrate --no-backup.`,
      { cause: error },
    );
  }
  const backups = readdirSync(folder).filter((name) =>
    /^docyard-[\dTZ-]{18}-before-[\w-]{1,80}\.db$/.test(name),
  );
  for (const name of backups.toSorted().slice(0, -maxBackups)) rmSync(join(folder, name), { force: true });
  return backup;
}

/**
 * SQLite has transactional DDL, but Kysely's adapter denies it; without it an interrupted migration would
 * leave tables behind.
 */
class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Adapts `node:sqlite` to Kysely's SQLite dialect and caches prepared statements. */
function adapt(connection: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof adaptStatement>>();
  return {
    close: () => connection.close(),
    prepare(text: string) {
      // A transaction that reads first and then writes would fail when another process wrote in between.
      const sql = text === 'begin' ? 'begin immediate' : text;
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const statement =
        sql === 'rollback' ? rollbackOf(connection) : adaptStatement(attempt(() => connection.prepare(sql)));
      // A bound, because statements with inlined values do not repeat.
      if (prepared.size < 500) prepared.set(sql, statement);
      return statement;
    },
  };
}

/** On a full disk SQLite rolls back automatically; a second rollback would fail and hide the first error. */
function rollbackOf(connection: DatabaseSync) {
  const statement = adaptStatement(connection.prepare('rollback'));
  const noChanges = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters: readonly unknown[]) =>
      connection.isTransaction ? statement.run(parameters) : noChanges,
  };
}

function adaptStatement(statement: StatementSync) {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => attempt(() => statement.all(...values(parameters))),
    run: (parameters: readonly unknown[]) => attempt(() => statement.run(...values(parameters))),
    iterate: (parameters: readonly unknown[]) => attempt(() => statement.iterate(...values(parameters))),
  };
}

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;

/** A full disk or a held lock is reported as `storage_unavailable`. */
function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code !== undefined && [SQLITE_BUSY, SQLITE_IOERR, SQLITE_FULL].includes(code & 0xff)) {
      const reason = isDiskFull(error) ? ': the disk is full' : ' at the moment';
      const message = `The database cannot be written${reason}. Try again shortly.`;
      throw new Problem('storage_unavailable', message, { headers: { 'retry-after': '5' }, cause: error });
    }
    throw error;
  }
}
