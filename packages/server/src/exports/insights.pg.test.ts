import type { Insights } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../keys/keys.ts';
import { isPostgres } from '../ports/database.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projects: Awaited<ReturnType<typeof createTestProject>>[];

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  projects = [await createTestProject(context, tenant), await createTestProject(context, tenant)];
});

interface Seed {
  project?: number;
  /** Before the current date. */
  daysAgo: number;
  seconds?: number;
  status?: 'completed' | 'failed' | 'queued';
  failure?: string;
  errors?: number;
  warnings?: number;
}

let seeded = 0;

/** Inserts rows of finished exports without running them. */
async function seed(of: Tenant, exports: Seed[]): Promise<void> {
  const rows = exports.map((each) => {
    const { project = 0, daysAgo, seconds = 10, status = 'completed', failure } = each;
    const created = new Date(context.clock.now().getTime() - daysAgo * 86_400_000);
    const { id, domain } = projects[project] ?? { id: '', domain: '' };
    return {
      id: `se_${String((seeded += 1)).padStart(16, '0')}`,
      kind: 'export',
      organization_id: of.organizationId,
      project_id: id,
      domain,
      status,
      phase: 'done',
      progress: 100,
      page_count: 3,
      attempt: 1,
      input: JSON.stringify({ request: { domain }, source: { repository: '', ref: null, directory: null } }),
      result:
        status === 'completed'
          ? JSON.stringify({
              bundle: { sizeBytes: 1, sha256: '0'.repeat(64), fileCount: 1 },
              warnings: each.warnings ?? 0,
              errors: each.errors ?? 0,
              attempt: 1,
            })
          : null,
      failure: failure === undefined ? null : JSON.stringify({ code: failure, message: 'No.' }),
      created_at: created.toISOString(),
      updated_at: created.toISOString(),
      started_at: status === 'queued' ? null : created.toISOString(),
      finished_at: status === 'queued' ? null : new Date(created.getTime() + seconds * 1000).toISOString(),
    };
  });
  for (let start = 0; start < rows.length; start += 500)
    await context.database
      .insertInto('jobs')
      .values(rows.slice(start, start + 500))
      .execute();
}

async function read(query = '', key = tenant.key.key): Promise<Insights> {
  const answer = await service.request(`/v1/static-export/insights${query}`, { key });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Insights;
}

describe('the insights of an organization', () => {
  beforeAll(() =>
    seed(tenant, [
      { daysAgo: 40, seconds: 500 },
      { daysAgo: 2, seconds: 10, warnings: 4, errors: 1 },
      { daysAgo: 2, seconds: 20, warnings: 3 },
      { daysAgo: 1, seconds: 1.5, warnings: 1 },
      { daysAgo: 0, status: 'failed', failure: 'timeout' },
      { daysAgo: 0, status: 'failed', failure: 'timeout' },
      { daysAgo: 0, status: 'failed', failure: 'canceled' },
      { daysAgo: 0, status: 'queued' },
      { daysAgo: 0, seconds: 40, project: 1, warnings: 9 },
    ]),
  );

  test('each day counts the exports started on it and has the median of completed ones', async () => {
    const { days, medianSeconds, totals } = await read();
    expect(days).toHaveLength(30);
    expect(days.slice(-3)).toEqual([
      { date: '2026-02-27', completed: 2, failed: 0, canceled: 0, medianSeconds: 15 },
      { date: '2026-02-28', completed: 1, failed: 0, canceled: 0, medianSeconds: 1.5 },
      { date: '2026-03-01', completed: 1, failed: 2, canceled: 1, medianSeconds: 40 },
    ]);
    expect(medianSeconds).toBe(15);
    expect(totals).toEqual({ completed: 4, failed: 2, canceled: 1, unfinished: 1 });
  });

  test('failures are counted by code, and a canceled export is no failure', async () => {
    expect((await read()).failures).toEqual([{ code: 'timeout', count: 2 }]);
  });

  test('the findings of a project are sorted from oldest to newest', async () => {
    const [newest, other] = (await read()).projects;
    expect(newest).toMatchObject({ projectId: projects[1]?.id, completed: 1, failed: 0 });
    expect(other).toMatchObject({ projectId: projects[0]?.id, completed: 3, failed: 2 });
    expect(other?.findings.map(({ errors, warnings }) => [errors, warnings])).toEqual([
      [0, 0],
      [1, 4],
      [0, 3],
      [0, 1],
    ]);
  });

  test('`days` and `projectId` filter the insights', async () => {
    const { days, totals } = await read(`?days=2&projectId=${projects[0]?.id}`);
    expect(days.map(({ date }) => date)).toEqual(['2026-02-28', '2026-03-01']);
    expect(totals).toMatchObject({ completed: 1, failed: 2 });
  });

  test('a key of one project sees that project and no webhooks', async () => {
    const { actor } = tenant;
    const made = await createKey(context, {
      name: 'One project',
      expiresInDays: null,
      projectId: projects[1]?.id ?? '',
      actor,
    });
    const seen = await read('', made.key);
    expect(seen.projects.map(({ projectId }) => projectId)).toEqual([projects[1]?.id]);
    expect(seen.totals).toMatchObject({ completed: 1, failed: 0 });
    expect(seen.webhooks).toBeNull();
    const answer = await service.request(`/v1/static-export/insights?projectId=${projects[0]?.id}`, {
      key: made.key,
    });
    expect(answer.status).toBe(404);
  });

  test('another organization has separate insights', async () => {
    const other = await createTenant(context, { name: 'Other' });
    const seen = await read('', other.key.key);
    expect(seen.totals).toEqual({ completed: 0, failed: 0, canceled: 0, unfinished: 0 });
    expect(seen.projects).toEqual([]);
  });
});

test('a failing webhook is named, and a webhook that works is counted', async () => {
  const own = await createTenant(context, { name: 'Hooks' });
  const row = { organization_id: own.organizationId, job_id: null, description: '', events: '[]' };
  const now = context.clock.now().toISOString();
  const common = { ...row, created_at: now, updated_at: now };
  await context.database
    .insertInto('webhooks')
    .values([
      { ...common, id: 'wh_good', url: 'https://a.example/', enabled: 1 },
      { ...common, id: 'wh_bad', url: 'https://b.example/', enabled: 1, failing_since: now },
      { ...common, id: 'wh_off', url: 'https://c.example/', enabled: 0, disabled_reason: 'gone' },
    ])
    .execute();
  const { webhooks } = await read('', own.key.key);
  expect(webhooks?.enabled).toBe(2);
  expect(webhooks?.failing.map(({ id }) => id)).toEqual(['wh_off', 'wh_bad']);
});

test('the insights of 18,000 exports are read within a second, from an index', async () => {
  const own = await createTenant(context, { name: 'Busy' });
  await seed(
    own,
    Array.from({ length: 18_000 }, (_, place) => ({
      daysAgo: place % 60,
      seconds: place % 100,
      warnings: place % 7,
      ...(place % 9 === 0 ? { status: 'failed' as const, failure: 'timeout' } : {}),
    })),
  );
  const began = performance.now();
  const { totals } = await read('', own.key.key);
  const milliseconds = performance.now() - began;
  expect(totals.completed + totals.failed).toBe(9000);
  expect(milliseconds).toBeLessThan(1000);
  if (isPostgres(context.database)) return;
  const { sql } = await import('kysely');
  const plan = await sql<{ detail: string }>`explain query plan
    select count(*) from jobs where organization_id = ${own.organizationId} and kind = 'export'
    and created_at >= '2026-02-01'`.execute(context.database);
  expect(plan.rows[0]?.detail).toContain('jobs_by_creation');
});
