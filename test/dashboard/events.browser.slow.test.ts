/** Automatic exports and events in the dashboard: the hook, polling, a GitHub App that is confirmed at a fake GitHub, and replays. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushWebhook } from '../fakes/forges/push-webhooks.ts';
import { startGitServer, type GitServer, type ServedRepository } from '../fakes/git-server.ts';
import { startFakeGithubApp, type FakeGithubApp } from '../fakes/github-app/github-app.ts';
import { siteFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard, type OpenPage } from './harness.ts';

const exportMs = 60_000;

describe.skipIf(chromiumPath === undefined)('events of forges', () => {
  let dashboard: Dashboard;
  let git: GitServer;
  let github: FakeGithubApp;
  let repository: ServedRepository;
  let projectId: string;

  beforeAll(async () => {
    git = await startGitServer();
    github = await startFakeGithubApp();
    dashboard = await openDashboard({
      environment: { EGRESS_ALLOW: `source:${git.host},source+forge:${github.host}` },
    });
    repository = git.addRepository('acme/docs', siteFiles(2));
    projectId = await addProject('Harbour handbook', repository.url);
  });
  afterAll(async () => {
    await dashboard?.close();
    await git.close();
    await github.close();
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

  test('a GitHub App is created from its manifest, confirmed at GitHub and installed', async () => {
    const id = await addProject('Lighthouse docs', github.repository);
    // GitHub is another host, so requests to it are expected.
    const { page } = await dashboard.open(`/projects/${id}?tab=automatic`);
    const app = panel(page, 'GitHub App');
    await app.getByRole('button', { name: 'Create a GitHub App' }).click();
    await page.getByLabel('Organization on GitHub').fill('harbour');
    await page.getByRole('button', { name: 'Continue to GitHub' }).click();
    await page.getByRole('heading', { name: 'Create the GitHub App' }).waitFor();
    await page.getByText('pull requests').waitFor();
    await page.getByRole('button', { name: /^Continue to/ }).click();
    await page.getByRole('heading', { name: 'Create GitHub App for harbour' }).waitFor();
    await page.getByRole('button', { name: 'Create GitHub App' }).click();
    await page.getByText('Docyard Lighthouse docs is created.').waitFor();
    expect(page.url()).toBe(`${dashboard.service.origin}/dashboard/projects/${id}/github-app`);
    await page.getByRole('link', { name: 'Install on GitHub' }).click();
    await page.getByRole('button', { name: 'Install' }).click();
    await page.waitForURL(/\?tab=automatic$/);
    await app.getByText('Docyard Lighthouse docs').waitFor();
    await panel(page, 'Hook').getByText('No event yet').waitFor();
    expect(github.complaints).toEqual([]);
    const { agent } = await dashboard.service.client.call('readProject', { params: { projectId: id } });
    expect(agent.forge).toMatchObject({ kind: 'github', credential: { set: true } });
    await page.context().close();
  });

  test('a return from GitHub with a foreign state stores nothing', () =>
    withPage(`/projects/${projectId}/github-app?code=abc&state=${'x'.repeat(43)}`, async ({ page }) => {
      await page.getByText('was started by another caller').waitFor();
      expect(page.url()).not.toContain('code=');
    }));

  test('a viewer sees the events and the settings, and changes none', async () => {
    const options = { as: await dashboard.join('viewer') };
    await withPage(
      automatic(),
      async ({ page }) => {
        await page.getByText('Members, admins and owners of the organization can change this.').waitFor();
        await panel(page, 'Hook').getByText('Last event').waitFor();
        for (const name of ['Save', 'Create a secret', 'Create a GitHub App'])
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
