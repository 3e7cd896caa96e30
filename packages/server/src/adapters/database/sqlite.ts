/**
 * SQLite through `node:sqlite`, for one process with everything in one folder. WAL with synchronous=FULL:
 * NORMAL lost acknowledged rows in power-cut trials.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { isDiskFull } from '@docyard/site/disk';
import { createForOwner } from '../../file-modes.ts';
import { Problem } from '../../problem.ts';
import type { Tables } from '../../ports/database.ts';
import { bringUpToDate, counting, type OpeningOptions } from './migrate.ts';

/** The wait for another process' write blocks this one; the command line writes for milliseconds at most. */
const busyTimeoutMs = 1000;

export async function openSqlite(file: string, options: OpeningOptions = {}): Promise<Kysely<Tables>> {
  // The journal gets the mode of the database.
  if (file !== ':memory:') createForOwner(file);
  const connection = new DatabaseSync(file, { timeout: busyTimeoutMs });
  attempt(() =>
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON'),
  );
  const dialect = new Dialect({ database: adapt(connection) });
  const database = new Kysely<Tables>({ dialect, ...counting(options.measures) });
  await bringUpToDate(database, file, options);
  return database;
}

/** A migration that is cut off must leave nothing behind: SQLite can undo a CREATE TABLE, Kysely only has to be told. */
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

/** Gives `node:sqlite` the shape Kysely's SQLite dialect expects, with prepared statements kept by their text. */
function adapt(connection: DatabaseSync) {
  const prepared = new Map<string, ReturnType<typeof adaptStatement>>();
  return {
    close: () => connection.close(),
    prepare(text: string) {
      // A transaction that reads first and writes later would fail whenever another process wrote in between.
      const sql = text === 'begin' ? 'begin immediate' : text;
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const statement =
        sql === 'rollback' ? rollbackOf(connection) : adaptStatement(attempt(() => connection.prepare(sql)));
      // Only texts without inlined values repeat; a bound keeps odd ones from piling up.
      if (prepared.size < 500) prepared.set(sql, statement);
      return statement;
    },
  };
}

/** A full disk makes SQLite roll back on its own; a second rollback would fail and hide the first error. */
function rollbackOf(connection: DatabaseSync) {
  const statement = adaptStatement(connection.prepare('rollback'));
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return {
    ...statement,
    run: (parameters: readonly unknown[]) => (connection.isTransaction ? statement.run(parameters) : nothing),
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

/** A full disk or a stubborn lock is an ordinary event: the caller is told to come back. */
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
