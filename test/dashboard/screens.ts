/** Every screen of the dashboard with data, for checks and screenshots. */
import { waitForExport } from '@docyard/api';
import type { Page } from 'playwright-core';
import * as agents from '../agent/harness.ts';
import { pushWebhook, testWebhook } from '../fakes/forges/push-webhooks.ts';
import { siteReadings } from '../contract/harness.ts';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import {
  openDashboard,
  owner,
  runExport,
  type Dashboard,
  type OpenOptions,
  type OpenPage,
} from './harness.ts';

export interface Screen {
  name: string;
  path: (at: Places) => string | Promise<string>;
  /** Shown when signed out. */
  isGate?: boolean;
  /** Shown in another installation: an empty one, or one before its setup. */
  at?: 'empty' | 'new';
  /** Runs on the screen before the check. */
  prepare?: (page: Page) => Promise<void>;
}

/** Addresses of the records that the screens show. */
interface Places {
  project: string;
  exported: string;
  automatic: string;
  event: string;
  agentJob: string;
  webhook: string;
  delivery: string;
  /** Starts an export that takes a while. */
  beginLongExport: () => Promise<string>;
}

export const screens: readonly Screen[] = [
  { name: 'login', path: () => '/login', isGate: true },
  { name: 'invitation', path: () => '/invitation#a-token', isGate: true },
  { name: 'setup', path: () => '/setup#a-token', isGate: true, at: 'new' },
  { name: 'overview', path: () => '/' },
  { name: 'overview-empty', path: () => '/', at: 'empty' },
  { name: 'overview-menu', path: () => '/', prepare: openOwnMenu },
  { name: 'palette', path: () => '/', prepare: openPalette },
  { name: 'projects', path: () => '/projects' },
  { name: 'projects-empty', path: () => '/projects', at: 'empty' },
  { name: 'projects-new', path: () => '/projects?new=1' },
  { name: 'project', path: ({ project }) => project },
  { name: 'project-settings', path: ({ project }) => `${project}?tab=settings` },
  { name: 'project-agent', path: ({ project }) => `${project}?tab=agent` },
  { name: 'project-automations', path: ({ project }) => `${project}?tab=automations` },
  { name: 'project-delete', path: ({ project }) => `${project}?tab=settings`, prepare: askToDelete },
  { name: 'exports', path: () => '/exports' },
  { name: 'exports-empty', path: () => '/exports', at: 'empty' },
  { name: 'exports-running', path: listWithLongExport, prepare: untilPaced },
  { name: 'exports-select', path: () => '/exports', prepare: openSelect },
  { name: 'exports-picker', path: () => '/exports', prepare: openPicker },
  { name: 'exports-error', path: () => '/exports', prepare: loseServer },
  { name: 'exports-new', path: () => '/exports?new=1' },
  { name: 'export', path: ({ exported }) => exported },
  { name: 'export-menu', path: ({ exported }) => exported, prepare: openMoreActions },
  { name: 'export-running', path: ({ beginLongExport }) => beginLongExport(), prepare: untilPaced },
  { name: 'export-report', path: ({ exported }) => `${exported}?tab=report` },
  { name: 'export-files', path: ({ exported }) => `${exported}?tab=files` },
  { name: 'export-preview', path: ({ exported }) => `${exported}?tab=preview`, prepare: untilPreviewed },
  { name: 'export-changes', path: ({ exported }) => `${exported}?tab=changes` },
  { name: 'project-automatic', path: ({ automatic }) => automatic },
  { name: 'events', path: () => '/events' },
  { name: 'events-empty', path: () => '/events', at: 'empty' },
  { name: 'event', path: ({ event }) => event },
  { name: 'deployments', path: () => '/deployments' },
  { name: 'deployments-empty', path: () => '/deployments', at: 'empty' },
  { name: 'readers', path: () => '/readers' },
  { name: 'readers-empty', path: () => '/readers', at: 'empty' },
  { name: 'agent-jobs', path: () => '/agent' },
  { name: 'agent-jobs-empty', path: () => '/agent', at: 'empty' },
  { name: 'agent-jobs-new', path: () => '/agent?new=1' },
  { name: 'agent-job', path: ({ agentJob }) => agentJob },
  { name: 'agent-job-steps', path: ({ agentJob }) => `${agentJob}?tab=steps` },
  { name: 'agent-job-checks', path: ({ agentJob }) => `${agentJob}?tab=checks` },
  { name: 'keys', path: () => '/keys', prepare: openApiCall },
  { name: 'keys-new', path: () => '/keys?new=1' },
  { name: 'keys-secret', path: () => '/keys?new=1&name=Courier', prepare: untilSecret },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'webhooks-empty', path: () => '/webhooks', at: 'empty' },
  { name: 'webhooks-new', path: () => '/webhooks?new=1' },
  { name: 'webhook', path: ({ webhook }) => webhook },
  { name: 'webhook-delivery', path: ({ webhook, delivery }) => `${webhook}?delivery=${delivery}` },
  { name: 'users', path: () => '/users' },
  { name: 'users-new', path: () => '/users?new=1' },
  { name: 'audit', path: () => '/audit' },
  { name: 'system', path: () => '/system' },
  { name: 'not-found', path: () => '/nowhere' },
];

