import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitForExport, type ExportJob } from '@docyard/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import {
  addSite,
  chromiumPath,
  openDashboard,
  owner,
  runExport,
  type Dashboard,
  type OpenPage,
  type Session,
} from './harness.ts';

const domain = 'docs.example.com';

describe.skipIf(chromiumPath === undefined)('exports in the dashboard', () => {
  let dashboard: Dashboard;
  /** Two exports of a site, with an edit between them. */
  let before: ExportJob;
  let after: ExportJob;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.service;
    const folder = temporaryFolder('site');
    writeFiles(folder, siteFiles(4));
    const source = { repository: folder };
    await client.call('createProject', { body: { name: 'Harbour handbook', domain, source } });
    before = await runExport(dashboard.service, domain);
    const edited = '---\ntitle: The pier\n---\n\nNew text, and a [broken link](/nowhere).\n';
    writeFiles(folder, { 'guides/page-2.mdx': edited });
    const { jobId } = await client.call('startExport', { body: { domain, version: '2.1' } });
    after = await waitForExport(client, jobId);
  });

  afterAll(() => dashboard?.close());

  /** Signed in as the owner by default. */
  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, as?: Session) {
    const opened = await (as === undefined ? dashboard.visit(path) : dashboard.open(path, { as }));
    await use(opened);
    expect(opened.complaints).toEqual([]);
    if (as !== undefined) await opened.page.context().close();
  }

  test('one is started from the dialog, watched to its end, downloaded and unpacked', () =>
    withPage('/exports', async ({ page }) => {
      await page.getByRole('button', { name: 'Start an export' }).click();
      const dialog = page.getByRole('dialog', { name: 'Start an export' });
      await dialog.getByLabel('Version').fill('3.0');
      await dialog.getByRole('button', { name: 'The same as an API call' }).click();
      await dialog.getByText('"version":"3.0"').waitFor();
      await dialog.getByRole('button', { name: 'Start export' }).click();
      await page.waitForURL(/\/exports\/se_/);
      await page.getByRole('status').getByText('Completed').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Rendering pages' }).getByText(/ s$/).waitFor();

      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download' }).click();
      const file = join(temporaryFolder('download'), 'bundle.tar.gz');
      await (await downloading).saveAs(file);
      const jobId = page.url().split('/').at(-1) ?? '';
      const job = await dashboard.service.client.call('readExport', { params: { jobId } });
      expect(job.version).toBe('3.0');
      expect(
        createHash('sha256')
          .update(await readFile(file))
          .digest('hex'),
      ).toBe(job.bundle?.sha256);
      const listed = spawnSync('tar', ['-tzf', file], { encoding: 'utf8' });
      expect(listed.stdout.split('\n')).toContain('index.html');
    }));

  test('the list follows what others start, and its filters are in the address', () =>
    withPage('/exports', async ({ page }) => {
      await addSite(dashboard.service, { name: 'Boats', domain: 'boats.example.com' });
      await rowOf(page, domain).first().waitFor();
      await dashboard.service.client.call('startExport', { body: { domain: 'boats.example.com' } });
      await rowOf(page, 'boats.example.com').getByText('Completed').waitFor();

      await page.getByRole('button', { name: 'Failed' }).click();
      await page.waitForURL(/status=failed/);
      await page.getByText('No export matches').waitFor();
      await page.goBack();
      await rowOf(page, domain).first().waitFor();
      await page.goto(`${dashboard.service.origin}/dashboard/exports?domain=boats.example.com`);
      await rowOf(page, 'boats.example.com').waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
    }));

  test('the report names broken links and draws the slowest pages', () =>
    withPage(`/exports/${after.jobId}?tab=report`, async ({ page }) => {
      await page.getByRole('table', { name: 'Findings' }).getByText('"/nowhere"').waitFor();
      await page.getByRole('button', { name: /^Errors/ }).click();
      await page.waitForURL(/severity=error/);
      await page.getByText('No finding matches.').waitFor();
      const slowest = page.getByRole('table', { name: 'Pages that took longest to render' });
      await slowest.getByRole('row', { name: /page-2\.mdx.* ms/ }).waitFor();
    }));

  test('the files of the bundle are a tree that can be searched', () =>
    withPage(`/exports/${after.jobId}?tab=files`, async ({ page }) => {
      await page.getByRole('button', { name: /^guides/ }).click();
      await page.getByRole('link', { name: 'page-3.html' }).waitFor();
      await page.getByLabel('Search files').fill('page-2');
      await page.getByRole('link', { name: 'guides/page-2.html' }).click();
      await page.waitForURL(/tab=preview/);
      await frameOf(page).getByRole('heading', { level: 1, name: 'The pier' }).waitFor();
    }));

  test('the preview is the site itself, in a frame without rights', () =>
    withPage(`/exports/${after.jobId}?tab=preview`, async ({ page }) => {
      const frame = frameOf(page);
      await frame.getByRole('heading', { level: 1, name: 'Page 0' }).waitFor();
      await page.getByRole('button', { name: 'Phone' }).click();
      await expect.poll(() => page.locator('iframe').evaluate((each) => each.clientWidth)).toBeLessThan(400);
      await page.getByRole('button', { name: 'Desktop' }).click();
      await frame.getByRole('link', { name: 'Page 3' }).first().click();
      await frame.getByRole('heading', { level: 1, name: 'Page 3' }).waitFor();
      const origin = await page.frames()[1]?.evaluate(() => globalThis.origin);
      expect(origin).toBe('null');
    }));

  test('what changed since the export before, and a delta of it', () =>
    withPage(`/exports/${after.jobId}?tab=changes&with=${before.jobId}`, async ({ page }) => {
      await page.getByRole('heading', { name: 'Changed pages' }).waitFor();
      const changed = page.getByRole('listitem').filter({ hasText: '/guides/page-2' });
      await changed.getByText('The pier').waitFor();
      await changed.getByText('was “Page 2”').waitFor();
      await page.getByRole('button', { name: 'Create link' }).click();
      const link = page
        .locator('.signed-link')
        .getByText(/delta-.*\.tar\.gz/)
        .first();
      await link.waitFor();
      const answer = await fetch((await link.textContent()) ?? '');
      expect(answer.status).toBe(200);
    }));

  test('a link for others counts down and can be renewed', () =>
    withPage(`/exports/${after.jobId}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Create link' }).click();
      await page
        .getByRole('timer')
        .getByText(/^\d\d?:\d\d left$/)
        .waitFor();
      const link = page.locator('.signed-link .copy-field code');
      const first = (await link.textContent()) ?? '';
      const bytes = await fetch(first).then((answer) => answer.arrayBuffer());
      expect(createHash('sha256').update(Buffer.from(bytes)).digest('hex')).toBe(after.bundle?.sha256);
      await page.getByText('staticExport:').waitFor();
      await page.getByLabel('Create a link that is valid for').selectOption('1 day');
      await page.getByRole('button', { name: 'Renew' }).click();
      await page
        .getByRole('timer')
        .getByText(/ h .*left/)
        .waitFor();
      await expect.poll(() => link.textContent()).not.toBe(first);
    }));

  test('one that waits is canceled, says by whom, is run again and deleted', () =>
    withPage('/exports', async ({ page }) => {
      const { client } = dashboard.service;
      await addSite(dashboard.service, { name: 'Large', domain: 'large.example.com', pages: 400 });
      const start = () => client.call('startExport', { body: { domain: 'large.example.com' } });
      const [first, second, last] = [await start(), await start(), await start()];
      await page.goto(`${dashboard.service.origin}/dashboard/exports/${last.jobId}`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Cancel export' }).click();
      await page.getByRole('status').getByText('Canceled').waitFor();
      await page.getByText(`This export was canceled by ${owner.name}.`).waitFor();
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(last.jobId));
      await page.getByRole('link', { name: last.jobId }).click();

      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete export' }).click();
      await page.waitForURL(/\/exports$/);
      const read = client.call('readExport', { params: { jobId: last.jobId } });
      await expect(read).rejects.toMatchObject({ code: 'not_found' });
      for (const { jobId } of [second, first]) await client.call('cancelExport', { params: { jobId } });
    }));

  test('a viewer sees everything and is offered nothing that would be refused', async () => {
    const viewer = await dashboard.join('viewer');
    await withPage(
      `/exports/${after.jobId}`,
      async ({ page }) => {
        await page.getByRole('link', { name: 'Download' }).waitFor();
        await page.getByText('can create links').waitFor();
        expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
        await page.goto(`${dashboard.service.origin}/dashboard/exports?new=1`);
        await rowOf(page, domain).first().waitFor();
        expect(await page.getByRole('button', { name: 'Start an export' }).count()).toBe(0);
        expect(await page.getByRole('dialog').count()).toBe(0);
      },
      viewer,
    );
  });
});

function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

function frameOf(page: Page) {
  return page.frameLocator('iframe[title^="Preview of"]');
}
