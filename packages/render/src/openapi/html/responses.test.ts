import { expect, it } from 'vitest';
import { renderFiles } from '../../../test/support/render-fixture.ts';

const example = (value: string): object => ({
  'application/json': { schema: { type: 'string', example: value } },
});

const description = {
  openapi: '3.1.0',
  info: { title: 'Quay', version: '1' },
  paths: {
    '/ships': {
      get: {
        responses: {
          default: { description: 'Anything else', content: example('other') },
          '400': { description: 'Refused', content: example('refused') },
          '201': { description: 'Created', content: example('created') },
        },
      },
    },
  },
};

it('the response section and its samples open on the first success', async () => {
  const { files } = await renderFiles({
    'api.json': JSON.stringify(description),
    'index.mdx': '---\ntitle: Ships\nopenapi: api.json GET /ships\n---\n',
  });
  const html = files.get('index.html') ?? '';
  const open = [...html.matchAll(/aria-selected="true"[^>]*>(.*?)<\/button>/g)].map(([, label = '']) =>
    label.replaceAll(/<[^>]+>/g, ''),
  );
  expect(open.filter((label) => /^\d|default/.test(label))).toEqual(['201', '201']);
});
