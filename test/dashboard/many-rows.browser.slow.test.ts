/** Lists with 10,000 rows: only a few are in the document at a time, and the keyboard reaches all of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { write } from '../contract/harness.ts';
import { addSite, chromiumPath, openDashboard, runExport, type Dashboard } from './harness.ts';

const rows = 10_000;
const maxRowsInDocument = 250;

describe.skipIf(chromiumPath === undefined)('a list of 10,000 rows', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { service } = dashboard;
    const { domain } = await addSite(service);
    const { jobId } = await runExport(service, domain);
    const [entry] = (await service.client.call('listAuditLog', { query: { limit: 1 } })).data;
    write(service.dataDir, copies('jobs', jobId, ofJob), copies('audit_log', entry?.id ?? '', ofEntry));
  });
  afterAll(() => dashboard?.close());

  test.each([
    { path: '/exports', label: 'Exports' },
    { path: '/audit', label: 'Audit log' },
  ])('$path is scrolled to its end and back', { timeout: 240_000 }, async ({ path, label }) => {
    const { page, complaints } = await dashboard.open(path);
    const table = page.getByRole('table', { name: label });
    const first = table.locator('[aria-rowindex="2"]');
    await first.waitFor();
    expect(await page.evaluate(scrollToTheEnd)).toBeLessThan(maxRowsInDocument);

    const count = Number(await table.getAttribute('aria-rowcount'));
    expect(count).toBeGreaterThan(rows);
    await page.keyboard.press('End');
    await table.locator(`[aria-rowindex="${count}"]`).waitFor();
    await page.getByRole('button', { name: 'The same as an API call' }).focus();
    await page.keyboard.press('Shift+Tab');
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('[role="row"]')?.getAttribute('aria-rowindex'));
    await expect.poll(focused).toBe(String(count));

    const { min, max } = await page.evaluate(rowHeightsOfBlocks);
    expect(max / min).toBeLessThan(1.02);
    await page.keyboard.press('Home');
    await first.waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(maxRowsInDocument);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

/** Scrolls frame by frame; returns the maximum number of rows in the document. */
async function scrollToTheEnd(): Promise<number> {
  let most = 0;
  while (document.querySelector('.table-more') !== null) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise(requestAnimationFrame);
    most = Math.max(most, document.querySelectorAll('.table-row').length);
  }
  return most;
}

/** The average height of a row in each block, also in those whose rows are not in the document. */
function rowHeightsOfBlocks(): { min: number; max: number } {
  const blocks = [...document.querySelectorAll('.table-rows')].slice(0, -1);
  const heights = blocks.map((block) => block.getBoundingClientRect().height);
  return { min: Math.min(...heights), max: Math.max(...heights) };
}

const ofJob = `kind organization_id project_id domain status phase progress page_count total_pages attempt input source_commit
  result created_at updated_at started_at finished_at`;
const ofEntry = 'organization_id at actor action object address request_id details hash';

/** Copies an existing row under new ids. */
function copies(table: string, id: string, names: string): string {
  const columns = names.split(/\s+/).join(', ');
  const [kind] = id.split('_');
  return `INSERT INTO ${table} (id, ${columns})
    WITH RECURSIVE counted(place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM counted WHERE place < ${rows})
    SELECT '${kind}_' || (1000000000000000 + place), ${columns} FROM ${table}, counted WHERE id = '${id}'`;
}