export interface FurnishedDashboard extends Dashboard {
  /** Opens a screen and waits until it is idle; `look` is called before `prepare`. */
  show(screen: Screen, options?: OpenOptions, look?: (page: Page) => Promise<void>): Promise<OpenPage>;
}

const domain = 'handbook.example.com';

/**
 * An installation with records of every kind, and empty ones. Without agents, the screens of projects and agent jobs are empty.
 */
export async function openFurnishedDashboard({ withAgents = true } = {}): Promise<FurnishedDashboard> {
  const dashboard = await openDashboard(withAgents ? { script: agents.mendLink } : {});
  const places = await furnish(dashboard);
  const others: Partial<Record<'empty' | 'new', Promise<Dashboard>>> = {};
  return {
    ...dashboard,
    async show({ path, isGate, at, prepare }, options = {}, look) {
      const where =
        at === undefined ? dashboard : await (others[at] ??= openDashboard({ setUp: at === 'empty' }));
      const address = await path(places);
      const opened = await where.open(address, { ...options, ...(isGate ? { as: null } : {}) });
      await settled(opened.page);
      await look?.(opened.page);
      await prepare?.(opened.page);
      return opened;
    },
    async close() {
      for (const other of Object.values(others)) await (await other).close();
      await dashboard.close();
    },
  };
}

async function reportDeployment({ service }: Dashboard): Promise<void> {
  const release = (id: string, version: string) => ({
    id,
    version,
    commit: null,
    committedAt: null,
    pages: 12,
    signedBy: null,
    jobId: null,
    installedAt: '2026-03-01T08:00:00.000Z',
  });
  await service.client.call('reportDeployment', {
    body: {
      name: 'docs-eu-1',
      url: `https://${domain}`,
      software: '0.1.0',
      reportSeconds: 3600,
      acceptsInstructions: true,
      nonce: 'n'.repeat(16),
      isReady: true,
      reason: null,
      current: 'r2-01234567',
      releases: [release('r2-01234567', '2.0'), release('r1-ba987654', '1.0')],
      held: null,
      lastRefresh: null,
      finished: null,
    },
  });
  await service.client.call('reportReadings', { body: siteReadings('docs-eu-1') });
}

async function furnish(dashboard: Dashboard): Promise<Places> {
  const { client } = dashboard.service;
  const ofAgent = await runAgent(dashboard);
  const { exportId, projectId } = await exportTwice(dashboard);
  const eventId = await reportPushes(dashboard, projectId);
  await client.call('createKey', { body: { name: 'Pipeline', scopes: ['exports:write'], expiresInDays: 7 } });
  const { id: webhookId } = await client.call('createWebhook', {
    body: { url: 'https://ci.invalid/docyard', description: 'Publishes the handbook' },
  });
  const { id: delivery } = await client.call('testWebhook', { params: { webhookId } });
  await reportDeployment(dashboard);
  await dashboard.join('member', 'Bo Quay');
  await client.call('inviteUser', { body: { email: 'cy@example.com', role: 'viewer' } });
  return {
    ...ofAgent,
    exported: `/exports/${exportId}`,
    automatic: `/projects/${projectId}?tab=automatic`,
    event: `/events?event=${eventId}`,
    webhook: `/webhooks/${webhookId}`,
    delivery,
    beginLongExport: longExports(dashboard),
  };
}

async function runAgent({
  service,
  agents: stage,
}: Dashboard): Promise<Pick<Places, 'project' | 'agentJob'>> {
  if (stage === undefined) return { project: '/projects', agentJob: '/agent' };
  const projectId = await agents.createProject(service, stage, 'harbour.example.com');
  const { id } = await agents.runJob(service, projectId, 'Mend the broken link on the first page.');
  await addAutomations(service, stage, projectId);
  return { project: `/projects/${projectId}`, agentJob: `/agent/${projectId}/${id}` };
}

