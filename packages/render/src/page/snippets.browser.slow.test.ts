import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserSite } from '../../test/support/browser-site.ts';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';

describe('snippets', () => {
  it('recursive snippets end after a bounded number, and the page reports it', async () => {
    const { content, diagnostics } = await renderFiles({
      'docs.json': '{ "name": "Loop", "navigation": ["index"] }',
      'index.mdx': "import Loop from '/snippets/loop.mdx';\n\nBefore.\n\n<Loop />\n\nAfter.\n",
      'snippets/loop.mdx': "import Loop from './loop.mdx';\n\nAgain.\n\n<Loop />\n\n<Loop />\n",
    });
    expect(content('index.html')).toContain('After.');
    const reported = diagnostics.filter(({ message }) => message.includes('too many snippets'));
    expect(reported.map(({ code }) => code)).toEqual(['expression_unsupported']);
  });
});

const scoped = renderFixture('snippet-scope');

it('a snippet sees what the page around it imports and exports, and one with a dot before its name is found', async () => {
  const { content, diagnostics } = await scoped;
  const html = content('index.html');
  expect(html).toContain('<p>About Docyard: <b class="label">from the page</b></p>');
  expect(html).toContain('<p>Words of a nested snippet.</p>');
  expect(html).toContain('<p>Words of a hidden snippet.</p>');
  expect(html).toContain('<div class="box"><b class="label">in a box</b></div>');
  expect(diagnostics).toEqual([]);
});

it('a snippet sees the imports and exports of the snippet that includes it, and then those of the page', async () => {
  const { content } = await scoped;
  expect(content('index.html')).toContain(
    '<p>Section of the second volume about Docyard: <i class="badge">from the chapter</i></p>',
  );
});

it('a file with a dot before its name is a snippet in every folder, and never a page', async () => {
  const { content, files } = await scoped;
  expect(content('index.html')).toContain('<p>Words of a hidden file beside the page.</p>');
  expect([...files.keys()].filter((path) => path.includes('.beside'))).toEqual([]);
});

it('code of the page runs where a snippet uses it without importing it', async () => {
  const { content } = await scoped;
  expect(content('index.html')).toContain('<p>Initials: SDE</p>');
});

describe.skipIf(chromiumPath === undefined)(
  'components that a snippet finds through what includes it',
  () => {
    let site: BrowserSite;

    beforeAll(async () => {
      site = await openBrowserSite('snippet-scope');
    });
    afterAll(() => site.close());
    afterEach(() => expect(site.complaints.splice(0)).toEqual([]));

    it.each(['http', 'file'] as const)(
      'components from an including document are interactive over %s',
      async (from) => {
        const { page } = site;
        await page.goto(`${site.origins[from]}/index.html`);
        for (const [id, before, after] of [
          ['counter', 'Docyard 5', 'Docyard 6'],
          ['panel-counter', 'Docyard 1', 'Docyard 2'],
          ['toggle', 'Closed', 'Open'],
        ] as const) {
          const button = page.locator(`#${id}`);
          expect(await button.innerText()).toBe(before);
          await button.click();
          await expect.poll(() => button.innerText()).toBe(after);
        }
      },
    );
  },
);
