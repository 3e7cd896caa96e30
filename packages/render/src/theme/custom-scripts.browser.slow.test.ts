import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserSite } from '../../test/support/browser-site.ts';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';

const fixtureName = 'custom-scripts';

describe('scripts of the repository', () => {
  it('are omitted by default, and the report lists the missing effects', async () => {
    const { files, diagnostics } = await renderFixture(fixtureName);
    expect([...files.keys()].filter((path) => /promo|status|scripts\/|format-api/.test(path))).toEqual([]);
    const reported = diagnostics.filter(({ code }) => code.startsWith('custom_script'));
    expect(
      reported.map(({ code, file, message }) => [code, file, message.split(': ').slice(1).join(': ')]),
    ).toEqual([
      [
        'custom_script_skipped',
        'assets/status.js',
        'it adds elements to pages, contacts https://status.example.com',
      ],
      ['custom_script_skipped', 'promo.js', 'it adds elements to pages, changes elements'],
      ['custom_script_skipped', 'tools/build.js', 'it is a program for Node'],
      ['custom_script_skipped', 'tools/module.js', 'it is a module, and pages load classic scripts'],
      [
        'custom_script_skipped',
        'widget.js',
        'it adds elements to pages, contacts https://widgets.example.com',
      ],
    ]);
    expect(reported.find(({ file }) => file === 'promo.js')?.hint).toContain('customScripts');
  });

  it('are loaded by every page, and the CSP adds only the hosts they connect to', async () => {
    const { files, diagnostics } = await renderFixture(fixtureName, { customScripts: 'include' });
    const scripts = [...files.keys()].filter((path) => path.startsWith('_docyard/scripts/'));
    expect(scripts.map((path) => path.replace(/[0-9a-f]{12}/, 'hash'))).toEqual([
      '_docyard/scripts/assets-status.hash.js',
      '_docyard/scripts/promo.hash.js',
      '_docyard/scripts/widget.hash.js',
    ]);
    for (const [path, prefix] of [
      ['index.html', ''],
      ['guides/second.html', '../'],
    ] as const) {
      const html = files.get(path) ?? '';
      for (const script of scripts)
        expect(html).toContain(`<script src="${prefix}${script}" defer></script>`);
      expect(html).toContain(
        "script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; font-src 'self' data:; connect-src 'self' https://status.example.com;",
      );
      expect(html).not.toMatch(/<script(?![^>]* src=)/);
    }
    expect(files.get('_headers')).toContain("script-src 'self';");
    const reported = diagnostics.filter(({ code }) => code === 'custom_script_included');
    expect(reported.map(({ file, message }) => [file, message])).toEqual([
      ['assets/status.js', 'The script runs on every page of the export.'],
      ['promo.js', 'The script runs on every page of the export.'],
      [
        'widget.js',
        'The script runs on every page of the export. What it loads from https://widgets.example.com is blocked.',
      ],
    ]);
  });

  it('are omitted when they cannot be parsed, even when included', async () => {
    const site = {
      'index.md': 'Words.',
      'broken.js': 'const = ;',
      'large.js': `'${'x'.repeat(1024 * 1024)}';`,
    };
    const { files, diagnostics } = await renderFiles(site, { customScripts: 'include' });
    expect([...files.keys()].filter((path) => path.startsWith('_docyard/scripts/'))).toEqual([]);
    const reported = diagnostics.filter(({ code }) => code === 'custom_script_skipped');
    expect(reported.map(({ message }) => message.split(': ')[1])).toEqual([
      'it is not valid JavaScript',
      'it is larger than 1 MB',
    ]);
  });

  it('may not connect to other hosts in an air-gapped export', async () => {
    const { files } = await renderFixture(fixtureName, { customScripts: 'include', airGapped: true });
    expect(files.get('index.html')).toContain("connect-src 'self';");
  });
});

describe.skipIf(chromiumPath === undefined)('scripts of the repository in a browser', () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openBrowserSite(fixtureName, { customScripts: 'include' });
    // For every test: a page may ask after the test that opened it has seen all it needs.
    await site.page.route('https://status.example.com/**', (route) =>
      route.fulfill({ json: { text: 'All well' }, headers: { 'access-control-allow-origin': '*' } }),
    );
  });
  afterAll(() => site.close());
  afterEach(() => expect(site.complaints.splice(0)).toEqual([]));

  it.each(['http', 'file'] as const)('run on every page over %s, without an error', async (from) => {
    const { page, origins } = site;
    await page.goto(`${origins[from]}/index.html`);
    await expect.poll(() => page.locator('#promo .promo').textContent()).toBe('Try the new release');
    await expect.poll(() => page.locator('#status').textContent()).toBe('All well');
    await page.goto(`${origins[from]}/guides/second.html`);
    await expect.poll(() => page.locator('main .promo').textContent()).toBe('Try the new release');
  });

  it('cannot load code of other hosts', async () => {
    const { page, origins, complaints } = site;
    await page.goto(`${origins.http}/index.html?widget`);
    await expect
      .poll(() => complaints.some((complaint) => complaint.includes('violation of script-src')))
      .toBe(true);
    complaints.length = 0;
  });
});
