/** Automatic exports and events in the dashboard: the hook, polling and replays. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushWebhook } from '../fakes/forges/push-webhooks.ts';
import { startGitServer, type GitServer, type ServedRepository } from '../fakes/git-server.ts';
import { siteFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard, type OpenPage } from './harness.ts';

const exportMs = 60_000;

describe.skipIf(chromiumPath === undefined)('events of forges', () => {
  let dashboard: Dashboard;
  let git: GitServer;
  let repository: ServedRepository;
  let projectId: string;

  beforeAll(async () => {
    git = await startGitServer();
    dashboard = await openDashboard({
      environment: { EGRESS_ALLOW: `source:${git.host}` },
    });
    repository = git.addRepository('acme/docs', siteFiles(2));
    projectId = await addProject('Harbour handbook', repository.url);
  });
  afterAll(async () => {
    await dashboard?.close();
    await git.close();
  });

  let projects = 0;

  async function addProject(name: string, url: string): Promise<string> {
    projects += 1;
    const body = { name, domain: `docs-${projects}.example.com`, source: { repository: url } };
    return (await dashboard.service.client.call('createProject', { body })).id;
  }

  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, options = {}) {
    const opened = await dashboard.open(path, options);
    await use(opened);
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  }

  const automatic = () => `/projects/${projectId}?tab=automatic`;
  const panel = (page: Page, title: string) =>
    page.locator('.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

  test('a hook is set up, its push is exported, and the event leads to the export and is processed again', () =>
    withPage('/events', async ({ page }) => {
      await page.getByText('No events yet').waitFor();
      await page.getByRole('link', { name: 'Set up automatic exports' }).click();
      await page.waitForURL(/\?tab=automatic$/);
      const onPush = panel(page, 'Exports on push');
      await onPush.getByLabel('Quiet seconds').fill('0');
      await onPush.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').first().waitFor();

      const hook = panel(page, 'Hook');
      await hook.getByText('Every event is refused').waitFor();
      await hook.getByRole('button', { name: 'Create a secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create a secret' }).click();
      const line = page.getByRole('dialog').getByText(/^whsec_/);
      const secret = await line.innerText();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await line.waitFor({ state: 'detached' });
      await hook.getByText('No event yet').waitFor();

      const url = await hook.getByText(/\/hooks\/pr_/).innerText();
      const after = repository.commit('main', { 'index.mdx': '# Pushed' });
      const push = pushWebhook('github', { secret, repository: repository.url, after });
      expect((await fetch(url, { method: 'POST', ...push })).status).toBe(202);
      // Rows outside the window are not mounted.
      await page.getByRole('heading', { name: 'Last events' }).scrollIntoViewIfNeeded();
      const row = page.getByRole('row').filter({ hasText: 'Push to main' });
      await row.getByText('Processed').waitFor({ timeout: exportMs });
      await row.getByRole('link', { name: 'Push to main' }).click();
      await page.waitForURL(/\/events\?project=pr_\w+&event=fe_\w+$/);
      const dialog = page.getByRole('dialog', { name: 'Push to main' });
      await dialog.getByText(after).waitFor();
      await dialog.getByRole('button', { name: 'Process again' }).click();
      await page.getByText('The event is processed again.').first().waitFor();
      await dialog.getByText('Processed').waitFor({ timeout: exportMs });
      await dialog.getByRole('link', { name: 'Export' }).click();
      await page.waitForURL(/\/exports\/se_\w+$/);
      await page.getByRole('link', { name: 'a push' }).click();
      await page.getByRole('dialog', { name: 'Push to main' }).waitFor();
    }));

  test('events are filtered by state and kind in the address, and an ignored event says why', async () => {
    const { client } = dashboard.service;
    const { secret, url } = await client.call('createHookSecret', { params: { projectId } });
    const push = pushWebhook('gitlab', {
      secret,
      repository: repository.url,
      after: 'c'.repeat(40),
      ref: 'refs/heads/topic',
    });
    await fetch(url, { method: 'POST', ...push });
    await withPage('/events?state=ignored', async ({ page }) => {
      await page.getByText('The project follows main, not topic.').waitFor();
      expect(await page.getByRole('link', { name: 'Push to main' }).count()).toBe(0);
      await page.getByLabel('Kind').selectOption('Tests of hooks');
      await page.waitForURL(/\?state=ignored&kind=test$/);
      await page.getByText('No matching events').waitFor();
      await page.getByRole('button', { name: 'Show every event' }).click();
      await page.getByRole('link', { name: 'Push to main' }).first().waitFor();
    });
  });

  test('a secret is replaced and the hook is disabled', () =>
    withPage(automatic(), async ({ page }) => {
      const hook = panel(page, 'Hook');
      await hook.getByRole('button', { name: 'Replace the secret' }).click();
      await page.getByLabel('Also accept the old secret').selectOption('For an hour');
      await page.getByRole('dialog').getByRole('button', { name: 'Create a secret' }).click();
      await page.getByText('the old secret is accepted too').waitFor();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await hook.getByText('Old secret ends').waitFor();
      await hook.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Disable the hook' }).click();
      await hook.getByText('Every event is refused').waitFor();
    }));

  test('polling is enabled, finds a commit, and shows why it fails', () =>
    withPage(automatic(), async ({ page }) => {
      const polling = panel(page, 'Polling');
      await polling.getByLabel('Seconds between two polls').fill('10');
      await polling.getByLabel('Poll the branch').check();
      await polling.getByRole('button', { name: 'Save' }).click();
      await polling.locator('.field-error').waitFor();
      await polling.getByLabel('Seconds between two polls').fill('30');
      await polling.getByRole('button', { name: 'Save' }).click();
      await polling.getByText(repository.tip('main')?.slice(0, 10) ?? '').waitFor();
      await polling.getByText('On', { exact: true }).waitFor();
      repository.commit('main', { 'index.mdx': '# Polled' });
      const { client } = dashboard.service;
      const body = { exports: { polling: { enabled: true } } };
      await client.call('updateProject', { params: { projectId }, body });
      await page.getByRole('heading', { name: 'Last events' }).scrollIntoViewIfNeeded();
      await page.getByRole('link', { name: 'New commit on main' }).waitFor();

      git.behaviour.statusFor = () => 503;
      await client.call('updateProject', { params: { projectId }, body });
      await polling.getByText('Failing').waitFor();
      await polling.getByText('503').waitFor();
      git.behaviour.statusFor = undefined;
    }));

  test('a viewer sees the events and the settings, and changes none', async () => {
    const options = { as: await dashboard.join('viewer') };
    await withPage(
      automatic(),
      async ({ page }) => {
        await page.getByText('Members, admins and owners of the organization can change this.').waitFor();
        await panel(page, 'Hook').getByText('Last event').waitFor();
        for (const name of ['Save', 'Create a secret'])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
        await page.getByRole('link', { name: 'All events' }).click();
        await page.getByRole('link', { name: 'Push to main' }).first().click();
        await page.getByRole('dialog').getByText('Commit after').waitFor();
        expect(await page.getByRole('button', { name: 'Process again' }).count()).toBe(0);
      },
      options,
    );
  });
});
