import { expect, it } from 'vitest';
import { chromiumPath, openBrowserFolder, paintedColors } from '../../test/support/browser-site.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const site = {
  'docs.json': JSON.stringify({
    name: 'Harbour',
    navigation: {
      tabs: [
        { tab: 'Guides', pages: ['index'] },
        { tab: 'Tools', pages: ['tools'] },
      ],
    },
  }),
  'index.mdx': 'Quay',
  'tools.mdx': 'Crane',
  'style.css': 'html:not(.dark) #navbar div { background: rgb(240 220 200); }',
};

it.skipIf(chromiumPath === undefined)(
  'a background color of an author covers the navigation bar and its tabs on wide screens',
  async () => {
    await withFolder(site, async (root) => {
      const { page, origins, close } = await openBrowserFolder(root);
      try {
        await page.setViewportSize({ width: 1800, height: 400 });
        await page.goto(`${origins.file}/index.html`);
        const tabs = await page.locator('#navbar nav').last().boundingBox();
        const row = (tabs?.y ?? 0) + 3;
        const points = [4, 900, 1796].flatMap((x) => [
          [x, 3],
          [x, row],
        ]) as [number, number][];
        const colors = await paintedColors(page, points);
        expect(colors).toEqual(points.map(() => '240 220 200'));
      } finally {
        await close();
      }
    });
  },
  60_000,
);
