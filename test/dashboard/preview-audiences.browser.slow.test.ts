/** The preview of a site with pages for groups: an owner chooses the readers as whom to view it. */
import axe from 'axe-core';
import type { ExportJob } from '@docyard/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, runExport, type Dashboard, type OpenOptions } from './harness.ts';

const domain = 'docs.example.com';

describe.skipIf(chromiumPath === undefined)('the preview of a site with groups', () => {
  let dashboard: Dashboard;
  let job: ExportJob;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const folder = temporaryFolder('site');
    writeFiles(folder, {
      'index.mdx': '---\ntitle: Harbor\n---\n\nWelcome.\n',
      'lights.mdx': '---\ntitle: Lights\npublic: true\n---\n\nThe lighthouse.\n',
      'prices.mdx': '---\ntitle: Prices\ngroups: ["partners"]\n---\n\nFor partners.\n',
      'rota.mdx': '---\ntitle: Rota\ngroups: ["staff"]\n---\n\nFor staff.\n',
    });
    const source = { repository: folder };
    await dashboard.service.client.call('createProject', { body: { name: 'Harbor', domain, source } });
    job = await runExport(dashboard.service, domain);
  });
  afterAll(() => dashboard?.close());

  const open = (options?: OpenOptions) => dashboard.open(`/exports/${job.jobId}?tab=preview`, options);

  test('is shown as the members of a group see it, also after a reload', async () => {
    const { page, complaints } = await open();
    await frameOf(page).getByRole('link', { name: 'Lights' }).first().waitFor();
    expect(await frameOf(page).getByRole('link', { name: 'Prices' }).count()).toBe(0);
    const select = page.getByLabel('View as');
    expect(await select.getByRole('option').allTextContents()).toEqual([
      'Everyone without a group',
      'partners',
      'staff',
      'partners + staff',
      'Not signed in',
    ]);
    await select.selectOption('partners');
    await frameOf(page).getByRole('link', { name: 'Prices' }).first().waitFor();
    expect(await frameOf(page).getByRole('link', { name: 'Rota' }).count()).toBe(0);
    await page.reload();
    await frameOf(page).getByRole('link', { name: 'Prices' }).first().waitFor();
    expect(await select.inputValue()).toBe('["partners"]');
    await select.selectOption('Everyone without a group');
    await frameOf(page).getByRole('link', { name: 'Lights' }).first().waitFor();
    expect(await frameOf(page).getByRole('link', { name: 'Prices' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test.each<OpenOptions>([
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 375, colorScheme: 'light' },
    { width: 375, colorScheme: 'dark' },
  ])('is accessible and fits the window: %j', async (options) => {
    const { page } = await open(options);
    const select = page.getByLabel('View as');
    await select.selectOption('partners + staff');
    // Narrow windows hide the navigation.
    await frameOf(page).locator('a[href$="rota.html"]').first().waitFor({ state: 'attached' });
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const found = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        iframes: false,
      });
      return found.violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test('has no choice of readers for a viewer, who must not see the pages for groups', async () => {
    const { page } = await open({ as: await dashboard.join('viewer') });
    await frameOf(page).getByRole('link', { name: 'Lights' }).first().waitFor();
    expect(await page.getByLabel('View as').count()).toBe(0);
  });
});

function frameOf(page: Page) {
  return page.frameLocator(`iframe[title="Preview of ${domain}"]`);
}
