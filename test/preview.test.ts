/**
 * An exported site as the dashboard frames it: it works, with search and navigation, and has no right of the host it is shown on.
 * Needs Chromium; says so when there is none.
 */
import type { Browser, Frame, Page } from 'playwright-core';
import { waitForExport } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { startService, type Service } from './service.ts';

if (chromiumPath === undefined) {
  console.warn(
    'SKIPPED: the preview in a frame, because Chromium is not installed (Debian package: chromium).',
  );
}

describe.skipIf(chromiumPath === undefined)('a preview in a sandboxed frame', () => {
  let browser: Browser;
  let service: Service;
  let page: Page;
  let frame: Frame;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    service = await startService();
    const { client } = service;
    const [project] = (await client.call('listProjects')).data;
    const { jobId } = await client.call('startExport', { body: { domain: project?.domain ?? '' } });
    expect(await waitForExport(client, jobId)).toMatchObject({ status: 'completed' });
    const { previewUrl } = await client.call('createPreview', { params: { jobId } });
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    // A page of our host that frames it as the dashboard does, with a cookie as a session has one.
    await page.context().addCookies([{ name: 'docyard', value: 'secret', url: service.origin }]);
    await page.route(`${service.origin}/framing`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': "default-src 'none'; frame-src 'self'" },
        body: `<iframe sandbox="allow-scripts" src="${previewUrl}" width="1200" height="800"></iframe>`,
      }),
    );
    await page.goto(`${service.origin}/framing`);
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
    frame = page.frames()[1] as Frame;
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
});
