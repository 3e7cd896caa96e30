/** Secret words of one group must not be in any file that another group gets. */
import { describe, expect, test } from 'vitest';
import { renderFolder, withFolder, type Rendered } from '../../test/support/render-fixture.ts';

/** Each group has words that begin with the name of a tree, in every place that an author can write. */
const secrets = { amber: 'partners', birch: 'staff' } as const;
type Secret = keyof typeof secrets;

const page = (word: Secret, more = '') => `---
title: "${word}title"
description: "${word}description"
keywords: ["${word}keyword"]
groups: ["${secrets[word]}"]
"og:title": "${word}og"
${more}---

import Snippet from '/snippets/${word}snippet.mdx';

## ${word}heading

${word}text [${word}link](/private/${word}page) ![${word}alt](/images/${word}picture.svg)

<Snippet />

<Update label="${word}update" tags={['${word}tag']}>
  ${word}news
</Update>
`;
const drawing = (word: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>${word}drawing</title></svg>`;
const operation = (word: string, groups?: string) => ({
  operationId: `${word}operation`,
  summary: `${word}summary`,
  description: `${word}description`,
  tags: [`${word}tag`],
  ...(groups === undefined ? {} : { 'x-mint': { groups: [groups] } }),
  responses: {
    200: {
      description: `${word}response`,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${word}schema` } } },
    },
  },
});
const restricted = (word: Secret) => ({ type: 'string', 'x-mint': { groups: [secrets[word]] } });
const description = {
  openapi: '3.1.0',
  info: { title: 'Harbor', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  tags: ['open', 'amber', 'birch'].map((word) => ({ name: `${word}tag`, description: `${word}about` })),
  paths: {
    '/open': { get: operation('open') },
    '/amberpath': { get: operation('amber', 'partners') },
    '/birchpath': { post: operation('birch', 'staff') },
  },
  components: {
    schemas: {
      openschema: {
        type: 'object',
        properties: {
          shown: { type: 'string' },
          amberproperty: restricted('amber'),
          birchproperty: restricted('birch'),
        },
        example: { shown: 'x', amberproperty: 'ambervalue', birchproperty: 'birchvalue' },
      },
      amberschema: { type: 'object', description: 'ambercomponent' },
      birchschema: { type: 'object', description: 'birchcomponent' },
    },
  },
};
const ofSecret = (word: Secret) => ({
  [`private/${word}page.mdx`]: page(word),
  [`private/${word}feed.mdx`]: page(word, 'rss: true\n'),
  [`private/${word}hidden.mdx`]: page(word, 'hidden: true\n'),
  [`snippets/${word}snippet.mdx`]: `${word}snippet`,
  [`images/${word}picture.svg`]: drawing(word),
});
const files = {
  'docs.json': JSON.stringify({
    name: 'Harbor',
    navigation: {
      tabs: [
        {
          tab: 'Guide',
          groups: [
            { group: 'Start', pages: ['index', 'private/amberfeed'] },
            { group: 'ambergroup', pages: ['private/amberpage'] },
            { group: 'birchgroup', tag: 'birchtag', pages: ['private/birchpage', 'private/birchfeed'] },
          ],
        },
        { tab: 'ambertab', pages: ['private/amberhidden'] },
        { tab: 'API', openapi: 'harbor.json' },
      ],
    },
    redirects: [
      { source: '/amberold', destination: '/private/amberpage' },
      { source: '/birchold', destination: '/private/birchpage' },
    ],
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nWelcome. [The description](/harbor.json)',
  'harbor.json': JSON.stringify(description),
  ...ofSecret('amber'),
  ...ofSecret('birch'),
};

const leaks = ({ files: written, reportFiles, diagnostics }: Rendered, word: Secret): string[] => [
  ...[...written, ...reportFiles].flatMap(([path, text]) =>
    path.includes(word) || text.includes(word) ? [path] : [],
  ),
  ...diagnostics.flatMap((finding) => (JSON.stringify(finding).includes(word) ? [finding.code] : [])),
];

describe('an export for groups', () => {
  test.each([
    ['readers without a group', [], ['amber', 'birch']],
    ['partners', ['partners'], ['birch']],
    ['staff', ['staff'], ['amber']],
  ] as const)('for %s has no word of others in any file', async (_, groups, hidden) => {
    const rendered = await withFolder(files, (root) =>
      renderFolder(root, { groups: [...groups], origin: 'https://docs.example.com' }),
    );
    for (const word of hidden) expect(leaks(rendered, word)).toEqual([]);
    const own = (['amber', 'birch'] as const).filter((word) => !(hidden as readonly string[]).includes(word));
    for (const word of own) {
      const text = [...rendered.files].map(([path, content]) => path + content).join('\n');
      const parts = 'title page heading text picture snippet news operation property component tag'.split(
        ' ',
      );
      expect(parts.filter((part) => !text.includes(word + part))).toEqual([]);
    }
    expect(rendered.files.get('harbor.json')).toContain('opensummary');
  });
});
