import { beforeAll, describe, expect, test } from 'vitest';
import { postgresMissing, startPostgres, type PostgresServer } from '../../../../../test/postgres.ts';
import { describeChanges } from '../../../test/support/changes-suite.ts';
import { cleanUp } from '../../../test/support/test-context.ts';
import { openPostgres } from '../database/postgres.ts';
import { PostgresChanges } from './postgres.ts';

const at = '2026-03-01T12:00:00.000Z';

describe.skipIf(postgresMissing !== undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    cleanUp(() => server.remove());
  });

  async function make() {
    const url = await server.createDatabase();
    const database = await openPostgres({ url });
    const lost: unknown[] = [];
    const changes = await PostgresChanges.open({ url, warn: (error) => lost.push(error) });
    cleanUp(async () => {
      await changes.close();
      await database.destroy();
    });
    const change = async (jobId: string) => {
      await database.insertInto('job_events').values({ job_id: jobId, at, row: '{}' }).execute();
    };
    return { database, changes, change, lost };
  }

  describeChanges('PostgreSQL', make);

  test('a change is notified at its commit, and not when it is rolled back', async () => {
    const { database, changes } = await make();
    const heard: string[] = [];
    for (const job of ['kept', 'dropped', 'end']) changes.listen(job, () => heard.push(job));
    const insert = (inside: typeof database, job_id: string) =>
      inside.insertInto('job_events').values({ job_id, at, row: '{}' }).execute();
    const dropped = database.transaction().execute(async (inside) => {
      await insert(inside, 'dropped');
      throw new Error('Changed my mind.');
    });
    await expect(dropped).rejects.toThrow('Changed my mind.');
    await database.transaction().execute(async (inside) => {
      await insert(inside, 'kept');
      await insert(database, 'end');
      await expect.poll(() => heard).toEqual(['end']);
    });
    await expect.poll(() => heard).toEqual(['end', 'kept']);
  });

  test('a listener for all jobs of an organization is notified of each', async () => {
    const { database, changes, change } = await make();
    const heard: string[] = [];
    for (const name of ['jobs:org_1', 'jobs:org_2']) changes.listen(name, () => heard.push(name));
    const times = { created_at: at, updated_at: at };
    for (const id of ['org_1', 'org_2']) {
      const organization = { id, name: id, plan: 'free', local_sources: 0, created_at: at };
      await database.insertInto('organizations').values(organization).execute();
    }
    const owner = { organization_id: 'org_1', domain: 'docs.example.com' };
    const project = { ...owner, ...times, id: 'pr_1', name: 'Docs', repository: 'https://example.com/d.git' };
    await database.insertInto('projects').values(project).execute();
    const state = {
      kind: 'export',
      status: 'queued',
      phase: 'queued',
      progress: 0,
      page_count: 0,
      attempt: 0,
    };
    const job = { ...owner, ...times, ...state, id: 'se_1', project_id: 'pr_1', input: '{}' };
    await database.insertInto('jobs').values(job).execute();
    await change('se_1');
    await expect.poll(() => heard).toEqual(['jobs:org_1']);
  });

  test('changes of keys and organizations are notified, uses of a key are not', async () => {
    const { database, changes, change } = await make();
    const heard: string[] = [];
    for (const name of ['keys', 'end']) changes.listen(name, () => heard.push(name));
    const organization = { id: 'org_1', name: 'A', plan: 'free', local_sources: 0, created_at: at };
    await database.insertInto('organizations').values(organization).execute();
    const key = { id: 'key_1', organization_id: 'org_1', name: 'A', hash: 'h', prefix: 'p', last4: 'l' };
    const rest = { scopes: '[]', allowed_addresses: '[]', created_at: at };
    await database
      .insertInto('api_keys')
      .values({ ...key, ...rest })
      .execute();
    await database.updateTable('api_keys').set({ last_used_at: at }).execute();
    await change('end');
    await expect.poll(() => heard).toEqual(['end']);
    await database.updateTable('api_keys').set({ revoked_at: at }).execute();
    await expect.poll(() => heard).toEqual(['end', 'keys']);
    await database.updateTable('organizations').set({ plan: 'enterprise' }).execute();
    await expect.poll(() => heard).toEqual(['end', 'keys', 'keys']);
  });

  test('listeners poll while the connection is lost and are notified afterwards', async () => {
    const { changes, change, lost } = await make();
    expect(changes.isLive).toBe(true);
    let notifications = 0;
    const stop = changes.listen('a', () => (notifications += 1));
    await server.crash();
    await expect.poll(() => changes.isLive).toBe(false);
    expect(lost.length).toBeGreaterThan(0);
    const before = notifications;
    await expect.poll(() => notifications, { timeout: 5000 }).toBeGreaterThan(before);
    await server.start();
    await expect.poll(() => changes.isLive, { timeout: 30_000 }).toBe(true);
    const wait = changes.next('b', { seconds: 60, signal: new AbortController().signal });
    await expect
      .poll(() =>
        change('b').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await wait.happened).toBe('changed');
    wait.stop();
    stop();
  });

  test('an unreachable server is retried until close', async () => {
    const warned: unknown[] = [];
    const url = 'postgres://docyard@127.0.0.1:1/docyard';
    const changes = await PostgresChanges.open({ url, warn: (error) => warned.push(error) });
    expect(changes.isLive).toBe(false);
    await expect.poll(() => warned.length).toBeGreaterThan(1);
    await changes.close();
  });
});
