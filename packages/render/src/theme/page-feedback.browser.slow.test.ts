import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { chromiumPath, openBrowserFolder } from '../../test/support/browser-site.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const manual = readFileSync(new URL('../../../../docs/write/style-hooks.mdx', import.meta.url), 'utf8');
const [, example = ''] = /```js feedback\.js\n([\s\S]*?)```/.exec(manual) ?? [];

it.skipIf(chromiumPath === undefined)(
  'the feedback script of the manual fills the empty element at the end of a page',
  async () => {
    await withFolder({ 'index.mdx': 'Quay', 'feedback.js': example }, async (root) => {
      const { page, origins, close } = await openBrowserFolder(root, { customScripts: 'include' });
      try {
        const sent: (string | null)[] = [];
        await page.route('https://feedback.example.com/', async (route) => {
          sent.push(route.request().postData());
          await route.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } });
        });
        await page.goto(`${origins.http}/index.html`);
        await page.getByRole('button', { name: 'Yes' }).click();
        await page.getByText('Thank you.').waitFor();
        expect(sent).toEqual(['{"page":"/","answer":"Yes"}']);
      } finally {
        await close();
      }
    });
  },
  60_000,
);

it.skipIf(chromiumPath === undefined)(
  'the empty element at the end of a page takes no space',
  async () => {
    await withFolder({ 'index.mdx': 'Quay' }, async (root) => {
      const { page, origins, close } = await openBrowserFolder(root);
      try {
        await page.goto(`${origins.file}/index.html`);
        expect(await page.locator('#page-feedback').isVisible()).toBe(false);
        expect(await page.locator('.dy-page-foot').boundingBox()).toBeNull();
      } finally {
        await close();
      }
    });
  },
  60_000,
);
