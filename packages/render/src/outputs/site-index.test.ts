import { expect, test } from 'vitest';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';

function parsed(text: string | undefined): Record<string, unknown> {
  return JSON.parse(text ?? '') as Record<string, unknown>;
}

test('the site index contains the navigation and the operations of every language, without hidden pages', async () => {
  const { files } = await renderFixture('outputs');
  expect(parsed(files.get('_docyard/site.json'))).toMatchInlineSnapshot(`
    {
      "description": "When the water comes, and when it goes.",
      "format": 1,
      "instructions": [
        "Times are in UTC.",
        "Heights are in metres.",
      ],
      "name": "Tide tables",
      "navigation": [
        {
          "entries": [
            {
              "entries": [
                {
                  "path": "",
                  "title": "Welcome",
                },
                {
                  "path": "guides/reading",
                  "title": "Reading [tables] & more",
                },
              ],
              "title": "Start",
            },
            {
              "entries": [
                {
                  "path": "changelog",
                  "title": "Changes",
                },
              ],
              "title": "News",
            },
            {
              "entries": [
                {
                  "path": "guides/harbour",
                  "title": "Harbours",
                },
              ],
              "title": "API",
            },
          ],
          "title": "en",
        },
        {
          "entries": [
            {
              "entries": [
                {
                  "path": "es",
                  "title": "Bienvenida",
                },
              ],
              "title": "Inicio",
            },
          ],
          "title": "es",
        },
        {
          "entries": [
            {
              "path": "guides/found",
              "title": "Found all the same",
            },
          ],
          "title": "Other pages",
        },
      ],
      "operations": [
        {
          "kind": "operation",
          "method": "GET",
          "path": "guides/harbour",
          "target": "/harbours/{id}",
          "title": "Harbours",
        },
      ],
    }
  `);
});

test('divisions with the same name share one section, and empty groups are omitted', async () => {
  const tab = (group: string, page: string) => ({ tab: 'Guides', groups: [{ group, pages: [page] }] });
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Tides',
      navigation: { tabs: [tab('Start', 'index'), tab('More', 'piers'), tab('Kept back', 'secret')] },
    }),
    'index.mdx': '---\ntitle: Start\n---\n',
    'piers.mdx': '---\ntitle: "`Piers`"\n---\n',
    'secret.mdx': '---\ntitle: Secret\nnoindex: true\n---\n',
  });
  expect(parsed(files.get('_docyard/site.json'))['navigation']).toEqual([
    {
      title: 'Guides',
      entries: [
        { title: 'Start', entries: [{ title: 'Start', path: '' }] },
        { title: 'More', entries: [{ title: 'Piers', path: 'piers' }] },
      ],
    },
  ]);
});
