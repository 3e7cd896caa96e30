/** Masks and fonts of stylesheets in exported pages of `fixtures/stylesheet-files`, also from disk. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserSite,
  chromiumPath,
  openBrowserSite,
  paintedColors,
} from '../../test/support/browser-site.ts';
import { renderFiles } from '../../test/support/render-fixture.ts';

const masked = ['short', 'prefixed', 'variable', 'nested', 'in-page', 'utility', 'inline'];

it('a mask that is too large for the stylesheet stays a file, and the report says so', async () => {
  const { files, diagnostics } = await renderFiles({
    'index.mdx': 'Text',
    'style.css': '.a { mask: url(large.png) } .b { mask: url(large.png) }',
    'large.png': new Uint8Array(70_000),
  });
  expect(files.get('style.css')).toContain('mask: url("large.png")');
  expect(
    diagnostics.filter(({ code }) => code === 'mask_too_large').map(({ file, message }) => [file, message]),
  ).toEqual([
    [
      'style.css',
      '"large.png" is larger than 64 KB: readers who open the site from a folder do not see what it masks',
    ],
  ]);
});

describe.skipIf(chromiumPath === undefined)('files that stylesheets name', () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openBrowserSite('stylesheet-files');
  }, 60_000);
  afterAll(() => site.close());
  afterEach(() => expect(site.complaints.splice(0)).toEqual([]));

  async function paintedHalves(ids: readonly string[]): Promise<Record<string, string[]>> {
    const { page } = site;
    const points = await page.evaluate(
      (names) =>
        names.map((name) => {
          const box = document.getElementById(name)?.getBoundingClientRect() ?? new DOMRect();
          return [0.25, 0.75].map(
            (share) => [box.left + box.width * share, box.top + box.height / 2] as const,
          );
        }),
      ids,
    );
    const colors = await paintedColors(page, points.flat());
    return Object.fromEntries(ids.map((id, index) => [id, colors.slice(index * 2, index * 2 + 2)]));
  }

  it.each(['file', 'http'] as const)('masks are painted over %s wherever they are written', async (from) => {
    await site.page.goto(`${site.origins[from]}/index.html`);
    expect(await paintedHalves([...masked, 'pattern'])).toEqual({
      ...Object.fromEntries(masked.map((id) => [id, ['200 0 0', '255 255 255']])),
      pattern: ['0 0 0', '255 255 255'],
    });
    await site.page.goto(`${site.origins[from]}/guides/nested.html`);
    expect(await paintedHalves(['short'])).toEqual({ short: ['200 0 0', '255 255 255'] });
  });

  it.each(['file', 'http'] as const)('fonts are loaded over %s', async (from) => {
    const fonts = async (): Promise<string[]> =>
      site.page.evaluate(async () => {
        await document.fonts.ready;
        const all = [...document.fonts].map(
          ({ family, status }) => `${family.replaceAll(/['"]/g, '')} ${status}`,
        );
        return all.filter((font) => /^(?:Blocks|Configured|Wide Blocks) /.test(font));
      });
    const widthOf = async (id: string): Promise<number> =>
      (await site.page.locator(`#${id}`).boundingBox())?.width ?? 0;
    await site.page.goto(`${site.origins[from]}/index.html`);
    expect((await fonts()).toSorted()).toEqual(['Blocks loaded', 'Configured loaded', 'Wide Blocks loaded']);
    expect(await widthOf('letters')).toBe(60);
    expect(await widthOf('wide-letters')).toBe(150);
    await site.page.goto(`${site.origins[from]}/guides/nested.html`);
    expect(await fonts()).toContain('Blocks loaded');
    expect(await widthOf('letters')).toBe(60);
  });
});
