/** An exported site in the frame of the dashboard: search and navigation work, and it has no access to the host. */
import type { Browser, Frame, Page } from 'playwright-core';
import { waitForExport, type DocyardClient, type Preview } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { freePort } from './free-port.ts';
import { startService, type Service } from './service.ts';

describe.skipIf(chromiumPath === undefined)('a preview in a sandboxed frame', () => {
  let browser: Browser;
  let service: Service;
  let page: Page;
  let frame: Frame;
  let previewPath: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    service = await startService();
    previewPath = (await exportAndPreview(service.client)).previewUrl;
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    // Like the cookie of a session.
    await page.context().addCookies([{ name: 'docyard', value: 'secret', url: service.origin }]);
    frame = await framed(page, service.origin, previewPath);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test('a reader goes from page to page', async () => {
    await frame.getByRole('link', { name: 'Unboxing' }).first().click();
    await expect.poll(() => frame.url()).toMatch(/\/preview\/.*\/setup\/unboxing\.html$/);
    await expect.poll(() => frame.getByRole('heading', { level: 1 }).textContent()).toContain('Unboxing');
  });

  test('a reader finds words', async () => {
    await frame.getByRole('button', { name: 'Search' }).first().click();
    await frame.getByRole('combobox').or(frame.getByRole('searchbox')).first().fill('battery');
    await expect.poll(() => frame.getByText('Change the battery').count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('the pages have neither cookies nor storage, and cannot call the API', async () => {
    const refused = await frame.evaluate(async () => {
      const attempt = (read: () => unknown) => {
        try {
          return String(read());
        } catch (error) {
          return (error as Error).name;
        }
      };
      return {
        origin: globalThis.origin,
        cookies: attempt(() => document.cookie),
        storage: attempt(() => localStorage.length),
        above: attempt(() => globalThis.parent.document.title),
        api: await fetch('/v1/me').then(
          ({ status }) => status,
          (error: Error) => error.name,
        ),
      };
    });
    expect(refused).toEqual({
      origin: 'null',
      cookies: 'SecurityError',
      storage: 'SecurityError',
      above: 'SecurityError',
      api: 'TypeError',
    });
  });

  test('the pages open no windows and do not navigate the window around them', async () => {
    expect(await attempts(frame)).toEqual({ origin: 'null', window: 'refused', top: 'SecurityError' });
    expect(page.url()).toBe(`${service.origin}/framing`);
  });

  test('a preview that is opened alone is in the same sandbox', async () => {
    const alone = await browser.newPage();
    await alone.goto(new URL(previewPath, service.origin).href);
    await alone.getByRole('heading', { level: 1 }).waitFor();
    expect(await attempts(alone.mainFrame())).toMatchObject({ origin: 'null', window: 'refused' });
    await alone.close();
  });
});

describe.skipIf(chromiumPath === undefined)('a preview on the origin that PREVIEW_URL names', () => {
  let browser: Browser;
  let service: Service;
  let publicUrl: string;
  let previewUrl: string;

  beforeAll(async () => {
    browser = await launchChromium();
    const port = await freePort();
    publicUrl = `http://127.0.0.1:${port}`;
    const environment = { PUBLIC_URL: publicUrl, PREVIEW_URL: `http://localhost:${port}` };
    service = await startService({ port, environment });
    previewUrl = (await exportAndPreview(service.client)).previewUrl;
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test('it opens windows, and has neither cookies nor storage of its host', async () => {
    expect(new URL(previewUrl).hostname).toBe('localhost');
    const page = await browser.newPage();
    const { origin } = new URL(previewUrl);
    await page.context().addCookies([{ name: 'docyard', value: 'secret', url: origin }]);
    await page.goto(previewUrl);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await attempts(page.mainFrame())).toEqual({ origin: 'null', window: 'opened', top: 'itself' });
    await expect(page.evaluate(() => document.cookie)).rejects.toThrow('sandboxed');
    await expect(page.evaluate(() => localStorage.length)).rejects.toThrow('sandboxed');
    await page.context().close();
  });

  test('neither host serves what belongs to the other', async () => {
    const page = await browser.newPage();
    const statusOf = async (address: string) => (await page.goto(address))?.status();
    const { origin, pathname } = new URL(previewUrl);
    expect(await statusOf(`${publicUrl}${pathname}`)).toBe(404);
    for (const path of ['/dashboard/', '/docs/', '/v1/me']) expect(await statusOf(origin + path)).toBe(404);
    expect(await statusOf(previewUrl)).toBe(200);
    await page.context().close();
  });
});

async function exportAndPreview(client: DocyardClient): Promise<Preview> {
  const [project] = (await client.call('listProjects')).data;
  const { jobId } = await client.call('startExport', { body: { domain: project?.domain ?? '' } });
  expect(await waitForExport(client, jobId)).toMatchObject({ status: 'completed' });
  return client.call('createPreview', { params: { jobId } });
}

/** A page of our host that frames a preview like the dashboard. */
async function framed(page: Page, origin: string, previewUrl: string): Promise<Frame> {
  const frameSource = new URL(previewUrl, origin).origin;
  await page.route(`${origin}/framing`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': `default-src 'none'; frame-src ${frameSource}` },
      body: `<iframe src="${previewUrl}" width="1200" height="800"></iframe>`,
    }),
  );
  await page.goto(`${origin}/framing`);
  await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
  return page.frames()[1] as Frame;
}

/** What a page can access of its browser. */
function attempts(frame: Frame): Promise<{ origin: string; window: string; top: string }> {
  return frame.evaluate(() => {
    const opened = globalThis.open('about:blank');
    opened?.close();
    const navigate = () => {
      try {
        if (globalThis.top !== null) globalThis.top.location.href = 'about:blank#left';
        return 'navigated';
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      origin: globalThis.origin,
      window: opened === null ? 'refused' : 'opened',
      top: globalThis.top === globalThis.self ? 'itself' : navigate(),
    };
  });
}
