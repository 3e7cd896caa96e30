/** Runs the real service with the built dashboard, an owner, and Chromium, and records every problem on a page. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitForExport, type ExportJob, type Project, type Role } from '@docyard/api';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/measure/browser.ts';
import * as agents from '../agent/harness.ts';
import type { Script } from '../fakes/model-server.ts';
import { siteFiles, startService, temporaryFolder, writeFiles, type Service } from '../service.ts';

export { chromiumPath } from '../../scripts/measure/browser.ts';

export const owner = {
  name: 'Ada Harbour',
  email: 'ada@example.com',
  password: 'seven small boats at noon',
};

/** The password of invited users. */
const passwordOfOthers = 'a lantern above the pier';

export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface OpenOptions {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** The owner by default; null is signed out. */
  as?: Session | null;
  context?: BrowserContextOptions;
}

export interface OpenPage {
  page: Page;
  /** Problems of the page so far: CSP violations, script errors, failed requests and requests to other hosts. */
  complaints: string[];
}

export interface Dashboard {
  service: Service;
  browser: Browser;
  /** Set when a script for the model was given. */
  agents: agents.Stage | undefined;
  /** Opens a page of the dashboard, such as `/exports`, in a new browser context. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>;
  /** Opens a page as the owner in a shared context, which is faster. */
  visit(path: string): Promise<OpenPage>;
  /** Invites a user with this role and signs in. */
  join(role: Role, name?: string): Promise<Session>;
  signIn(credentials: { email: string; password: string }): Promise<Session>;
  close(): Promise<void>;
}

export interface DashboardOptions {
  /** The script of the model, for agent jobs. */
  script?: Script;
  environment?: Record<string, string>;
  port?: number;
  sample?: boolean;
  /** False leaves the setup to the test. */
  setUp?: boolean;
}

export async function openDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  buildDashboard();
  const { script, environment = {}, sample = false, port = 0 } = options;
  const stage = script === undefined ? undefined : await agents.setStage({ script, environment });
  const service = await (stage?.start({ sample }) ??
    startService({ port, sample, environment: { RENDER_PROCESSES: '1', ...environment } }));
  const browser = await launchChromium();
  const ownerSession = options.setUp === false ? undefined : await setUpOwner(browser, service);
  const open = (path: string, how: OpenOptions = {}) =>
    openPage(browser, service.origin, path, { as: ownerSession ?? null, ...how });
  let visited: OpenPage | undefined;
  return {
    service,
    browser,
    agents: stage,
    open,
    async visit(path) {
      if (visited === undefined) return (visited = await open(path));
      // Messages of the previous page must not count for this one.
      await visited.page.goto('about:blank');
      visited.complaints.length = 0;
      await visited.page.goto(`${service.origin}/dashboard${path}`);
      return visited;
    },
    join: (role, name = `A ${role}`) => joinAs(browser, service, role, name),
    signIn: (credentials) => sessionFrom(browser, `${service.origin}/v1/session`, credentials),
    async close() {
      await browser.close();
      await service.stop();
      await stage?.close();
    },
  };
}

/** Does nothing when the build is current. */
function buildDashboard(): void {
  const script = fileURLToPath(new URL('../../scripts/dashboard.mjs', import.meta.url));
  const ended = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`The dashboard was not built: ${ended.stdout}${ended.stderr}`);
}

/** The setup token in the data folder. */
export async function setupToken({ dataDir }: Service): Promise<string> {
  return (await readFile(join(dataDir, 'setup-token'), 'utf8')).trim();
}

async function setUpOwner(browser: Browser, service: Service): Promise<Session> {
  const { name, email, password } = owner;
  const data = { token: await setupToken(service), name, email, password };
  return sessionFrom(browser, `${service.origin}/v1/setup`, data);
}

async function joinAs(browser: Browser, service: Service, role: Role, name: string): Promise<Session> {
  const email = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`;
  const { invitationUrl } = await service.client.call('inviteUser', { body: { email, role } });
  const token = new URL(invitationUrl).hash.slice(1);
  return sessionFrom(browser, `${service.origin}/v1/invitation`, { token, name, password: passwordOfOthers });
}

/** The cookies of a response that starts a session. */
async function sessionFrom(browser: Browser, address: string, data: object): Promise<Session> {
  const context = await browser.newContext();
  try {
    const answer = await context.request.post(address, {
      data,
      headers: { origin: new URL(address).origin },
    });
    if (!answer.ok()) throw new Error(`${address} answered ${answer.status()}: ${await answer.text()}`);
    return await context.storageState();
  } finally {
    await context.close();
  }
}

async function openPage(
  browser: Browser,
  origin: string,
  path: string,
  { width = 1280, height = 800, colorScheme = 'light', as = null, context: more = {} }: OpenOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(as === null ? {} : { storageState: as }),
    ...more,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = watch(page, origin);
  await page.goto(`${origin}/dashboard${path}`);
  return { page, complaints };
}

/** Expected responses, such as 401 before sign-in or a lost network, are not problems. */
const expectedAnswer =
  /Failed to load resource: (?:the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/;

function watch(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !expectedAnswer.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`${origin}/`) || /^(?:data|blob|about):/.test(url);
    if (!isOwn) complaints.push(`outside: ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return complaints;
}

/** A project whose source is a folder with a small site. */
export function addSite(
  { client }: Service,
  { pages = 3, name = 'Harbour handbook', domain = 'docs.example.com' } = {},
): Promise<Project> {
  const folder = temporaryFolder('site');
  writeFiles(folder, siteFiles(pages));
  return client.call('createProject', { body: { name, domain, source: { repository: folder } } });
}

/** Runs an export of a project to its end. */
export async function runExport({ client }: Service, domain: string): Promise<ExportJob> {
  const { jobId } = await client.call('startExport', { body: { domain } });
  return waitForExport(client, jobId);
}
