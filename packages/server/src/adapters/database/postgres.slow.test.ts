import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../../test/free-port.ts';
import { postgresMissing, startPostgres, type PostgresServer } from '../../../../../test/postgres.ts';
import { describeDatabase } from '../../../test/support/database-suite.ts';
import { acquireLocks, inTransaction, runUnlessLocked, type Database } from '../../ports/database.ts';
import { cleanUp } from '../../../test/support/test-context.ts';
import { version } from '../../version.ts';
import { openPostgres } from './postgres.ts';

const at = '2026-03-01T12:00:00.000Z';

describe.skipIf(postgresMissing !== undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    cleanUp(() => server.remove());
  });

  async function open(url?: string) {
    const database = await openPostgres({ url: url ?? (await server.createDatabase()) });
    cleanUp(() => database.destroy());
    return database;
  }

  describeDatabase('PostgreSQL', () => open());

  const organization = (id: string) => ({ id, name: id, plan: 'free', local_sources: 0, created_at: at });
  const insert = (database: Database, id: string) =>
    database.insertInto('organizations').values(organization(id)).execute();
  const ids = async (database: Database) => {
    const rows = await database.selectFrom('organizations').select('id').orderBy('id').execute();
    return rows.map(({ id }) => id);
  };

  test('several processes that open an empty database at once create its tables once', async () => {
    const url = await server.createDatabase();
    const opened = await Promise.all([open(url), open(url), open(url), open(url)]);
    await insert(opened[0], 'org_1');
    for (const each of opened) expect(await ids(each)).toEqual(['org_1']);
  });

  test('a database of a newer version is refused with both versions and without its password', async () => {
    const url = await server.createDatabase();
    await (await openPostgres({ url })).destroy();
    await server.query(url, "insert into kysely_migration values ('9999-future', '2030-01-01')");
    const withPassword = Object.assign(new URL(url), { password: 'hush-hush' });
    const open = () => openPostgres({ url: withPassword.href }).catch((error: unknown) => String(error));
    const name = `${withPassword.host}${withPassword.pathname}`;
    expect(await open()).toContain(`The database ${name} was migrated by a newer version of Docyard`);
    await server.query(
      url,
      "update installation set value = '9999-future 7.0.0' where name = 'schema_version'",
    );
    const refusal = await open();
    expect(refusal).toContain(`The database ${name} was migrated by Docyard 7.0.0 (9999-future).`);
    expect(refusal).toContain(`This is Docyard ${version}, which cannot use it. Start version 7.0.0`);
    expect(refusal).not.toContain('hush');
  });

  test('an empty database is refused when its tables are left to docyard migrate', async () => {
    const url = await server.createDatabase();
    await expect(openPostgres({ url, pending: 'refuse' })).rejects.toThrow(
      'and AUTO_MIGRATE is off. Run docyard migrate',
    );
    await (await openPostgres({ url })).destroy();
    await (await openPostgres({ url, pending: 'refuse' })).destroy();
  });

  test('a missing database is reported immediately, an unreachable server after the timeout', async () => {
    const url = Object.assign(new URL(await server.createDatabase()), { pathname: 'nowhere' }).href;
    await expect(openPostgres({ url })).rejects.toThrow('database "nowhere" does not exist');
    const unreachable = 'postgres://docyard:hush@127.0.0.1:1/docyard';
    await expect(openPostgres({ url: unreachable, waitSeconds: 0 })).rejects.toThrow(
      'The database 127.0.0.1:1/docyard cannot be reached',
    );
  });

  test('counts and sequences are numbers', async () => {
    const database = await open();
    await insert(database, 'org_1');
    const counted = database.selectFrom('organizations').select((eb) => eb.fn.countAll().as('count'));
    expect(await counted.execute()).toEqual([{ count: 1 }]);
  });

  test('a NUL is stored as the replacement character', async () => {
    const database = await open();
    await insert(database, 'org_\0');
    expect(await ids(database)).toEqual(['org_\uFFFD']);
    const found = database.selectFrom('organizations').select('id').where('id', '=', 'unreachable\0');
    expect(await found.execute()).toEqual([]);
  });

  describe('an exclusive lock', () => {
    test('serializes decisions, so that a count is never exceeded', async () => {
      const url = await server.createDatabase();
      const [one, two] = await Promise.all([open(url), open(url)]);
      const addUpToFive = (database: Database, id: string) =>
        inTransaction(database, async (inside) => {
          await acquireLocks(inside, 'five');
          if ((await ids(inside)).length >= 5) return;
          await insert(inside, id);
        });
      const tries = Array.from({ length: 20 }, (_, index) =>
        addUpToFive(index % 2 === 0 ? one : two, `org_${index}`),
      );
      await Promise.all(tries);
      expect(await ids(one)).toHaveLength(5);
    });

    test('does not block other names and is released when the transaction fails', async () => {
      const database = await open();
      await inTransaction(database, async (outer) => {
        await acquireLocks(outer, 'a');
        await inTransaction(database, (other) => acquireLocks(other, 'b'));
      });
      const failing = inTransaction(database, async (inside) => {
        await acquireLocks(inside, 'a');
        throw new Error('Changed my mind.');
      });
      await expect(failing).rejects.toThrow('Changed my mind.');
      await inTransaction(database, (inside) => acquireLocks(inside, 'a'));
    });

    test('a lock outside a transaction is refused', async () => {
      await expect(acquireLocks(await open(), 'a')).rejects.toThrow('Locks need a transaction.');
    });
  });

  test('work of another process is skipped until that process ends or loses its connection', async () => {
    const url = await server.createDatabase();
    const [one, two] = await Promise.all([open(url), open(url)]);
    const done: string[] = [];
    const run = (database: Database, name: string, meanwhile = async () => {}) =>
      runUnlessLocked(database, 'sweep', async () => {
        done.push(name);
        await meanwhile();
      });
    await run(one, 'first', () => run(two, 'at the same time'));
    await run(two, 'afterwards');
    await expect(run(one, 'failing', () => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    await run(two, 'after the failure');
    const cut = run(one, 'cut off', async () => {
      await server.cutConnections();
      while (!done.includes('in its place')) await run(two, 'in its place').catch(() => {});
    });
    await expect(cut).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(done).toEqual(['first', 'afterwards', 'failing', 'after the failure', 'cut off', 'in its place']);
  });

  test('two deadlocked transactions both end', async () => {
    const database = await open();
    await insert(database, 'org_1');
    await insert(database, 'org_2');
    const rename = (inside: Database, id: string) =>
      inside.updateTable('organizations').set({ name: 'renamed' }).where('id', '=', id).execute();
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const crossing = (first: string, second: string) =>
      inTransaction(database, async (inside) => {
        await rename(inside, first);
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        await rename(inside, second);
      });
    await Promise.all([crossing('org_1', 'org_2'), crossing('org_2', 'org_1')]);
    // The third run is the retried one; a busy server may cause more retries.
    expect(waiting).toBeGreaterThanOrEqual(3);
  });

  describe('errors', () => {
    const unavailable = { code: 'storage_unavailable', headers: { 'retry-after': '5' } };

    test.each(['53300', '53100', '57P03', '57014', '55P03', '08006', '25006'])(
      'the error %s of the server is reported as storage_unavailable',
      async (code) => {
        const raise = sql.raw(`do $$ begin raise exception 'trouble' using errcode = '${code}'; end $$`);
        await expect(raise.execute(await open())).rejects.toMatchObject(unavailable);
      },
    );

    test('a programming error is not converted', async () => {
      const wrong = sql`select nothing from nowhere`.execute(await open());
      await expect(wrong).rejects.toMatchObject({ code: '42P01' });
    });

    test('idle connections that break are replaced', async () => {
      const database = await open();
      await Promise.all([insert(database, 'org_1'), insert(database, 'org_2')]);
      await server.cutConnections();
      await expect.poll(() => ids(database).catch(() => [])).toEqual(['org_1', 'org_2']);
    });

    test('a transaction whose connection breaks is rolled back', async () => {
      const database = await open();
      const cut = inTransaction(database, async (inside) => {
        await insert(inside, 'org_1');
        await server.cutConnections();
        await insert(inside, 'org_2');
      });
      await expect(cut).rejects.toMatchObject(unavailable);
      await expect.poll(() => ids(database).catch(() => undefined)).toEqual([]);
    });

    test('a crashed server is unavailable and has all data after its restart', async () => {
      const database = await open();
      await insert(database, 'org_1');
      await server.crash();
      await expect(insert(database, 'org_2')).rejects.toMatchObject(unavailable);
      await expect(inTransaction(database, ids)).rejects.toMatchObject(unavailable);
      await server.start();
      await expect.poll(() => ids(database).catch(() => [])).toEqual(['org_1']);
      await insert(database, 'org_3');
    });
  });
});

test('a process that waits for its database reports the database and the reason', async () => {
  const port = await freePort();
  const notices: string[][] = [];
  const opening = openPostgres({
    url: `postgres://docyard:hidden@127.0.0.1:${port}/docyard`,
    waitSeconds: 0.6,
    waiting: (...notice) => void notices.push(notice),
  });
  await expect(opening).rejects.toThrow('cannot be reached');
  expect(notices).toHaveLength(1);
  expect(notices[0]?.[0]).toBe(`127.0.0.1:${port}/docyard`);
  expect(notices[0]?.[1]).toContain('ECONNREFUSED');
});
