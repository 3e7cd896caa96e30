/** What sites report about their readers, on both databases. */
import type { ReportReadings } from '@docyard/api';
import { beforeEach, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { siteReport } from '../../../../test/contract/harness.ts';
import { dayOf, deleteAnalytics, reportReadings, sweepAnalytics } from './analytics.ts';
import { eachReading, readAnalytics } from './read-analytics.ts';
import { reportDeployment } from './reports.ts';

let context: TestContext;
let tenant: Tenant;
let reach: { organizationId: string; projectId: null };
let day: string;

beforeEach(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  reach = { organizationId: tenant.organizationId, projectId: null };
  await reportDeployment(context, siteReport('docs'), reach);
  day = context.clock.now().toISOString().slice(0, 10);
});

function readings(counts: Partial<ReportReadings['counts'][number]>[], more = {}): ReportReadings {
  const usual = { day, metric: 'views', name: '/', reader: 'human', count: 1 } as const;
  return {
    name: 'docs',
    source: 'a'.repeat(24),
    counts: counts.map((each) => ({ ...usual, ...each })),
    feedback: [],
    ...more,
  };
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('a repeated, late or duplicated report is not counted twice, and a new file of the site adds up', async () => {
  await reportReadings(context, readings([{ count: 3 }, { reader: 'agent', count: 2 }]), reach);
  await reportReadings(context, readings([{ count: 3 }]), reach);
  await reportReadings(context, readings([{ count: 5 }, { count: 5 }]), reach);
  await reportReadings(context, readings([{ count: 4 }]), reach);
  await reportReadings(context, readings([{ count: 10 }], { source: 'b'.repeat(24) }), reach);
  const found = await readAnalytics(context, { reach, days: 7 });
  expect(found.totals).toMatchObject({ human: 15, agent: 2 });
  expect(found.days).toHaveLength(7);
  expect(found.days.at(-1)).toEqual({ date: day, human: 15, agent: 2 });
  expect(found.pages).toEqual([{ path: '/', human: 15, agent: 2 }]);
});

test('searches, missing pages, votes and comments are summed up', async () => {
  const id = 'v'.repeat(16);
  const vote = { id, day, path: '/tides', isHelpful: false, comment: null };
  const counts = [
    { metric: 'searches', name: '', count: 9 },
    { metric: 'empty_searches', name: 'quay', count: 2 },
    { metric: 'missing', name: '/gone', count: 4 },
  ] as const;
  await reportReadings(context, readings([...counts], { feedback: [vote] }), reach);
  const feedback = [
    { ...vote, comment: '=1+1' },
    { ...vote, id: 'w'.repeat(16), isHelpful: true },
  ];
  await reportReadings(context, readings([], { feedback }), reach);
  await reportReadings(context, readings([], { feedback: [{ ...vote, comment: 'changed' }] }), reach);
  const found = await readAnalytics(context, { reach });
  expect(found.totals).toMatchObject({ searches: 9, emptySearches: 2, helpful: 1, notHelpful: 1 });
  expect(found.emptySearches).toEqual([{ text: 'quay', count: 2 }]);
  expect(found.missing).toEqual([{ path: '/gone', count: 4 }]);
  expect(found.ratings).toEqual([{ path: '/tides', helpful: 1, notHelpful: 1 }]);
  expect(found.comments).toMatchObject([{ day, path: '/tides', isHelpful: false, comment: '=1+1' }]);
  const rows = await listed(eachReading(context, { reach, days: 1 }));
  expect(rows.map(({ metric, name, count }) => `${metric} ${name} ${count}`)).toEqual([
    'empty_searches quay 2',
    'missing /gone 4',
    'searches  9',
    'not_helpful /tides 1',
    'helpful /tides 1',
  ]);
});

test('another organization, project or deployment sees nothing', async () => {
  await reportReadings(context, readings([{ count: 3 }]), reach);
  const other = await createTenant(context);
  const theirs = { organizationId: other.organizationId, projectId: null };
  const deploymentId = (
    await context.database.selectFrom('deployments').select('id').executeTakeFirstOrThrow()
  ).id;
  for (const filter of [
    { reach: theirs },
    { reach: theirs, deploymentId },
    { reach: { ...reach, projectId: 'pr_0000000000000000' } },
    { reach, projectId: 'pr_0000000000000000' },
    { reach, deploymentId: 'dp_0000000000000000' },
  ]) {
    expect((await readAnalytics(context, filter)).totals.human).toBe(0);
    expect(await listed(eachReading(context, filter))).toEqual([]);
  }
  expect((await readAnalytics(context, { reach, deploymentId })).totals.human).toBe(3);
  await expect(reportReadings(context, readings([{}]), theirs)).rejects.toMatchObject({ code: 'not_found' });
});

test('days outside of the retention are ignored, and old ones are removed', async () => {
  await reportReadings(
    context,
    readings([{ day: '2000-01-01' }, { day: '2999-01-01' }, { count: 2 }]),
    reach,
  );
  const stored = () => context.database.selectFrom('deployment_counts').select('count').execute();
  expect(await stored()).toEqual([{ count: 2 }]);
  await sweepAnalytics(context);
  expect(await stored()).toHaveLength(1);
  context.clock.advance(401 * 86_400);
  await sweepAnalytics(context);
  expect(await stored()).toEqual([]);
});

test('a deployment with too many rows loses its oldest days, and more of one day is ignored', async () => {
  const dayBefore = (days: number) => dayOf(context.clock.now().getTime() - days * 86_400_000);
  const pages = (count: number, of: string) =>
    Array.from({ length: count }, (_, page) => ({ day: of, name: `/${of}/${page}` }));
  const limited = { ...reach, maxRows: 5 };
  const stored = async () => {
    const rows = await context.database.selectFrom('deployment_counts').select('day').execute();
    return rows.map((row) => row.day).toSorted();
  };
  const vote = { id: 'v'.repeat(16), day: dayBefore(3), path: '/', isHelpful: true, comment: null };
  await reportReadings(context, readings(pages(1, dayBefore(2)), { feedback: [vote] }), limited);
  await reportReadings(context, readings(pages(3, dayBefore(1))), limited);
  expect(await stored()).toEqual([dayBefore(2), dayBefore(1), dayBefore(1), dayBefore(1)]);

  await reportReadings(context, readings(pages(2, day)), limited);
  expect((await readAnalytics(context, { reach })).totals.helpful).toBe(0);
  expect(await stored()).toHaveLength(6);
  await reportReadings(context, readings(pages(4, day)), limited);
  expect(await stored()).toEqual([day, day, day, day]);
  await reportReadings(context, readings(pages(6, day)), limited);
  expect(await stored()).toEqual(Array.from({ length: 6 }, () => day));

  const flood = [{ ...vote, day, comment: 'More' }];
  await reportReadings(context, readings(pages(9, day), { feedback: flood }), limited);
  expect(await stored()).toHaveLength(6);
  expect((await readAnalytics(context, { reach })).totals.helpful).toBe(0);
});

test('deleting is in the audit log', async () => {
  await reportReadings(context, readings([{ count: 3 }]), reach);
  const { id } = await context.database.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  await deleteAnalytics(context, { deploymentId: id, actor: tenant.actor });
  expect((await readAnalytics(context, { reach })).totals.human).toBe(0);
  const audit = await context.database.selectFrom('audit_log').select('action').execute();
  expect(audit.map(({ action }) => action)).toContain('deployment.clear');
});
