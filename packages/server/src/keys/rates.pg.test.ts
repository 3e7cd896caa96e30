/** All processes share the request quota of a key and lease requests from it in batches. */
import { describe, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  serveForTest,
  type TestContext,
} from '../../test/support/test-context.ts';
import { leaseRequests, type QuotaLease, type Rate } from './rates.ts';

const secret = { SECRET_KEY: 'the same for every process of the test' };
const reads = (quota: number): Rate => ({ name: 'reads', quota });

async function setUp(environment: Record<string, string> = {}) {
  const context = await composeForTest({ ...secret, ...environment });
  const { key } = await createTenant(context);
  return { context, key };
}

/** Leases concurrently until the quota is used up. */
async function borrowAll(contexts: TestContext[], keyId: string, quota: number): Promise<QuotaLease[]> {
  const loans: QuotaLease[] = [];
  for (;;) {
    const more = await Promise.all(contexts.map((each) => leaseRequests(each, keyId, reads(quota))));
    loans.push(...more);
    if (more.every(({ lent }) => lent === 0)) return loans;
  }
}

const sum = (loans: QuotaLease[]) => loans.reduce((total, { lent }) => total + lent, 0);

test('a single process counts in memory', async () => {
  const { context, key } = await setUp();
  if (context.config.databaseUrl !== null) return;
  const now = context.clock.now().getTime();
  const loan = await leaseRequests(context, key.id, reads(600));
  expect(loan).toEqual({ lent: 600, left: 0, endsAtMs: now + 60_000 });
  expect(await context.database.selectFrom('rate_windows').selectAll().execute()).toEqual([]);
});

describe.skipIf(process.env['TEST_DATABASE'] !== 'postgres')('several processes', () => {
  const another = (context: TestContext, environment: Record<string, string> = {}) =>
    composeForTest({ ...secret, DATABASE_URL: context.config.databaseUrl ?? '', ...environment });

  test.each([1, 7, 100, 600])('lease exactly %i requests in total', async (quota) => {
    const { context, key } = await setUp();
    const contexts = [context, await another(context), await another(context)];
    const loans = await borrowAll(contexts, key.id, quota);
    expect(sum(loans)).toBe(quota);
    expect(loans.at(-1)).toMatchObject({ lent: 0, left: 0 });
  });

  test('lease the first requests in batches and the last ones singly', async () => {
    const { context, key } = await setUp();
    const loans = (await borrowAll([context], key.id, 600)).map(({ lent }) => lent);
    expect(loans[0]).toBe(37);
    expect(loans.slice(-17)).toEqual([...Array.from({ length: 16 }, () => 1), 0]);
    expect(loans).toHaveLength(81 + 1);
  });

  test('get a full quota when the window of a minute has ended', async () => {
    const { context, key } = await setUp();
    const first = await leaseRequests(context, key.id, reads(10));
    context.clock.advance(59);
    expect((await borrowAll([context], key.id, 10)).every((each) => each.endsAtMs === first.endsAtMs)).toBe(
      true,
    );
    context.clock.advance(1);
    expect(sum(await borrowAll([context], key.id, 10))).toBe(10);
  });

  test('count keys, reads and writes separately', async () => {
    const { context, key } = await setUp();
    const other = await createTenant(context, { name: 'Other' });
    expect(sum(await borrowAll([context], key.id, 5))).toBe(5);
    expect((await leaseRequests(context, other.key.id, reads(5))).lent).toBe(1);
    expect((await leaseRequests(context, key.id, { name: 'writes', quota: 5 })).lent).toBe(1);
  });

  test('answer as many requests as the quota allows, in any distribution', async () => {
    const limit = { LIMIT_READS_PER_MINUTE: '40' };
    const { context, key } = await setUp(limit);
    const services = [context, await another(context, limit), await another(context, limit)].map(
      serveForTest,
    );
    const ask = async (turn: number) => {
      const service = await services[turn % services.length];
      return service?.request('/v1/me', { key: key.key });
    };
    const answers = await Promise.all(Array.from({ length: 120 }, (_, turn) => ask(turn)));
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
    const refused = await ask(0);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(refused?.headers.get('ratelimit')).toBe('"reads";r=0;t=60');
  });
});