async function addAutomations(
  { client }: Dashboard['service'],
  { repository }: agents.Stage,
  projectId: string,
): Promise<void> {
  const on = { merged: { repository: 'harbour/api', branch: 'main', paths: ['src/**'] } };
  const instructions = 'Describe {{pullRequest.title}}.';
  const weekly = {
    name: 'weekly-check',
    on: { schedule: { cron: '0 6 * * MON' } },
    instructions: 'Check it.',
  };
  const automations = [{ name: 'api-docs', on, instructions, reviewers: 'codeowners' }, weekly];
  const content = JSON.stringify({ version: 1, automations });
  repository.commit('main', { '.docyard/automations.yaml': content });
  const params = { projectId };
  await client.call('refreshAutomations', { params });
  while ((await client.call('readAutomations', { params })).data.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await client.call('pauseAutomation', { params: { ...params, name: 'weekly-check' } });
}

/** One at a time: the previous one is canceled. */
function longExports({ service: { client } }: Dashboard): () => Promise<string> {
  let folder: string | undefined;
  let running: string | undefined;
  return async () => {
    if (folder === undefined) {
      folder = temporaryFolder('site');
      writeFiles(folder, siteFiles(2500));
      const source = { repository: folder };
      await client.call('createProject', {
        body: { name: 'Tide tables', domain: 'tides.example.com', source },
      });
    }
    if (running !== undefined)
      await client.call('cancelExport', { params: { jobId: running } }).catch(() => {});
    running = (await client.call('startExport', { body: { domain: 'tides.example.com' } })).jobId;
    return `/exports/${running}`;
  };
}

/** A test of the hook, a push to another branch and one to another repository; returns the last event. */
async function reportPushes({ service }: Dashboard, projectId: string): Promise<string> {
  const params = { projectId };
  const { secret, url } = await service.client.call('createHookSecret', { params });
  await service.client.call('updateProject', { params, body: { exports: { polling: { enabled: true } } } });
  const push = { secret, before: 'b'.repeat(40), after: 'a'.repeat(40) };
  const repository = 'https://git.example.com/harbour/website.git';
  const requests = [
    testWebhook('github', push),
    pushWebhook('gitea', { ...push, repository, ref: 'refs/tags/v2.1' }),
    pushWebhook('github', { ...push, repository }),
  ];
  for (const request of requests) await fetch(url, { method: 'POST', ...request });
  const { data } = await service.client.call('listForgeEvents', { query: { projectId, limit: 1 } });
  return data[0]?.id ?? '';
}

/** Exports twice with an edit between; the id is that of the second. */
async function exportTwice({ service }: Dashboard): Promise<{ exportId: string; projectId: string }> {
  const { client } = service;
  const folder = temporaryFolder('site');
  writeFiles(folder, siteFiles(12));
  const source = { repository: folder };
  const { id: projectId } = await client.call('createProject', {
    body: { name: 'Harbour handbook', domain, source },
  });
  await runExport(service, domain);
  writeFiles(folder, {
    'guides/page-2.mdx': '---\ntitle: The pier\n---\n\nNew text, and a [broken link](/nowhere).\n',
  });
  const { jobId } = await client.call('startExport', { body: { domain, version: '2.1' } });
  await waitForExport(client, jobId);
  return { exportId: jobId, projectId };
}

async function listWithLongExport({ beginLongExport }: Places): Promise<string> {
  await beginLongExport();
  return '/exports';
}

async function untilPaced(page: Page): Promise<void> {
  await page.getByText(/\d pages\/s/).waitFor();
}

/** On a phone it is in the drawer. */
async function openOwnMenu(page: Page): Promise<void> {
  const drawer = page.getByRole('button', { name: 'Menu', exact: true });
  if (await drawer.isVisible()) await drawer.click();
  await page.getByRole('button', { name: owner.name }).filter({ visible: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).filter({ visible: true }).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  await page.keyboard.type('harbo');
  await page
    .getByRole('option', { name: /Harbour/ })
    .first()
    .waitFor();
}

async function openPicker(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Every project' }).waitFor();
}

async function openMoreActions(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
}

async function openSelect(page: Page): Promise<void> {
  await page.getByLabel('Age').click();
  await page.getByRole('option', { name: 'Last 7 days' }).filter({ visible: true }).waitFor();
}

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('alertdialog').waitFor();
}

async function loseServer(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Failed' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
}

async function untilSecret(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Read Everything' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
}

async function openApiCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'The same as an API call' }).click();
  await page.getByText('curl ').first().waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function untilPreviewed(page: Page): Promise<void> {
  await page.frameLocator('iframe').locator('h1').first().waitFor();
}

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}
