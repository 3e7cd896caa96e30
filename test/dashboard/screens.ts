/**
 * Every screen of the dashboard with something on it, for whatever looks at all of them: accessibility, layout, pictures.
 */
import { waitForExport } from '@docyard/api';
import type { Page } from 'playwright-core';
import * as agents from '../agent/stage.ts';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { openDashboard, runExport, type Dashboard, type OpenOptions, type OpenPage } from './stage.ts';

export interface Screen {
  name: string;
  path: (at: Places) => string;
  /** Nobody is signed in. */
  isGate?: boolean;
  /** What is done on the screen before it is looked at. */
  prepare?: (page: Page) => Promise<void>;
}

/** The addresses of what the screens show. */
interface Places {
  project: string;
  exported: string;
  agentJob: string;
  webhook: string;
  delivery: string;
}

export const screens: readonly Screen[] = [
  { name: 'login', path: () => '/login', isGate: true },
  { name: 'invitation', path: () => '/invitation#a-token', isGate: true },
  { name: 'overview', path: () => '/' },
  { name: 'projects', path: () => '/projects' },
  { name: 'projects-new', path: () => '/projects?new=1' },
  { name: 'project', path: ({ project }) => project },
  { name: 'project-settings', path: ({ project }) => `${project}?tab=settings` },
  { name: 'project-agent', path: ({ project }) => `${project}?tab=agent` },
  { name: 'exports', path: () => '/exports' },
  { name: 'exports-new', path: () => '/exports?new=1' },
  { name: 'export', path: ({ exported }) => exported },
  { name: 'export-report', path: ({ exported }) => `${exported}?tab=report` },
  { name: 'export-files', path: ({ exported }) => `${exported}?tab=files` },
  { name: 'export-preview', path: ({ exported }) => `${exported}?tab=preview`, prepare: untilPreviewed },
  { name: 'export-changes', path: ({ exported }) => `${exported}?tab=changes` },
  { name: 'agent-jobs', path: () => '/agent' },
  { name: 'agent-jobs-new', path: () => '/agent?new=1' },
  { name: 'agent-job', path: ({ agentJob }) => agentJob },
  { name: 'agent-job-steps', path: ({ agentJob }) => `${agentJob}?tab=steps` },
  { name: 'agent-job-checks', path: ({ agentJob }) => `${agentJob}?tab=checks` },
  { name: 'keys', path: () => '/keys', prepare: openApiCall },
  { name: 'keys-new', path: () => '/keys?new=1' },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'webhooks-new', path: () => '/webhooks?new=1' },
  { name: 'webhook', path: ({ webhook }) => webhook },
  { name: 'webhook-delivery', path: ({ webhook, delivery }) => `${webhook}?delivery=${delivery}` },
  { name: 'people', path: () => '/people' },
  { name: 'people-new', path: () => '/people?new=1' },
  { name: 'audit', path: () => '/audit' },
  { name: 'system', path: () => '/system' },
  { name: 'not-found', path: () => '/nowhere' },
];

export interface FurnishedDashboard extends Dashboard {
  /** Opens a screen and waits until nothing on it is still on its way. */
  show(screen: Screen, options?: OpenOptions): Promise<OpenPage>;
}

const domain = 'handbook.example.com';

/** An installation where everything has happened once. */
export async function openFurnishedDashboard(): Promise<FurnishedDashboard> {
  const dashboard = await openDashboard({ script: agents.mendLink });
  const places = await furnish(dashboard);
  return {
    ...dashboard,
    async show({ path, isGate, prepare }, options = {}) {
      const opened = await dashboard.open(path(places), { ...options, ...(isGate ? { as: null } : {}) });
      await settled(opened.page);
      await prepare?.(opened.page);
      return opened;
    },
  };
}

async function furnish(dashboard: Dashboard): Promise<Places> {
  const { service, agents: stage } = dashboard;
  const { client } = service;
  if (stage === undefined) throw new Error('The stage has no agents.');
  const projectId = await agents.createProject(service, stage, 'harbour.example.com');
  const agentJob = await agents.runJob(service, projectId, 'Mend the broken link on the first page.');
  const exportId = await exportTwice(dashboard);
  await client.call('createKey', { body: { name: 'Pipeline', scopes: ['exports:write'], expiresInDays: 7 } });
  const { id: webhookId } = await client.call('createWebhook', {
    body: { url: 'https://ci.invalid/docyard', description: 'Publishes the handbook' },
  });
  const { id: delivery } = await client.call('testWebhook', { params: { webhookId } });
  await dashboard.join('member', 'Bo Quay');
  await client.call('invitePerson', { body: { email: 'cy@example.com', role: 'viewer' } });
  return {
    project: `/projects/${projectId}`,
    exported: `/exports/${exportId}`,
    agentJob: `/agent/${projectId}/${agentJob.id}`,
    webhook: `/webhooks/${webhookId}`,
    delivery,
  };
}

/** Twice with an edit between, so that there is something to compare; gives the second. */
async function exportTwice({ service }: Dashboard): Promise<string> {
  const { client } = service;
  const folder = temporaryFolder('site');
  writeFiles(folder, siteFiles(12));
  const source = { repository: folder };
  await client.call('createProject', { body: { name: 'Harbour handbook', domain, source } });
  await runExport(service, domain);
  writeFiles(folder, {
    'guides/page-2.mdx': '---\ntitle: The pier\n---\n\nNew text, and a [broken link](/nowhere).\n',
  });
  const { jobId } = await client.call('startExport', { body: { domain, version: '2.1' } });
  await waitForExport(client, jobId);
  return jobId;
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
