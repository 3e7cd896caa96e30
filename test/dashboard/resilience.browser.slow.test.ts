/** Slow networks, an unavailable server, sessions across tabs, and addresses of missing records. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addSite, chromiumPath, openDashboard, owner, runExport, type Dashboard } from './harness.ts';

/** Generous for a busy machine. */
const patience = { timeout: 20_000 };
const slowNetwork = {
  offline: false,
  latency: 1500,
  downloadThroughput: 50 * 1024,
  uploadThroughput: 50 * 1024,
};
const maxPaintMs = 1000;
/** Three loads over the slow network take longer than the default timeout. */
const slowLoadsTimeoutMs = 180_000;
const credentials = { email: owner.email, password: owner.password };

describe.skipIf(chromiumPath === undefined)('the dashboard under difficult conditions', () => {
  let dashboard: Dashboard;
  let jobId: string;
  const proxies: Proxy[] = [];

  beforeAll(async () => {
    dashboard = await openDashboard();
    await addSite(dashboard.service);
    ({ jobId } = await runExport(dashboard.service, 'docs.example.com'));
  });
  afterEach(() => {
    for (const proxy of proxies.splice(0)) proxy.close();
  });
  afterAll(() => dashboard?.close());

  async function openThrough(proxy: Proxy, path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const storageState = await dashboard.signIn(credentials);
    const context = await dashboard.browser.newContext({ storageState, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`http://127.0.0.1:${proxy.port}/dashboard${path}`);
    return page;
  }

  /** Loads a page with an empty cache until the screen replaces the skeleton. */
  async function paintSlowly(path: string, width: number) {
    const storageState = await dashboard.signIn(credentials);
    const context = await dashboard.browser.newContext({ viewport: { width, height: 800 }, storageState });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const policyBreaches: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) policyBreaches.push(message.text());
    });
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slowNetwork);
    await page.goto(`${dashboard.service.origin}/dashboard${path}`, { waitUntil: 'commit' });
    await page.locator('#skeleton').waitFor();
    const paintMs = await firstPaintAfterHtmlMs(page);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await page.locator('#skeleton').isVisible()).toBe(false);
    const blocking = await renderBlockingFiles(page);
    await context.close();
    return { paintMs, blocking, policyBreaches };
  }

  async function startProxy(): Promise<Proxy> {
    const proxy = new Proxy(Number(new URL(dashboard.service.origin).port));
    proxies.push(proxy);
    await proxy.open();
    return proxy;
  }

  test.each([
    { path: '/exports', width: 1440 },
    { path: '/exports', width: 390 },
    { path: '/login', width: 390 },
  ])(
    '$path paints its skeleton within a second on a slow network at $width pixels',
    async ({ path, width }) => {
      const loads = [];
      for (let load = 0; load < 3; load += 1) loads.push(await paintSlowly(path, width));
      const paintMs = loads.map((load) => load.paintMs).toSorted((one, other) => one - other);
      expect(paintMs[1]).toBeLessThan(maxPaintMs);
      // Unlike a duration, this does not depend on the load of the machine.
      expect(loads.flatMap(({ blocking }) => blocking)).toEqual([]);
      expect(loads.flatMap(({ policyBreaches }) => policyBreaches)).toEqual([]);
    },
    slowLoadsTimeoutMs,
  );

  test('a screen says that the server is away, and recovers when it is back', async () => {
    const proxy = await startProxy();
    const page = await openThrough(proxy, '/projects');
    await page.getByRole('link', { name: 'Harbour handbook' }).waitFor();
    const outage = page.getByText('The server cannot be reached. This page reconnects');
    proxy.close();
    await page.getByRole('link', { name: 'API keys' }).click();
    await outage.waitFor();
    await page.getByRole('link', { name: 'Exports', exact: true }).click();
    await proxy.open();
    await outage.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'docs.example.com' }).first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });

  test('a screen whose code is not loaded yet opens when the server is back', async () => {
    const proxy = await startProxy();
    const page = await openThrough(proxy, '/login?to=/system');
    await page.getByRole('heading', { name: 'System' }).waitFor();
    proxy.close();
    await page.getByRole('link', { name: 'Agent jobs' }).click();
    await page.getByText('The server cannot be reached. This page reconnects').waitFor();
    await proxy.open();
    await page.getByRole('heading', { level: 1, name: 'Agent jobs' }).waitFor();
    await page.context().close();
  });

  test('live updates reconnect when the server is back, and their message disappears', async () => {
    const proxy = await startProxy();
    const page = await openThrough(proxy, '/exports');
    await page.getByRole('link', { name: 'docs.example.com' }).first().waitFor();
    proxy.close();
    await page.getByText('The server cannot be reached. This page reconnects').waitFor();
    await proxy.open();
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });
    const { jobId: next } = await dashboard.service.client.call('startExport', {
      body: { domain: 'docs.example.com' },
    });
    await page.locator(`a[href$="${next}"]`).first().waitFor();
    await page.context().close();
  });

  test('signing out in one tab ends the session of the others at once', async () => {
    const { page } = await dashboard.open('/users', { as: await dashboard.signIn(credentials) });
    const other = await page.context().newPage();
    await other.goto(`${dashboard.service.origin}/dashboard/keys?show=ended`);
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: owner.name }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByText('Your session has ended.').waitFor({ timeout: 5000 });
    expect(new URL(other.url()).searchParams.get('to')).toBe('/keys?show=ended');

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await other.waitForURL(/\/keys\?show=ended$/);
    await page.context().close();
  });

  test.each([
    ['/login', '/dashboard/'],
    ['/login?to=/keys%3Fshow=ended', '/dashboard/keys?show=ended'],
    ['/login?to=//other.example.com', '/dashboard/'],
    ['/login?to=/%5Cother.example.com', '/dashboard/'],
    ['/setup', '/dashboard/'],
  ])('a user who is signed in and opens %s is led to %s', async (path, expected) => {
    const { page, complaints } = await dashboard.open(path);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await expect.poll(() => page.url(), patience).toBe(dashboard.service.origin + expected);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['export', '/exports/se_0000000000000000'],
    ['project', '/projects/pr_0000000000000000'],
    ['agent job', '/agent/pr_0000000000000000/aj_0000000000000000'],
    ['webhook', '/webhooks/wh_0000000000000000'],
    ['export', `/exports/${'x'.repeat(80)}`],
  ])('an unknown %s at %s says that it does not exist', async (what, path) => {
    const { page, complaints } = await dashboard.visit(path);
    await page.getByRole('heading', { name: `This ${what} does not exist or you have no access` }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('an export that exists is shown, so the empty state is not the default', async () => {
    const { page } = await dashboard.visit(`/exports/${jobId}`);
    await page.getByRole('heading', { level: 1, name: 'docs.example.com' }).waitFor();
  });
});

async function firstPaintAfterHtmlMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const [paint] = list.getEntriesByName('first-contentful-paint');
          const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
          if (paint !== undefined) resolve(paint.startTime - (navigation?.responseEnd ?? 0));
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

function renderBlockingFiles(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter((entry) => 'renderBlockingStatus' in entry && entry.renderBlockingStatus === 'blocking')
      .map(({ name }) => name),
  );
}

/** A proxy in front of the service that can stop and restart at the same address. */
class Proxy {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<void> {
    const server = createServer((client) => {
      const upstream = connect(this.#target, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          upstream.destroy();
          this.#sockets.delete(socket);
        });
      }
      client.pipe(upstream).pipe(client);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
