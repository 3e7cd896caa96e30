/** Custom scripts in the dashboard: the setting of a project, the choice for one export, and the export page. */
import axe from 'axe-core';
import { waitForExport, type Project } from '@docyard/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

const domain = 'docs.example.com';
const label = 'Include scripts of the repository';

describe.skipIf(chromiumPath === undefined)('scripts of the repository in the dashboard', () => {
  let dashboard: Dashboard;
  let project: Project;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const folder = temporaryFolder('site');
    writeFiles(folder, { ...siteFiles(2), 'banner.js': "document.body.append('Ferries are late today');\n" });
    const body = { name: 'Harbour handbook', domain, source: { repository: folder } };
    project = await dashboard.service.client.call('createProject', { body });
  });
  afterAll(() => dashboard?.close());

  const settings = () => `/projects/${project.id}?tab=settings`;
  const exportsPanel = (page: Page) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: 'Exports', exact: true }) });

  async function openDialog(page: Page) {
    const dialog = page.getByRole('dialog', { name: 'Start an export' });
    await dialog.getByRole('button', { name: 'More options' }).click();
    return { dialog, box: dialog.getByRole('checkbox', { name: label }) };
  }

  /** Returns what the page, manifest and report of the export show. */
  async function start(page: Page) {
    await page.getByRole('button', { name: 'Start export' }).click();
    await page.waitForURL(/\/exports\/se_[0-9a-f]{16}$/);
    const jobId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const { client } = dashboard.service;
    const { options } = await waitForExport(client, jobId);
    await page.getByText('Completed').first().waitFor();
    const { customScripts } = await client.call('readManifest', { params: { jobId } });
    await page.goto(`${page.url()}?tab=report`);
    const code = `custom_script_${options.customScripts === 'include' ? 'included' : 'skipped'}`;
    await page.getByRole('row').filter({ hasText: 'banner.js' }).getByRole('link', { name: code }).waitFor();
    return { choice: options.customScripts, files: customScripts?.length ?? 0 };
  }

  test('an export leaves them out until the project includes them, and the setting is there after a reload', async () => {
    const { page, complaints } = await dashboard.visit('/exports?new=1');
    const unset = await openDialog(page);
    expect(await unset.box.isChecked()).toBe(false);
    expect(await start(page)).toEqual({ choice: 'skip', files: 0 });

    await page.goto(`${dashboard.service.origin}/dashboard${settings()}`);
    const panel = exportsPanel(page);
    await panel.getByRole('checkbox', { name: label }).check();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await expect.poll(() => panel.getByRole('checkbox', { name: label }).isChecked()).toBe(true);

    await page.goto(`${dashboard.service.origin}/dashboard/exports?new=1`);
    const { dialog, box } = await openDialog(page);
    expect(await box.isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'The same as an API call' }).click();
    expect(await dialog.getByText('customScripts').count()).toBe(0);
    expect(await start(page)).toEqual({ choice: 'include', files: 1 });
    await page.goto(page.url().replace('?tab=report', ''));
    await page.getByText('with scripts of the repository').waitFor();
    expect(complaints).toEqual([]);
  });

  test('one export leaves them out although the project includes them', async () => {
    const change = { exports: { customScripts: 'include' as const } };
    await dashboard.service.client.call('updateProject', { params: { projectId: project.id }, body: change });
    const { page, complaints } = await dashboard.visit('/exports?new=1');
    const { dialog, box } = await openDialog(page);
    await box.uncheck();
    await dialog.getByRole('button', { name: 'The same as an API call' }).click();
    await dialog.getByText('"customScripts":"skip"').waitFor();
    expect(await start(page)).toEqual({ choice: 'skip', files: 0 });
    expect(complaints).toEqual([]);
  });

  test.each([1440, 390])('axe reports no violations at %i pixels, and nothing is too wide', async (width) => {
    for (const path of [settings(), '/exports?new=1']) {
      const { page } = await dashboard.open(path, { width, context: { bypassCSP: true } });
      const control = path === settings() ? exportsPanel(page) : (await openDialog(page)).dialog;
      await control.getByRole('checkbox', { name: label }).scrollIntoViewIfNeeded();
      await page.evaluate(axe.source);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate(async () => {
          const inPage = globalThis as unknown as { axe: typeof axe };
          const { violations } = await inPage.axe.run();
          return violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
          );
        });
        expect(found).toEqual([]);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
      await page.context().close();
    }
  });
});
