/** The Readers screen: what sites report about their readers. */
import axe from 'axe-core';
import type { ReportReadings } from '@docyard/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDeployment } from '../contract/harness.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

const dayMs = 86_400_000;
const hostile =
  '<img src=x onerror="document.title=1"><script>alert(1)</script>\n[link](javascript:alert(1))';
const longPath = `/reference/${'a-very-long-name-of-a-page'.repeat(8)}`;

describe.skipIf(chromiumPath === undefined)('the Readers screen', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard?.close());

  test('an installation without readers explains how to enable analytics', async () => {
    const { page, complaints } = await dashboard.open('/', { context: { bypassCSP: true } });
    await page.getByRole('link', { name: 'Readers' }).click();
    await page.getByRole('heading', { name: 'No site has reported readers in the last 30 days' }).waitFor();
    await page.getByText('enabled: on').waitFor();
    await page.getByText(`url: ${dashboard.service.origin}`).waitFor();
    await page.getByRole('tab', { name: 'docs.json' }).click();
    await page.getByText('"thumbsRating": true').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  describe('with two sites', () => {
    beforeAll(async () => {
      await addDeployment(dashboard.service, { name: 'docs-eu-1' });
      await addDeployment(dashboard.service, { name: 'docs-us-1' });
      for (const body of manyReadings()) await dashboard.service.client.call('reportReadings', { body });
    });

    test('totals, pages, searches, missing pages and comments of the period and the site are shown', async () => {
      const { page, complaints } = await dashboard.open('/readers');
      const totals = page.getByRole('region', { name: 'Last 30 days' });
      await totals.getByText('1,305', { exact: true }).waitFor();
      await totals.getByText('50 % without results').waitFor();
      await totals.getByText('1 of 3 votes').waitFor();
      const pages = page.getByRole('table', { name: 'Most read pages' });
      expect(await pages.getByRole('row').nth(1).innerText()).toBe('/\t1,005\t20');
      await page.getByRole('table', { name: 'Searches without results' }).getByText('mooring fee').waitFor();
      await page.getByRole('table', { name: 'Missing pages' }).getByText('/old-quay').waitFor();

      await page.getByLabel('Site', { exact: true }).selectOption({ label: 'docs-us-1' });
      await totals.getByText('5', { exact: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('site')).toMatch(/^dp_/);
      await page.getByRole('button', { name: '7 days' }).click();
      await page
        .getByRole('heading', { name: 'The site has reported no readers in the last 7 days' })
        .waitFor();
      await page.goBack();
      await totals.getByText('5', { exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('the chart is also a table', async () => {
      const { page } = await dashboard.open('/readers?days=7');
      await page.getByRole('img', { name: /^Page views on each of the last 7 days/ }).waitFor();
      await page.getByRole('button', { name: 'Show as a table' }).press('Enter');
      const table = page.getByRole('region', { name: /Table\.$/ }).getByRole('table');
      await table.getByRole('columnheader', { name: 'Agents' }).waitFor();
      expect(await table.getByRole('row').count()).toBe(8);
      await page.context().close();
    });

    test('long lists are short at first', async () => {
      const { page } = await dashboard.open('/readers');
      const pages = page.getByRole('table', { name: 'Most read pages' });
      await pages.waitFor();
      expect(await pages.getByRole('row').count()).toBe(11);
      await page.getByRole('button', { name: 'Show all 50 of Most read pages' }).click();
      expect(await pages.getByRole('row').count()).toBe(51);
      await page.context().close();
    });

    test('a comment with markup is text, and comments are filtered by vote', async () => {
      const { page, complaints } = await dashboard.open('/readers');
      const comments = page
        .locator('section', { has: page.getByRole('heading', { name: 'Comments' }) })
        .getByRole('listitem');
      await comments.first().waitFor();
      expect(await comments.count()).toBe(2);
      expect(await comments.locator('img, script, a').count()).toBe(0);
      expect(await comments.filter({ hasText: '<script>' }).innerText()).toContain(hostile);
      await page.getByRole('button', { name: 'Helpful', exact: true }).click();
      expect(await comments.count()).toBe(1);
      await comments.getByText('Clear, thanks.').waitFor();
      expect(new URL(page.url()).searchParams.get('vote')).toBe('helpful');
      expect(await page.title()).toBe('Readers · Docyard');
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('the CSV file has the period and the site of the screen', async () => {
      const { page } = await dashboard.open('/readers?days=7');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /^CSV/ }).click(),
      ]);
      expect(new URL(download.url()).search).toBe('?days=7');
      expect(download.suggestedFilename()).toMatch(/^readers-\d{4}-\d\d-\d\d\.csv$/);
      await page.context().close();
    });

    test('a viewer reads it, and unknown values of the address are ignored', async () => {
      const as = await dashboard.join('viewer');
      const { page } = await dashboard.open('/readers?days=9999&site=%27&vote=x', { as });
      await page.getByRole('region', { name: 'Last 30 days' }).waitFor();
      await page.context().close();
    });

    test('a failure is shown with a button that tries again', async () => {
      const { page } = await dashboard.open('/readers');
      await page.getByRole('region', { name: 'Last 30 days' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: '90 days' }).click();
      const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
      await retry.waitFor();
      await page.context().setOffline(false);
      await retry.click();
      await page.getByRole('region', { name: 'Last 90 days' }).waitFor();
      await page.context().close();
    });

    test.each([1440, 390, 320])(
      'axe reports no violations at %i pixels, and nothing is too wide',
      async (width) => {
        const { page } = await dashboard.open('/readers?days=90', { width, context: { bypassCSP: true } });
        await page.getByRole('button', { name: 'Show as a table' }).click();
        await page.getByRole('button', { name: 'Show all 50 of Most read pages' }).click();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await violations(page)).toEqual([]);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(
          false,
        );
        await page.context().close();
      },
    );
  });
});

/** Of two sites; the first has more pages than are listed, the second was not read for two weeks. */
function manyReadings(): ReportReadings[] {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);
  const views = (name: string, { daysAgo = 1, human = 0, agent = 0 }) =>
    [
      { day: day(daysAgo), metric: 'views', name, reader: 'human', count: human },
      { day: day(daysAgo), metric: 'views', name, reader: 'agent', count: agent },
    ].filter(({ count }) => count > 0) as ReportReadings['counts'];
  const site = { source: 'a'.repeat(24), feedback: [] };
  const vote = { day: day(1), path: '/tides', isHelpful: false, comment: null };
  return [
    {
      ...site,
      name: 'docs-eu-1',
      counts: [
        ...views('/', { human: 1000, agent: 20 }),
        ...views(longPath, { daysAgo: 2, human: 140 }),
        ...Array.from({ length: 160 }, (_, page) =>
          views(`/guides/page-${page}`, { daysAgo: 3, human: 1 }),
        ).flat(),
        { day: day(1), metric: 'searches', name: '', reader: 'human', count: 10 },
        { day: day(1), metric: 'empty_searches', name: 'mooring fee', reader: 'human', count: 5 },
        { day: day(1), metric: 'missing', name: '/old-quay', reader: 'human', count: 4 },
      ],
      feedback: [
        { ...vote, id: 'a'.repeat(16), comment: hostile },
        { ...vote, id: 'b'.repeat(16) },
        { ...vote, id: 'c'.repeat(16), path: longPath, isHelpful: true, comment: 'Clear, thanks.' },
      ],
    },
    { ...site, name: 'docs-us-1', counts: views('/', { daysAgo: 14, human: 5 }) },
  ];
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const inPage = globalThis as unknown as { axe: typeof axe };
    const { violations: found } = await inPage.axe.run();
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}
