import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { postgresMissing, startPostgres, type PostgresServer } from '../../../../../test/postgres.ts';
import { delivery, describeQueue, gate, pollOptions } from '../../../test/support/queue-suite.ts';
import type { Delivered } from '../../ports/queue.ts';
import { cleanUp } from '../../../test/support/test-context.ts';
import { InProcessChanges } from '../changes/in-process.ts';
import { PostgresChanges } from '../changes/postgres.ts';
import { openPostgres } from '../database/postgres.ts';
import { PgBossQueue } from './pg-boss.ts';

describe.skipIf(postgresMissing !== undefined)('PostgreSQL', () => {
  let server: PostgresServer;
  let template: string;
  beforeAll(async () => {
    server = await startPostgres();
    cleanUp(() => server.remove());
    template = await server.createDatabase();
    await (await openPostgres({ url: template })).destroy();
    await (await PgBossQueue.open({ url: template, changes: new InProcessChanges() })).stop();
  });

  async function open(url: string, maxPerOrganization?: number) {
    const changes = await PostgresChanges.open({ url });
    const queue = await PgBossQueue.open({
      url,
      changes,
      ...(maxPerOrganization === undefined ? {} : { maxPerOrganization }),
    });
    cleanUp(async () => {
      await queue.stop();
      await changes.close();
    });
    return queue;
  }

  async function make(options: { maxPerOrganization?: number } = {}) {
    const url = await server.createDatabase(template);
    const database = await openPostgres({ url });
    cleanUp(() => database.destroy());
    return { url, database, queue: await open(url, options.maxPerOrganization) };
  }

  describeQueue('on PostgreSQL', make);

  test('a send belongs to its transaction', async () => {
    const { queue, database } = await make();
    const got: string[] = [];
    await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
    const dropped = database.transaction().execute(async (inside) => {
      await queue.send(inside, delivery('dropped'));
      throw new Error('Changed my mind.');
    });
    await expect(dropped).rejects.toThrow('Changed my mind.');
    await database.transaction().execute(async (inside) => {
      await queue.send(inside, delivery('kept'));
      await queue.send(database, delivery('direct'));
      await expect.poll(() => got, pollOptions).toEqual(['direct']);
    });
    await expect.poll(() => got, pollOptions).toEqual(['direct', 'kept']);
    expect(await queue.held(['dropped'])).toEqual(new Set());
  });

  test('an unprivileged role that owns the database is sufficient', async () => {
    const url = new URL(await server.createDatabase());
    await server.query(url.href, 'create role plain login');
    await server.query(url.href, `alter database ${url.pathname.slice(1)} owner to plain`);
    url.username = 'plain';
    const database = await openPostgres({ url: url.href });
    cleanUp(() => database.destroy());
    const queue = await open(url.href, 1);
    const got: string[] = [];
    await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
    await queue.send(database, delivery('a'));
    await expect.poll(() => got, pollOptions).toEqual(['a']);
  });

  test('handled deliveries are deleted', async () => {
    const { queue, database, url } = await make();
    for (const job of ['a', 'b', 'c']) await queue.send(database, delivery(job));
    await queue.consume('export', 2, async () => {});
    await expect.poll(() => server.query(url, 'select count(*) from pgboss.job'), pollOptions).toBe('0');
  });

  test('the limit of an organization holds over all processes', async () => {
    const { queue, database, url } = await make({ maxPerOrganization: 2 });
    const others = await Promise.all([open(url, 2), open(url, 2)]);
    const jobs = Array.from({ length: 24 }, (_, index) => ({
      jobId: `job-${index}`,
      organizationId: `org_${index % 2}`,
    }));
    for (const job of jobs) await queue.send(database, delivery(job.jobId, job));
    const underWay = new Map<string, number>();
    const placesTaken = Promise.withResolvers<void>();
    let [most, handled] = [0, 0];
    for (const each of [queue, ...others]) {
      await each.consume('export', 4, async ({ organizationId }) => {
        const count = (underWay.get(organizationId) ?? 0) + 1;
        underWay.set(organizationId, count);
        most = Math.max(most, count);
        if (underWay.size === 2 && [...underWay.values()].every((each) => each >= 2)) placesTaken.resolve();
        await placesTaken.promise;
        await new Promise((resolve) => setTimeout(resolve, 20));
        underWay.set(organizationId, (underWay.get(organizationId) ?? 0) - 1);
        handled += 1;
      });
    }
    await expect.poll(() => handled, pollOptions).toBe(jobs.length);
    expect(most).toBe(2);
  });

  test('each round serves every organization once', async () => {
    const { queue, database } = await make();
    const mix = 'aaaaaabcbbdaacd'.split('');
    for (const [index, organizationId] of mix.entries())
      await queue.send(database, delivery(`${organizationId}${index}`, { organizationId }));
    const got: string[] = [];
    await queue.consume('export', 1, async ({ organizationId }) => void got.push(organizationId));
    await expect.poll(() => got.length, pollOptions).toBe(mix.length);
    const rounds = [got.slice(0, 4), got.slice(4, 8), got.slice(8, 10)].map((round) =>
      round.toSorted().join(''),
    );
    expect(rounds).toEqual(['abcd', 'abcd', 'ab']);
  });

  test('a new organization waits for one job of each other organization, not for the backlog', async () => {
    const { queue, database } = await make();
    const line = gate();
    for (let job = 0; job < 30; job += 1)
      await queue.send(database, delivery(`big-${job}`, { organizationId: 'org_big' }));
    await queue.consume('export', 1, line.handle);
    for (let job = 0; job < 3; job += 1) await line.finishOne();
    await expect.poll(() => line.begun.length, pollOptions).toBe(4);
    await queue.send(database, delivery('late', { organizationId: 'org_late' }));
    for (let job = 0; job < 3; job += 1) await line.finishOne();
    await expect.poll(() => line.begun.indexOf('late'), pollOptions).toBe(5);
    const stopping = queue.stop();
    line.finishAll();
    await stopping;
  });

  test('a job of a worker that was killed is delivered again within 15 seconds', async () => {
    const { queue, database, url } = await make();
    await queue.send(database, delivery('a'));
    const program = `
      import { PostgresChanges } from ${JSON.stringify(new URL('../changes/postgres.ts', import.meta.url).href)};
      import { PgBossQueue } from ${JSON.stringify(new URL('pg-boss.ts', import.meta.url).href)};
      const url = ${JSON.stringify(url)};
      const queue = await PgBossQueue.open({ url, changes: await PostgresChanges.open({ url }) });
      await queue.consume('export', 1, async () => {
        process.stdout.write('begun');
        await new Promise(() => {});
      });
    `;
    const args = ['--no-warnings', '--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const got: Delivered[] = [];
    await queue.consume('export', 1, async (each) => void got.push(each));
    child.kill('SIGKILL');
    const killedAt = Date.now();
    await expect.poll(() => got, pollOptions).toEqual([{ ...delivery('a'), isRedelivery: true }]);
    expect((Date.now() - killedAt) / 1000).toBeLessThan(15);
  });

  test('a database outage neither loses nor repeats deliveries', async () => {
    const { queue, database, url } = await make();
    const line = gate();
    for (const job of ['a', 'b']) await queue.send(database, delivery(job));
    await queue.consume('export', 1, line.handle);
    await expect.poll(() => line.begun, pollOptions).toEqual(['a']);
    await server.crash();
    // Longer than the heartbeat timeout.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    await server.start();
    const alive = `select data->>'jobId' from pgboss.job
      where state = 'active' and retry_count = 0 and heartbeat_on > now() - interval '5 seconds'`;
    await expect.poll(() => server.query(url, alive), pollOptions).toBe('a');
    await line.finishOne();
    await expect.poll(() => line.begun, pollOptions).toEqual(['a', 'b']);
    await line.finishOne();
    await expect.poll(() => queue.held(['a', 'b']).catch(() => undefined), pollOptions).toEqual(new Set());
    expect(line.begun).toEqual(['a', 'b']);
  });
});
