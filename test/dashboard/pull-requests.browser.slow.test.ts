/** From the comment on a pull request to a page of its preview, and the approval of a fork in the dashboard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as stage from '../contract/harness.ts';
import { startFakeGithub, type FakeGithub } from '../fakes/forges/github.ts';
import { pullRequestWebhook } from '../fakes/forges/pull-request-webhooks.ts';
import { openPull, type FakePull } from '../fakes/forges/server.ts';
import { startGitServer, type GitServer, type ServedRepository } from '../fakes/git-server.ts';
import { freePort } from '../free-port.ts';
import { siteFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

const timeout = 90_000;

describe.skipIf(chromiumPath === undefined)('a pull request in the browser', () => {
  let git: GitServer;
  let forge: FakeGithub;
  let dashboard: Dashboard;
  let repository: ServedRepository;
  let projectId: string;
  let secret: string;
  let pull: FakePull;

  beforeAll(async () => {
    git = await startGitServer();
    forge = await startFakeGithub({ path: 'acme/docs' });
    const port = await freePort();
    const environment = {
      EGRESS_ALLOW: `source:${git.host},forge:${new URL(forge.origin).host}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    dashboard = await openDashboard({ port, environment });
    const { service } = dashboard;
    repository = git.addRepository('acme/docs', siteFiles(3));
    const project = await stage.addProject(service, repository.url);
    projectId = project.id;
    const params = { projectId };
    const credential = { type: 'token' as const, token: forge.token };
    const body = { agent: { forge: { kind: 'github' as const, apiBase: forge.apiBase, credential } } };
    await service.client.call('updateProject', { params, body });
    await stage.runExport(service, project.domain);
    ({ secret } = await service.client.call('createHookSecret', { params }));
    pull = openPull(forge, {
      title: 'Describe the lantern',
      body: '',
      draft: false,
      head: 'topic',
      base: 'main',
    });
  }, timeout);

  afterAll(async () => {
    await dashboard?.close();
    await git?.close();
    await forge?.stop();
  });

  async function push(text: string): Promise<void> {
    pull.headCommit = repository.commit('topic', { 'guides/page-1.mdx': text });
    pull.changes = [{ path: 'guides/page-1.mdx' }];
    const fork = pull.isFork ? repository.url.replace('/acme/', '/stranger/') : repository.url;
    const { headCommit, number } = pull;
    const change = {
      action: 'updated' as const,
      repository: repository.url,
      number,
      headCommit,
      fork,
      secret,
    };
    const request = { method: 'POST', ...pullRequestWebhook('github', change) };
    const response = await fetch(`${dashboard.service.origin}/hooks/${projectId}`, request);
    expect(response.status).toBe(202);
  }

  test('the link in the comment leads to the changed page', { timeout }, async () => {
    await push('---\ntitle: The lantern\n---\n\nIt burns all night.');
    await expect.poll(() => forge.conversation.comments.length, { timeout }).toBe(1);
    const body = forge.conversation.comments[0]?.body ?? '';
    const [, link = ''] = /\[The lantern [^\]]*\]\(([^)]+)\)/.exec(body) ?? [];
    expect(link).toContain('/preview/pull-requests/');
    const { page } = await dashboard.open('/', { as: null });
    await page.goto(link);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('The lantern');
    await expect.poll(() => page.getByText('It burns all night.').count()).toBeGreaterThan(0);
    await page
      .getByRole('link', { name: /Page 2|page-2/i })
      .first()
      .click();
    await expect.poll(() => page.url()).toContain('/preview/pull-requests/');
  });

  test('the dashboard lists it, and approves a commit of a fork', { timeout }, async () => {
    pull.isFork = true;
    await push('---\ntitle: The lighthouse\n---\n\nIt burns too.');
    repository.git('update-ref', 'refs/pull/1/head', pull.headCommit);
    const { page, complaints } = await dashboard.visit(`/projects/${projectId}?tab=pull-requests`);
    await page.getByText('Needs approval').waitFor({ timeout });
    expect(await page.getByRole('link', { name: '#1 Describe the lantern' }).getAttribute('href')).toMatch(
      /^http/,
    );
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Ready').waitFor({ timeout });
    const open = page.getByRole('link', { name: 'Open' });
    const address = await open.getAttribute('href');
    const shown = await fetch(`${address}guides/page-1`);
    expect(await shown.text()).toContain('The lighthouse');
    expect(complaints).toEqual([]);
  });

  test('the dashboard changes what pull requests get', { timeout }, async () => {
    const { page, complaints } = await dashboard.visit(`/projects/${projectId}?tab=pull-requests`);
    await page.getByLabel('Build pull requests of forks').selectOption('off');
    await page.getByLabel('Findings that fail the status').fill('error, broken_link');
    await page.getByRole('button', { name: 'Save' }).click();
    const settings = async () =>
      (await dashboard.service.client.call('readProject', { params: { projectId } })).pullRequests;
    await expect
      .poll(settings, { timeout })
      .toMatchObject({ forks: 'off', failOn: ['error', 'broken_link'] });
    expect(complaints).toEqual([]);
  });
});
