import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { write } from '../contract/harness.ts';
import { seed } from './seed.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

describe.skipIf(chromiumPath === undefined)('the numbers of the overview', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
    await seed(dashboard.service);
    const { organization } = await dashboard.service.client.call('readMe');
    write(
      dashboard.service.dataDir,
      `INSERT INTO webhooks (id, organization_id, url, description, events, enabled, failing_since, created_at, updated_at)
       VALUES ('wh_0000000000000001', '${organization.id}', 'https://ci.example.com/hook?token=secret', '', '[]', 1,
       '2026-01-02T03:04:05.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
    );
  });
  afterAll(() => dashboard?.close());

  test('the overview of 5,000 exports shows counts, durations, failures, findings and failing webhooks', async () => {
    const { page, complaints } = await dashboard.open('/');
    const tiles = page.getByRole('region', { name: 'Last 30 days' });
    await tiles.getByText('Exports in 30 days').waitFor();
    await tiles.getByText('5,000').waitFor();
    await tiles.getByRole('link', { name: '1,000' }).waitFor();
    await tiles.getByText('22 %, mostly config_invalid').waitFor();
    await page.getByRole('img', { name: /^Exports per day/ }).waitFor();
    await page.getByRole('img', { name: /^Median duration of completed exports/ }).waitFor();
    await page.getByRole('link', { name: 'ci.example.com' }).waitFor();
    expect(await page.getByText('token=secret').count()).toBe(0);
    const findings = page.locator('section', {
      has: page.getByRole('heading', { name: 'Findings by project' }),
    });
    expect(await findings.getByRole('listitem').count()).toBe(5);
    await findings
      .getByRole('img', { name: /^Findings of the last 5 exports: / })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a chart is also a table that a keyboard opens', async () => {
    const { page } = await dashboard.open('/');
    await page.getByRole('button', { name: 'Show as a table' }).first().press('Enter');
    const table = page.getByRole('table').first();
    await table.getByRole('columnheader', { name: 'Failed' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(31);
    await page.context().close();
  });

  test('the numbers of 5,000 exports are answered within half a second', async () => {
    const milliseconds: number[] = [];
    for (let request = 1; request <= 4; request++) {
      const began = performance.now();
      const answer = await dashboard.service.request('/v1/static-export/insights');
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      milliseconds.push(performance.now() - began);
    }
    expect(Math.min(...milliseconds)).toBeLessThan(500);
  });

  test.each([1440, 390])('axe reports no violations at %i pixels, and nothing is too wide', async (width) => {
    const { page } = await dashboard.open('/', { width, context: { bypassCSP: true } });
    await page.getByRole('img', { name: /^Exports per day/ }).waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).first().click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    await page.context().close();
  });
});

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const inPage = globalThis as unknown as { axe: typeof axe };
    const { violations: found } = await inPage.axe.run();
    return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}
