/** Exports that many callers start at the same moment: few transactions, exact limits, nothing lost or done twice. */
import { describe, expect, test } from 'vitest';
import { findBrokenEntry } from '../audit/audit.ts';
import type { Environment } from '../config.ts';
import { isPostgres } from '../ports/database.ts';
import type { Delivery } from '../ports/queue.ts';
import { composeForTest, createTenant, createTestProject, jsonBody, serveForTest } from '../testing.ts';
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
  const countJobs = async () => (await context.database.selectFrom('jobs').select('id').execute()).length;
  return { context, tenants, sent, start, startMany, countJobs };
}

interface StartAnswer {
  jobId?: string;
  code?: string;
}

const countOf = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('exports that are started at the same moment', () => {
  test('share transactions, and each has its own job, event and audit entry', async () => {
    const { context, tenants, sent, start, countJobs } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: many }, (_, index) => start(tenants[index % 2] ?? tenants[0])),
    );
    expect(countOf(answers, 202)).toBe(many);
    expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(many);
    // SQLite works in this process: each transaction ends before the next request is read.
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

  test('are as many as the organization may start in an hour, to the last one', async () => {
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

  test('leave places in the queue for another organization', async () => {
    const { tenants, startMany } = await setUp({ LIMIT_QUEUED_JOBS: '12' });
    const own = await startMany();
    expect([countOf(own, 202), countOf(own, 503)]).toEqual([6, many - 6]);
    expect(own.find(({ status }) => status === 503)?.body.code).toBe('queue_full');
    expect(countOf(await startMany(tenants[1]), 202)).toBe(3);
  });

  test('with one Idempotency-Key start one export', async () => {
    const { startMany, countJobs, start } = await setUp();
    const key = { 'idempotency-key': 'once' };
    const answers = await startMany(undefined, key);
    expect(countOf(answers, 202) + countOf(answers, 409)).toBe(many);
    expect(await countJobs()).toBe(1);
    const again = await start(undefined, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  });

  test('with an Idempotency-Key each are kept each', async () => {
    const { start, countJobs } = await setUp();
    const startAll = () =>
      Promise.all(
        Array.from({ length: many }, (_, index) => start(undefined, { 'idempotency-key': `key-${index}` })),
      );
    const [first, second] = [await startAll(), await startAll()];
    expect(second.map(({ body }) => body.jobId)).toEqual(first.map(({ body }) => body.jobId));
    expect(await countJobs()).toBe(many);
  });

  test('are each announced to the webhooks of their organization only', async () => {
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
