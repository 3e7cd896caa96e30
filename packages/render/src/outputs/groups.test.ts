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
/** The page of an operation of which the description does not say that it is restricted. */
const watch = (word: Secret) => `---
title: "${word}watchtitle"
groups: ["${secrets[word]}"]
openapi: "watch.json GET /${word}watch"
---
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
const unmarked = {
  ...description,
  paths: {
    '/openwatch': { get: operation('open') },
    '/amberwatch': { get: operation('amber') },
    '/birchwatch': { get: operation('birch') },
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
  'public.mdx':
    '---\ntitle: Lighthouse\npublic: true\n---\n\nLights. [Home](/index) [The description](/harbor.json)',
  'private/amberwatch.mdx': watch('amber'),
  'private/birchwatch.mdx': watch('birch'),
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
        {
          tab: 'ambertab',
          pages: ['private/amberhidden', { group: 'ambermore', pages: ['private/amberwatch'] }],
        },
        {
          tab: 'birchtab',
          versions: [
            { version: 'birchversion', pages: ['private/birchhidden', 'private/birchwatch'] },
            { version: 'birchlinks', pages: [{ group: 'birchlink', pages: ['private/birchpage'] }] },
          ],
        },
        {
          tab: 'Lights',
          groups: [{ group: 'Shore', public: true, pages: ['shore/beam', 'private/ambershore'] }],
        },
        { tab: 'API', openapi: 'harbor.json' },
      ],
    },
    redirects: [
      { source: '/amberold', destination: '/private/amberpage' },
      { source: '/birchold', destination: '/private/birchpage' },
    ],
  }),
  'index.mdx':
    '---\ntitle: Home\n---\n\nWelcome. [The description](/harbor.json) [Members](/private/amberpage#x) [Staff](/private)',
  'shore/beam.mdx': '---\ntitle: Beam\n---\n\nA beam.',
  'private/ambershore.mdx': '---\ntitle: ambershore\ngroups: [partners]\n---\n\nambershore',
  'private/birchlost.mdx': '---\ntitle: [birchlost\ngroups: [staff]\n---\n\n[birchgone](/birchgone)',
  'watch.mdx': '---\ntitle: Watch\nopenapi: "watch.json GET /openwatch"\n---\n',
  'watch.json': JSON.stringify(unmarked),
  'harbor.json': JSON.stringify(description),
  ...ofSecret('amber'),
  ...ofSecret('birch'),
};

/** Findings are for the authors of the site, except those in the files. */
const leaks = ({ files: written, reportFiles }: Rendered, word: string): string[] =>
  [...written, ...reportFiles].flatMap(([path, text]) =>
    path.includes(word) || text.includes(word) ? [path] : [],
  );

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

describe('an export for readers who have not signed in', () => {
  test('has only public pages, and no word of others in any file', async () => {
    const rendered = await withFolder(files, (root) =>
      renderFolder(root, { publicOnly: true, origin: 'https://docs.example.com' }),
    );
    for (const word of ['amber', 'birch', 'Welcome', 'opensummary', '/open'])
      expect(leaks(rendered, word)).toEqual([]);
    expect(rendered.report.pages).toBe(3);
    expect([...rendered.files.keys()]).toEqual(
      expect.arrayContaining(['public.html', 'public.md', 'shore/beam.html', 'index.html']),
    );
  });

  test('has no page of a site without public pages', async () => {
    const site = { 'index.mdx': '---\ntitle: Harbor\n---\n\namberword' };
    const rendered = await withFolder(site, (root) => renderFolder(root, { publicOnly: true }));
    expect(leaks(rendered, 'amberword')).toEqual([]);
    expect(rendered.report.pages).toBe(0);
  });
});
