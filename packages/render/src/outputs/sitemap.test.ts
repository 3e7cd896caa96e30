import { expect, it } from 'vitest';
import type { OutputContext } from './contract.ts';
import { sitemap } from './sitemap.ts';

it('a sitemap is split at 50,000 addresses, with an index', () => {
  const routes = Array.from({ length: 50_001 }, (_, index) => `page-${index}`);
  const address = (path: string): string => `https://a.example/${path}`;
  const context = {
    site: {
      files: { all: [] },
      settings: { indexHidden: false },
      metas: new Map(routes.map((route) => [route, { route, metatags: [] }])),
      navigation: { places: new Map(routes.map((route) => [route, {}])) },
      searchRules: new Map(),
    },
    pages: routes.map((route) => ({ route, failed: false })),
    publicAddresses: {
      home: address(''),
      ofPage: address,
      ofFile: address,
      canonicalOf: ({ route }: { route: string }) => address(route),
      alternatesOf: () => [],
    },
  } as unknown as OutputContext;
  const items = [...sitemap(context)];
  const files = items.flatMap((item) =>
    'content' in item ? [[item.path, String(item.content)] as const] : [],
  );
  expect(files.map(([path, text]) => [path, text.match(/<loc>/g)?.length])).toEqual([
    ['sitemap-1.xml', 50_000],
    ['sitemap-2.xml', 1],
    ['sitemap.xml', 2],
  ]);
});
