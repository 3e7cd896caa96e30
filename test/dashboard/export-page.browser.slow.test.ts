import axe from 'axe-core';
import { waitForExport, type ExportJob } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, runExport, type Dashboard } from './harness.ts';

const domain = 'docs.example.com';
const pageOf = (title: string, text: string) => `---\ntitle: ${title}\n---\n\n${text}\n`;

describe.skipIf(chromiumPath === undefined)('the page of a completed export', () => {
  let dashboard: Dashboard;
  let before: ExportJob;
  let after: ExportJob;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.service;
    const folder = temporaryFolder('site');
    writeFiles(folder, {
      ...siteFiles(4),
      'guides/page-2.mdx': pageOf(
        'Page 2',
        'Boats leave at nine every morning.\n\nSee the [old pier](/gone-pier).',
      ),
    });
    await client.call('createProject', {
      body: { name: 'Harbour handbook', domain, source: { repository: folder } },
    });
    before = await runExport(dashboard.service, domain);
    writeFiles(folder, {
      'guides/page-2.mdx': pageOf(
        'The pier',
        'Boats leave at ten every morning.\n\nSee the [harbour](/nowhere).',
      ),
    });
    const { jobId } = await client.call('startExport', { body: { domain, version: '2.1' } });
    after = await waitForExport(client, jobId);
  });
  afterAll(() => dashboard?.close());

  test('begins with a preview, the findings that are new and fixed, and the changed words of a page', async () => {
    const { page, complaints } = await dashboard.visit(`/exports/${after.jobId}`);
    await page
      .frameLocator('iframe[title="Preview of docs.example.com"]')
      .getByRole('heading', { level: 1, name: 'Page 0' })
      .waitFor();
    const findings = page.locator('section', { has: page.getByRole('heading', { name: 'Findings' }) });
    await findings.getByText('1 new finding').waitFor();
    await findings.getByText('1 fixed').waitFor();
    const broken = findings.getByRole('listitem').filter({ hasText: '/nowhere' });
    await broken.getByText('new', { exact: true }).waitFor();
    await broken.getByText(/guides\/page-2\.mdx:\d+/).waitFor();
    await findings.getByRole('button', { name: 'Fixed: 1 finding' }).click();
    await findings.getByText('/gone-pier').waitFor();

    const changes = page.locator('section', { has: page.getByRole('heading', { name: 'Text changes' }) });
    await changes.getByText('1 page changed since').waitFor();
    await changes.getByText('was “Page 2”').waitFor();
    const lines = changes.getByRole('region', { name: 'Lines of /guides/page-2' });
    await lines
      .getByRole('row')
      .filter({ hasText: 'Boats leave at ten' })
      .locator('mark', { hasText: 'ten' })
      .waitFor();
    await lines
      .getByRole('row')
      .filter({ hasText: 'Boats leave at nine' })
      .locator('mark', { hasText: 'nine' })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('a changed page opens to its text under all changes, too', async () => {
    const { page, complaints } = await dashboard.visit(
      `/exports/${after.jobId}?tab=changes&with=${before.jobId}`,
    );
    const line = page.getByRole('button', { name: /changed.*The pier/ });
    await line.press('Enter');
    await page
      .getByRole('region', { name: 'Lines of /guides/page-2' })
      .getByText('Boats leave at')
      .first()
      .waitFor();
    await line.press('Enter');
    await page.getByRole('region', { name: 'Lines of /guides/page-2' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('the first export of a project says that there is nothing to compare with', async () => {
    const { page, complaints } = await dashboard.visit(`/exports/${before.jobId}`);
    await page.getByText('This is the first export of docs.example.com').waitFor();
    await page.getByRole('heading', { name: 'Bundle' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([1440, 390])('axe reports no violations at %i pixels, and nothing is too wide', async (width) => {
    const { page } = await dashboard.open(`/exports/${after.jobId}`, { width, context: { bypassCSP: true } });
    await page.getByRole('region', { name: 'Lines of /guides/page-2' }).waitFor();
    await page.getByText('1 new finding').waitFor();
    await page.evaluate(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async () => {
        const inPage = globalThis as unknown as { axe: typeof axe };
        const { violations } = await inPage.axe.run({ exclude: ['iframe'] }, { iframes: false });
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
      });
      expect(found).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    await page.context().close();
  });
});
