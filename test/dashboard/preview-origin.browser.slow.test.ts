/** The preview of an export when PREVIEW_URL gives previews a separate origin. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, runExport, type Dashboard, type OpenPage } from './harness.ts';

const domain = 'docs.example.com';

describe.skipIf(chromiumPath === undefined)('a preview that the dashboard frames from another origin', () => {
  let dashboard: Dashboard;
  let outside: OutsideSite;
  let opened: OpenPage;
  let page: Page;
  let frame: Frame;
  let publicUrl: string;
  let previewUrl: string;
  const cookies: string[] = [];

  beforeAll(async () => {
    outside = await startOutsideSite();
    const port = await freePort();
    publicUrl = `http://127.0.0.1:${port}`;
    const environment = { PUBLIC_URL: publicUrl, PREVIEW_URL: `http://localhost:${port}` };
    dashboard = await openDashboard({ port, environment });
    const { jobId } = await exportSiteWithLink(dashboard, outside.origin);
    opened = await dashboard.open(`/exports/${jobId}?tab=preview`);
    ({ page } = opened);
    page.on('request', async (request) => {
      const { cookie } = await request.allHeaders();
      if (cookie !== undefined && !request.url().startsWith(`${publicUrl}/`)) cookies.push(request.url());
    });
    const element = page.locator(`iframe[title="Preview of ${domain}"]`);
    previewUrl = (await element.getAttribute('src')) ?? '';
    await element.contentFrame().getByRole('heading', { level: 1, name: 'Page 0' }).waitFor();
    frame = page.frames().find((each) => each.url() === previewUrl) as Frame;
  });

  afterAll(async () => {
    await dashboard?.close();
    outside?.server.close();
  });

  test('it is shown below the address that PREVIEW_URL names', () => {
    expect(new URL(previewUrl).hostname).toBe('localhost');
    expect(new URL(page.url()).origin).toBe(publicUrl);
  });

  test('a reader follows a link from page to page, and the dashboard stays where it is', async () => {
    const before = page.url();
    await frame.getByRole('link', { name: 'Page 1' }).first().click();
    await frame.getByRole('heading', { level: 1, name: 'Page 1' }).waitFor();
    expect(frame.url()).toBe(`${previewUrl}guides/page-1.html`);
    expect(page.url()).toBe(before);
  });

  test('its scripts read neither the document around them nor cookies, storage or the API', async () => {
    const reached = await frame.evaluate(async (api) => {
      const attempt = (read: () => unknown) => {
        try {
          return String(read());
        } catch (error) {
          return (error as Error).name;
        }
      };
      return {
        origin: globalThis.origin,
        document: attempt(() => globalThis.parent.document.title),
        cookies: attempt(() => document.cookie),
        storage: attempt(() => localStorage.length),
        top: attempt(() => ((globalThis.top as Window).location.href = 'about:blank')),
        api: await fetch(api, { credentials: 'include' }).then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      };
    }, `${publicUrl}/v1/me`);
    expect(reached).toEqual({
      origin: 'null',
      document: 'SecurityError',
      cookies: 'SecurityError',
      storage: 'SecurityError',
      top: 'SecurityError',
      api: 'TypeError',
    });
    expect(cookies).toEqual([]);
  });

  test('a link that opens a window opens one outside the sandbox', async () => {
    const window = page.context().waitForEvent('page');
    await frame.getByRole('link', { name: 'the other site' }).click();
    const other = await window;
    await other.getByRole('heading', { name: 'Outside' }).waitFor();
    expect(await other.evaluate(() => [globalThis.origin, globalThis.opener])).toEqual([
      outside.origin,
      null,
    ]);
    await other.close();
  });

  test('a page of another origin cannot frame it', async () => {
    const other = await dashboard.browser.newPage();
    const refusal = other.waitForEvent('console', (said) => said.text().includes('frame-ancestors'));
    await other.goto(`${outside.origin}/?${new URLSearchParams({ frame: previewUrl })}`);
    expect((await refusal).text()).toContain(publicUrl);
    expect(await other.frameLocator('iframe').getByRole('heading', { level: 1 }).count()).toBe(0);
    await other.close();
  });
});

interface OutsideSite {
  server: Server;
  origin: string;
}

/** A site of another origin that frames the address in its query. */
async function startOutsideSite(): Promise<OutsideSite> {
  const server = createServer((request, answer) => {
    const framed = new URL(request.url ?? '/', 'http://outside').searchParams.get('frame');
    answer.setHeader('content-type', 'text/html');
    answer.end(`<h1>Outside</h1>${framed === null ? '' : `<iframe src="${framed}"></iframe>`}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function exportSiteWithLink({ service }: Dashboard, address: string) {
  const folder = temporaryFolder('site');
  const link = `<a href="${address}/" target="_blank">the other site</a>`;
  writeFiles(folder, { ...siteFiles(3), 'guides/page-1.mdx': `---\ntitle: Page 1\n---\n\nSee ${link}.\n` });
  const source = { repository: folder };
  await service.client.call('createProject', { body: { name: 'Harbour handbook', domain, source } });
  return runExport(service, domain);
}
