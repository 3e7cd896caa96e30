import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../../../../scripts/measure/browser.ts';
import { renderFiles, writeOutput } from '../../test/support/render-fixture.ts';

describe.skipIf(chromiumPath === undefined)('a printed site in Chromium', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-print-'));
    const long = `const text = '${'x'.repeat(400)}';`;
    const rendered = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'Boats',
        theme: 'mint',
        colors: { primary: '#0f766e' },
        appearance: { default: 'dark' },
        navigation: { groups: [{ group: 'Guide', pages: ['index', 'other'] }] },
      }),
      'index.mdx': `---\ntitle: Home\n---\n\n## Part\n\n<Accordion title="More">hidden text</Accordion>\n\n\`\`\`js\n${long}\n\`\`\`\n\n[Out](https://example.com/x)`,
      'other.mdx':
        '---\ntitle: Other\n---\n\n<Tabs><Tab title="One">first</Tab><Tab title="Two">second</Tab></Tabs>\n\n[Home](/index#part)',
    });
    await writeOutput(rendered, folder);
    browser = await launchChromium();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(file: string): Promise<Page> {
    const page = await browser.newPage({ bypassCSP: true });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.goto(`file://${folder}/${file}`);
    return page;
  }

  test('a printed page omits the frame, expands collapsed content, wraps code and is dark on white', async () => {
    const page = await open('index.html');
    await page.locator('.dy-site-navbar').waitFor({ state: 'hidden' });
    await page.locator('.dy-site-sidebar').waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.locator('details :text("hidden text")').boundingBox())
      .toMatchObject({ height: expect.any(Number) as number });
    await expect
      .poll(() =>
        page
          .locator('pre')
          .first()
          .evaluate((pre) => pre.scrollWidth <= pre.clientWidth),
      )
      .toBe(true);
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme))
      .toBe('light');
    await page.close();
  });

  test('the print document has no axe violations and no broken links', async () => {
    const page = await open('print.html');
    await page.emulateMedia({ media: 'screen' });
    await page.addScriptTag({ content: axe.source });
    const violations = await page.evaluate(async () => {
      const inPage = globalThis as unknown as { axe: typeof axe };
      return (await inPage.axe.run()).violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);
    const lost = await page.evaluate(() =>
      [...document.querySelectorAll('a[href^="#"]')]
        .map((link) => decodeURIComponent(link.getAttribute('href') ?? '').slice(1))
        .filter((id) => !document.querySelector(`[id="${id}"]`)),
    );
    expect(lost).toEqual([]);
    await page.locator('text=second').waitFor({ state: 'visible' });
    await page.close();
  });
});
