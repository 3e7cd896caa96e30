/** Concurrent starts of exports: shared transactions, exact limits, and one job for each start. */
import { describe, expect, test } from 'vitest';
import { findBrokenEntry } from '../audit/audit.ts';
import type { Environment } from '../config.ts';
import { isPostgres } from '../ports/database.ts';
import type { Delivery } from '../ports/queue.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  type TestContext,
} from '../../test/support/test-context.ts';
import { createWebhook } from '../webhooks/webhooks.ts';

const many = 40;

async function setUp(environment: Environment = {}) {
  const context = await composeForTest(environment);
  const tenants = [await createTenant(context), await createTenant(context, { name: 'Quay' })] as const;
  const domain = 'docs.example.com';
  for (const tenant of tenants) await createTestProject(context, tenant, { domain });
  const sent: Delivery[][] = [];
  const { queue } = context;
  const send: typeof queue.send = async (database, ...deliveries) => {
    sent.push(deliveries);
    await queue.send(database, ...deliveries);
  };
  const { request } = await serveForTest({
    ...context,
    queue: Object.assign(Object.create(queue), { send }),
  });
  const start = async (tenant = tenants[0], headers: Record<string, string> = {}) => {
    const init = jsonBody({ domain });
    const answer = await request('/v1/static-export/jobs', {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...headers },
      key: tenant.key.key,
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as StartAnswer };
  };
  const startMany = (...args: Parameters<typeof start>) =>
    Promise.all(Array.from({ length: many }, () => start(...args)));
  const tagOfExports = async () => {
    const answer = await request('/v1/static-export/jobs', { key: tenants[0].key.key });
    await answer.arrayBuffer();
    return answer.headers.get('etag') ?? '';
  };
  const countJobs = async () => (await context.database.selectFrom('jobs').select('id').execute()).length;
  return { context, tenants, sent, start, startMany, tagOfExports, countJobs };
}

interface StartAnswer {
  jobId?: string;
  code?: string;
}

/** Sorts the ids of jobs by creation. */
async function orderOf({ database }: TestContext, ids: readonly (string | undefined)[]): Promise<string[]> {
  const known = ids.filter((id) => id !== undefined);
  const rows = await database
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', known)
    .orderBy('sequence')
    .execute();
  return rows.map(({ id }) => id);
}

const countOf = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('exports that are started at the same moment', () => {
  test('concurrent starts share transactions, and each has its own job, event and audit entry', async () => {
    const { context, tenants, sent, start, countJobs } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: many }, (_, index) => start(tenants[index % 2] ?? tenants[0])),
    );
    expect(countOf(answers, 202)).toBe(many);
    expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(many);
    // SQLite runs in this process: each transaction ends before the next request is read.
    if (isPostgres(context.database)) expect(sent.length).toBeLessThan(many / 2);
    expect(await countJobs()).toBe(many);
    const events = await context.database.selectFrom('job_events').select('job_id').execute();
    expect(new Set(events.map(({ job_id }) => job_id)).size).toBe(many);
    for (const { organizationId } of tenants) {
      const entries = await context.database
        .selectFrom('audit_log')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('action', '=', 'export.start')
        .execute();
      expect(entries).toHaveLength(many / 2);
      expect(await findBrokenEntry(context, organizationId)).toBeUndefined();
    }
  });

  test('concurrent starts never exceed the hourly limit of the organization', async () => {
    const { tenants, start, startMany, countJobs } = await setUp({ LIMIT_EXPORT_STARTS_PER_HOUR: '7' });
    const answers = await startMany();
    expect([countOf(answers, 202), countOf(answers, 429)]).toEqual([7, many - 7]);
    const left = answers
      .filter(({ status }) => status === 202)
      .map(({ headers }) => Number(/"export-starts";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]));
    expect(left.toSorted((a, b) => b - a)).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect((await start(tenants[1])).status).toBe(202);
    expect(await countJobs()).toBe(8);
  });

  test('concurrent starts of one organization leave room in the queue for another', async () => {
    const { tenants, startMany } = await setUp({ LIMIT_QUEUED_JOBS: '12' });
    const own = await startMany();
    expect([countOf(own, 202), countOf(own, 503)]).toEqual([6, many - 6]);
    expect(own.find(({ status }) => status === 503)?.body.code).toBe('queue_full');
    expect(countOf(await startMany(tenants[1]), 202)).toBe(3);
  });

  test('concurrent starts with the same Idempotency-Key create one export', async () => {
    const { startMany, countJobs, start } = await setUp();
    const key = { 'idempotency-key': 'once' };
    const answers = await startMany(undefined, key);
    expect(countOf(answers, 202) + countOf(answers, 409)).toBe(many);
    expect(await countJobs()).toBe(1);
    const again = await start(undefined, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  });

  test('concurrent starts with different Idempotency-Keys are each replayed', async () => {
    const { start, countJobs } = await setUp();
    const startAll = () =>
      Promise.all(
        Array.from({ length: many }, (_, index) => start(undefined, { 'idempotency-key': `key-${index}` })),
      );
    const [first, second] = [await startAll(), await startAll()];
    expect(second.map(({ body }) => body.jobId)).toEqual(first.map(({ body }) => body.jobId));
    expect(await countJobs()).toBe(many);
  });

  test('each start is sent only to the webhooks of its organization', async () => {
    const { context, tenants, startMany } = await setUp();
    await createWebhook(context, {
      url: 'https://hooks.example.com/',
      events: ['export.queued'],
      actor: tenants[0].actor,
    });
    await Promise.all([startMany(), startMany(tenants[1])]);
    const deliveries = await context.database.selectFrom('webhook_deliveries').selectAll().execute();
    expect(deliveries).toHaveLength(many);
    expect(new Set(deliveries.map(({ organization_id }) => organization_id))).toEqual(
      new Set([tenants[0].organizationId]),
    );
  });
});

