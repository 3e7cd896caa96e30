/**
 * PostgreSQL: the suite of the port, several processes that begin at once, names that are held, and a server that goes
 * away and comes back.
 */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../../test/free-port.ts';
import { postgresMissing, startPostgres, type PostgresServer } from '../../../../../test/postgres.ts';
import { describeDatabase } from '../../../test/support/database-suite.ts';
import { exclusively, inTransaction, unlessElsewhere, type Database } from '../../ports/database.ts';
import { cleanUp } from '../../../test/support/test-context.ts';
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

  test('several processes that open an empty database at once make its tables once', async () => {
    const url = await server.createDatabase();
    const opened = await Promise.all([open(url), open(url), open(url), open(url)]);
    await insert(opened[0], 'org_1');
    for (const each of opened) expect(await ids(each)).toEqual(['org_1']);
  });

  test('a database from the future is refused with its name and without its password', async () => {
    const url = await server.createDatabase();
    await (await openPostgres({ url })).destroy();
    await server.query(url, "insert into kysely_migration values ('9999-future', '2030-01-01')");
    const withPassword = Object.assign(new URL(url), { password: 'hush-hush' });
    const refusal = await openPostgres({ url: withPassword.href }).catch((error: unknown) => String(error));
    expect(refusal).toContain(`The database ${withPassword.host}${withPassword.pathname} was brought`);
    expect(refusal).not.toContain('hush');
  });

  test('a database that is not there is told at once, a server that is not there after the wait', async () => {
    const url = Object.assign(new URL(await server.createDatabase()), { pathname: 'nowhere' }).href;
    await expect(openPostgres({ url })).rejects.toThrow('database "nowhere" does not exist');
    const nobody = 'postgres://docyard:hush@127.0.0.1:1/docyard';
    await expect(openPostgres({ url: nobody, waitSeconds: 0 })).rejects.toThrow(
      'The database 127.0.0.1:1/docyard cannot be reached',
    );
  });

  test('counts and sequences are numbers', async () => {
    const database = await open();
    await insert(database, 'org_1');
    const counted = database.selectFrom('organizations').select((eb) => eb.fn.countAll().as('count'));
    expect(await counted.execute()).toEqual([{ count: 1 }]);
  });

  test('a NUL, which PostgreSQL cannot keep, is kept as the sign for an unknown character', async () => {
    const database = await open();
    await insert(database, 'org_\0');
    expect(await ids(database)).toEqual(['org_\uFFFD']);
    const found = database.selectFrom('organizations').select('id').where('id', '=', 'nobody\0');
    expect(await found.execute()).toEqual([]);
  });

  describe('a name that is held', () => {
    test('lets one after the other decide, so that a count is never exceeded', async () => {
      const url = await server.createDatabase();
      const [one, two] = await Promise.all([open(url), open(url)]);
      const addUpToFive = (database: Database, id: string) =>
        inTransaction(database, async (inside) => {
          await exclusively(inside, 'five');
          if ((await ids(inside)).length >= 5) return;
          await insert(inside, id);
        });
      const tries = Array.from({ length: 20 }, (_, index) =>
        addUpToFive(index % 2 === 0 ? one : two, `org_${index}`),
      );
      await Promise.all(tries);
      expect(await ids(one)).toHaveLength(5);
    });

    test('does not hold up another name, and is free when the transaction has failed', async () => {
      const database = await open();
      await inTransaction(database, async (outer) => {
        await exclusively(outer, 'a');
        await inTransaction(database, (other) => exclusively(other, 'b'));
      });
      const failing = inTransaction(database, async (inside) => {
        await exclusively(inside, 'a');
        throw new Error('Changed my mind.');
      });
      await expect(failing).rejects.toThrow('Changed my mind.');
      await inTransaction(database, (inside) => exclusively(inside, 'a'));
    });

    test('needs a transaction', async () => {
      await expect(exclusively(await open(), 'a')).rejects.toThrow('Only a transaction');
    });
  });

  test('work that another process is at is left to it, until that has ended or lost its connection', async () => {
    const url = await server.createDatabase();
    const [one, two] = await Promise.all([open(url), open(url)]);
    const done: string[] = [];
    const run = (database: Database, name: string, meanwhile = async () => {}) =>
      unlessElsewhere(database, 'sweep', async () => {
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

  test('two transactions that wait for each other both end', async () => {
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
    // The third run is the one that had to begin again; on a busy server it may have had to twice.
    expect(waiting).toBeGreaterThanOrEqual(3);
  });

  describe('trouble', () => {
    const unavailable = { code: 'storage_unavailable', headers: { 'retry-after': '5' } };

    test.each(['53300', '53100', '57P03', '57014', '55P03', '08006', '25006'])(
      'the error %s of the server is told as storage_unavailable',
      async (code) => {
        const raise = sql.raw(`do $$ begin raise exception 'trouble' using errcode = '${code}'; end $$`);
        await expect(raise.execute(await open())).rejects.toMatchObject(unavailable);
      },
    );

    test('an error of ours is not', async () => {
      const wrong = sql`select nothing from nowhere`.execute(await open());
      await expect(wrong).rejects.toMatchObject({ code: '42P01' });
    });

    test('connections that are cut while nobody uses them are made anew', async () => {
      const database = await open();
      await Promise.all([insert(database, 'org_1'), insert(database, 'org_2')]);
      await server.cutConnections();
      await expect.poll(() => ids(database).catch(() => [])).toEqual(['org_1', 'org_2']);
    });

    test('a transaction whose connection is cut leaves nothing', async () => {
      const database = await open();
      const cut = inTransaction(database, async (inside) => {
        await insert(inside, 'org_1');
        await server.cutConnections();
        await insert(inside, 'org_2');
      });
      await expect(cut).rejects.toMatchObject(unavailable);
      await expect.poll(() => ids(database).catch(() => undefined)).toEqual([]);
    });

    test('a server that crashes is unavailable, and all is there when it is back', async () => {
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

test('a process that waits for its database says so, with the database and the reason', async () => {
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
