/** The Deployments screen with a real `docyard site`, including a rollback. */
import axe from 'axe-core';
import { waitForExport } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startSite, type Site } from '../deployment/site.ts';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

const domain = 'docs.example.com';
const setUpMs = 180_000;

describe.skipIf(chromiumPath === undefined)('the Deployments screen', () => {
  let dashboard: Dashboard;
  let site: Site;
  let folder: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client, origin, key } = dashboard.service;
    folder = temporaryFolder('source');
    writeFiles(folder, siteFiles(2));
    await client.call('createProject', { body: { name: 'Docs', domain, source: { repository: folder } } });
    await exportVersion('1.0');
    const reporting = await client.call('createKey', {
      body: { name: 'Sites', scopes: ['deployments:report'] },
    });
    site = await startSite({
      staticExport: {
        bundleUrl: `${origin}/v1/static-export/latest/bundle?domain=${domain}`,
        refreshSeconds: 1,
      },
      environment: {
        DOCYARD_API_KEY: key,
        REPORT_URL: origin,
        REPORT_KEY: reporting.key,
        REPORT_NAME: 'docs-eu-1',
        REPORT_SITE_URL: 'https://docs.example.com',
        REPORT_SECONDS: '1',
        REPORT_ROLLBACK: 'on',
      },
    });
    await untilServed('1.0');
    await exportVersion('2.0');
    await untilServed('2.0');
  }, setUpMs);
  afterAll(async () => {
    await site?.stop();
    await dashboard?.close();
  });

  async function exportVersion(version: string): Promise<void> {
    const { client } = dashboard.service;
    writeFiles(folder, { 'index.mdx': `---\ntitle: Home\n---\n\nVersion ${version}.\n` });
    const { jobId } = await client.call('startExport', { body: { domain, version } });
    await waitForExport(client, jobId);
  }

  async function untilServed(version: string): Promise<void> {
    const look = async () => {
      const { data } = await dashboard.service.client.call('listDeployments', { query: {} });
      expect(data[0]?.release?.version).toBe(version);
    };
    await vi.waitFor(look, { timeout: 20_000 });
  }

  test('a site is listed with what it serves, rolled back, and resumed', async () => {
    const { page, complaints } = await dashboard.open('/');
    await page.getByRole('link', { name: 'Deployments' }).click();
    const panel = page.getByRole('region', { name: 'docs-eu-1' });
    await panel.getByText('Ready').waitFor();
    await panel.getByText('2.0').first().waitFor();
    expect(await site.text('/')).toContain('Version 2.0.');

    await panel.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back docs-eu-1?' });
    expect(await dialog.getByLabel('Release').textContent()).toMatch(/^1\.0 · r1-/);
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await panel.getByText(/^Roll back to r1-\w+: done/).waitFor();
    expect(await site.text('/')).toContain('Version 1.0.');
    await panel.getByText(/^Rolled back from r2-/).waitFor();
    await panel.getByRole('button', { name: '2 releases kept' }).click();
    await panel.getByRole('listitem').filter({ hasText: 'r1-' }).getByText('served').waitFor();

    await panel.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => site.text('/')).toContain('Version 2.0.');
    await panel.getByText('Resume: done').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an instruction stays pending while the site is away, and can be withdrawn', async () => {
    const pid = site.pid;
    process.kill(pid, 'SIGSTOP');
    try {
      const { page } = await dashboard.open('/deployments');
      const panel = page.getByRole('region', { name: 'docs-eu-1' });
      await panel.getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
      await panel.getByText(/is pending: docs-eu-1 applies it with its next report/).waitFor();
      await panel.getByRole('button', { name: 'Withdraw' }).click();
      await panel.getByText(/is pending/).waitFor({ state: 'detached' });
      await panel.getByText('Not seen').waitFor();
      await page.context().close();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  test('a viewer sees deployments and is not offered a roll back', async () => {
    const { page } = await dashboard.open('/deployments', { as: await dashboard.join('viewer') });
    await page.getByRole('region', { name: 'docs-eu-1' }).getByText('Serves').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
    await page.context().close();
  });

  test.each([1440, 390])('axe reports no violations at %i pixels, and nothing is too wide', async (width) => {
    const { page } = await dashboard.open('/deployments', { width, context: { bypassCSP: true } });
    await page.getByRole('button', { name: '2 releases kept' }).click();
    await page.evaluate(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async () => {
        const inPage = globalThis as unknown as { axe: typeof axe };
        const { violations } = await inPage.axe.run();
        return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
      });
      expect(found).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
    await page.context().close();
  });
});