describe('exports that are started with a condition on the list of exports', () => {
  test('one of many starts with the tag of the list succeeds and the others are answered 412', async () => {
    const { startMany, tagOfExports, countJobs } = await setUp();
    const answers = await startMany(undefined, { 'if-match': await tagOfExports() });
    expect([countOf(answers, 202), countOf(answers, 412)]).toEqual([1, many - 1]);
    expect(await countJobs()).toBe(1);
  });

  test('a start without a condition does not run between the comparison and the start of another', async () => {
    const { context, start, tagOfExports } = await setUp();
    for (let round = 0; round < 5; round += 1) {
      const headers = { 'if-match': await tagOfExports() };
      const [conditional, plain] = await Promise.all([start(undefined, headers), start()]);
      expect(plain.status).toBe(202);
      if (conditional.status === 202) {
        const order = await orderOf(context, [conditional.body.jobId, plain.body.jobId]);
        expect(order).toEqual([conditional.body.jobId, plain.body.jobId]);
      } else expect(conditional.status).toBe(412);
    }
  });

  test('a start with another tag, a weak tag or If-None-Match: * is answered 412 and creates nothing', async () => {
    const { start, tagOfExports, countJobs } = await setUp();
    for (const tag of ['"another"', `W/${await tagOfExports()}`]) {
      const answer = await start(undefined, { 'if-match': tag });
      expect([answer.status, answer.body.code], tag).toEqual([412, 'precondition_failed']);
    }
    expect((await start(undefined, { 'if-none-match': '*' })).status).toBe(412);
    expect(await countJobs()).toBe(0);
  });

  test('a start with If-Match: * always succeeds because the list exists', async () => {
    const { startMany, countJobs } = await setUp();
    expect(countOf(await startMany(undefined, { 'if-match': '*' }), 202)).toBe(many);
    expect(await countJobs()).toBe(many);
  });

  test('a repeated start is replayed by its Idempotency-Key although its condition no longer holds', async () => {
    const { start, tagOfExports, countJobs } = await setUp();
    const headers = { 'if-match': await tagOfExports(), 'idempotency-key': 'again' };
    const first = await start(undefined, headers);
    const second = await start(undefined, headers);
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([
      202,
      202,
      'true',
    ]);
    expect(second.body.jobId).toBe(first.body.jobId);
    expect(await countJobs()).toBe(1);
  });
});
