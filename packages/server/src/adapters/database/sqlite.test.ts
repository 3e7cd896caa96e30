import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { describeDatabase } from '../../../test/support/database-suite.ts';
import { cleanUp, temporaryFolder } from '../../../test/support/test-context.ts';
import { version } from '../../version.ts';
import { migrations } from './migrations/index.ts';
import { openSqlite } from './sqlite.ts';

const newFile = () => join(temporaryFolder('sqlite'), 'docyard.db');

async function open(file = newFile()) {
  const database = await openSqlite(file);
  cleanUp(() => database.destroy());
  return database;
}

describeDatabase('SQLite', () => open());

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
])('the setting %s is really %s', async (setting, value) => {
  const database = await open();
  const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${setting}`).execute(database);
  expect(rows).toEqual([{ [setting]: value }]);
});

describe('migrations', () => {
  test('run once and leave existing data unchanged', async () => {
    const file = newFile();
    const first = await openSqlite(file);
    const values = { id: 'org_1', name: 'Kept', plan: 'free', local_sources: 0, created_at: '2026-03-01' };
    await first.insertInto('organizations').values(values).execute();
    const { rows: before } = await sql`select name, sql from sqlite_schema order by name`.execute(first);
    await first.destroy();
    const second = await open(file);
    expect(await second.selectFrom('organizations').selectAll().execute()).toEqual([values]);
    const { rows: after } = await sql`select name, sql from sqlite_schema order by name`.execute(second);
    expect(after).toEqual(before);
  });

  const addFutureMigration = (file: string) => {
    const raw = new DatabaseSync(file);
    raw.exec("insert into kysely_migration values ('9999-future', '2030-01-01')");
    return raw;
  };

  test('a file of a newer version is refused with both versions and not overwritten', async () => {
    const file = newFile();
    await (await openSqlite(file)).destroy();
    const raw = addFutureMigration(file);
    raw.exec("update installation set value = '9999-future 7.0.0' where name = 'schema_version'");
    raw.close();
    const before = readFileSync(file);
    await expect(openSqlite(file)).rejects.toThrow(
      `The database ${file} was migrated by Docyard 7.0.0 (9999-future). This is Docyard ${version}, which cannot use it. Start version 7.0.0 or a newer one, or restore the backup from before the upgrade.`,
    );
    expect(readFileSync(file)).toEqual(before);
  });

  test('a newer version that ended before it recorded itself is not named', async () => {
    const file = newFile();
    await (await openSqlite(file)).destroy();
    addFutureMigration(file).close();
    await expect(openSqlite(file)).rejects.toThrow(
      'was migrated by a newer version of Docyard (9999-future)',
    );
  });

  const [earlierMigration = '', lastMigration = ''] = Object.keys(migrations).slice(-2);

  /** A database in the state before the last migration. */
  async function olderFile() {
    const file = newFile();
    await (await openSqlite(file)).destroy();
    const raw = new DatabaseSync(file);
    raw.exec('drop table review_tasks; alter table agent_messages drop column run');
    raw.prepare('delete from kysely_migration where name = ?').run(lastMigration);
    raw.close();
    return file;
  }
  const backupsOf = (file: string) => {
    const folder = join(dirname(file), 'backups');
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  };

  test('copy the database first, readable only by its owner, and not when there is nothing to do', async () => {
    const file = await olderFile();
    expect(backupsOf(file)).toEqual([]);
    const started: unknown[] = [];
    await (await openSqlite(file, { migrating: (start) => started.push(start) })).destroy();
    await (await openSqlite(file, { migrating: (start) => started.push(start) })).destroy();
    const backup = join(dirname(file), 'backups', backupsOf(file)[0] ?? '');
    expect(started).toEqual([{ pending: [lastMigration], database: file, backup }]);
    expect(backup).toMatch(/docyard-\d{4}-\d\d-\d\dT\d{6}Z-before-[\w-]+\.db$/);
    expect(backup.endsWith(`-before-${lastMigration}.db`)).toBe(true);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(backup, { readOnly: true });
    const last = copy.prepare('select max(name) as name from kysely_migration').get();
    copy.close();
    expect(last).toEqual({ name: earlierMigration });
  });

  test('keep the three newest copies and nothing else of theirs', async () => {
    const file = await olderFile();
    const folder = join(dirname(file), 'backups');
    mkdirSync(folder);
    const old = [1, 2, 3].map((year) => `docyard-200${year}-01-01T000000Z-before-0001-initial.db`);
    for (const name of [...old, 'by-hand.db']) writeFileSync(join(folder, name), '');
    await (await openSqlite(file)).destroy();
    const kept = backupsOf(file);
    expect(kept).toHaveLength(4);
    expect(kept).toEqual(expect.arrayContaining([...old.slice(1), 'by-hand.db']));
  });

  test('do not begin when the copy cannot be written', async () => {
    const file = await olderFile();
    writeFileSync(join(dirname(file), 'backups'), 'not a folder');
    await expect(openSqlite(file)).rejects.toThrow(
      /was not migrated, because it cannot be copied to .*backups/,
    );
    const opened = await openSqlite(file, { pending: 'leave' });
    cleanUp(() => opened.destroy());
    const applied = sql<{ name: string }>`select max(name) as name from kysely_migration`;
    expect((await applied.execute(opened)).rows).toEqual([{ name: earlierMigration }]);
    await (await openSqlite(file, { backup: false })).destroy();
  });

  test('are refused when they are left to docyard migrate', async () => {
    const file = await olderFile();
    await expect(openSqlite(file, { pending: 'refuse' })).rejects.toThrow(
      `The database ${file} needs a migration (${lastMigration}), and AUTO_MIGRATE is off. Run docyard migrate of version ${version} first.`,
    );
    await (await openSqlite(file)).destroy();
    await (await openSqlite(file, { pending: 'refuse' })).destroy();
  });

  test('a file that is not a database is refused', async () => {
    const file = newFile();
    writeFileSync(file, 'This is a letter, not a database. '.repeat(100));
    await expect(openSqlite(file)).rejects.toThrow();
  });
});

describe('errors', () => {
  test('a held lock is reported as storage_unavailable with Retry-After', async () => {
    const file = newFile();
    const database = await open(file);
    await sql`pragma busy_timeout = 50`.execute(database);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const insert = database
      .insertInto('organizations')
      .values({ id: 'org_1', name: 'Late', plan: 'free', local_sources: 0, created_at: '2026-03-01' });
    await expect(insert.execute()).rejects.toMatchObject({
      code: 'storage_unavailable',
      headers: { 'retry-after': '5' },
    });
    other.exec('rollback');
    other.close();
    await insert.execute();
  });

  test('a full disk is reported as storage_unavailable, and existing data stays', async () => {
    const database = await open();
    await sql`pragma max_page_count = 60`.execute(database);
    const insert = (id: number) =>
      database
        .insertInto('job_events')
        .values({ job_id: `se_${id}`, at: '2026-03-01', row: 'x'.repeat(10_000) })
        .execute();
    let kept = 0;
    const failed = await (async () => {
      for (;;) {
        await insert(kept);
        kept += 1;
      }
    })().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'storage_unavailable' });
    expect(await database.selectFrom('job_events').selectAll().execute()).toHaveLength(kept);
  });
});

describe('two processes on one file', () => {
  const opened = `
    import { sql } from ${JSON.stringify(import.meta.resolve('kysely'))};
    import { openSqlite } from ${JSON.stringify(new URL('sqlite.ts', import.meta.url).href)};
    const database = await openSqlite(process.argv[1]);
  `;

  test('a new file opened by several processes gets its tables once', async () => {
    const file = newFile();
    const ended = await Promise.all([1, 2, 3].map(() => run(`${opened} await database.destroy();`, file)));
    expect(ended).toEqual(ended.map(() => ({ status: 0, complaint: '' })));
  });

  test('transactions that read and then write all succeed', async () => {
    const file = newFile();
    const database = await open(file);
    await database
      .insertInto('organizations')
      .values({ id: 'org_1', name: '0', plan: 'free', local_sources: 0, created_at: '2026-03-01' })
      .execute();
    const counting = `${opened}
      await sql\`pragma busy_timeout = 60000\`.execute(database);
      for (let turn = 0; turn < 100; turn += 1) {
        await database.transaction().execute(async (inside) => {
          const { name } = await inside.selectFrom('organizations').select('name').executeTakeFirstOrThrow();
          await inside.updateTable('organizations').set({ name: String(Number(name) + 1) }).execute();
        });
      }
      await database.destroy();
    `;
    const ended = await Promise.all([run(counting, file), run(counting, file)]);
    expect(ended).toEqual(ended.map(() => ({ status: 0, complaint: '' })));
    expect(await database.selectFrom('organizations').select('name').execute()).toEqual([{ name: '200' }]);
  });

  test('a transaction holds the write lock from its start', async () => {
    const file = newFile();
    const database = await open(file);
    const other = new DatabaseSync(file, { timeout: 0 });
    cleanUp(() => other.close());
    await database.transaction().execute(async (inside) => {
      await inside.selectFrom('organizations').selectAll().execute();
      expect(() => other.exec('begin immediate')).toThrow('database is locked');
      const values = { id: 'org_1', name: 'Mine', plan: 'free', local_sources: 0, created_at: '2026-03-01' };
      await inside.insertInto('organizations').values(values).execute();
    });
    other.exec('begin immediate');
    other.exec('rollback');
  });

  test('a change by one process is visible to the other immediately', async () => {
    const file = newFile();
    const database = await open(file);
    const values = `{ id: 'org_2', name: 'There', plan: 'free', local_sources: 0, created_at: '2026-03-01' }`;
    const inserting = `${opened} await database.insertInto('organizations').values(${values}).execute();`;
    expect(await run(`${inserting} process.kill(process.pid, 'SIGKILL');`, file)).toMatchObject({
      status: null,
    });
    expect(await database.selectFrom('organizations').select('name').execute()).toEqual([{ name: 'There' }]);
  });
});

async function run(program: string, file: string): Promise<{ status: number | null; complaint: string }> {
  const args = ['--no-warnings', '--input-type=module', '--eval', program, file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, complaint };
}
