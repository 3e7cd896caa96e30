/** A site with pages for two groups, whose secret words must reach no other reader. */

/** Each group has words that begin with the name of a tree, in every place that an author can write. */
export const secrets = { amber: 'partners', birch: 'staff' } as const;
type Secret = keyof typeof secrets;
export const words = ['amber', 'birch'] as const;

const page = (word: Secret, matter = '') => `---
title: "${word}title"
description: "${word}description"
keywords: ["${word}keyword"]
groups: ["${secrets[word]}"]
${matter}---

import Snippet from '/snippets/${word}snippet.mdx';

## ${word}heading

${word}text ![${word}alt](/images/${word}picture.svg) [${word}gone](/${word}gone)

<Snippet />

<Update label="${word}update">
  ${word}news
</Update>
`;
const operation = (word: string, groups?: string[]) => ({
  summary: `${word}summary`,
  tags: [`${word}tag`],
  ...(groups && { 'x-mint': { groups } }),
  responses: {
    200: {
      description: `${word}response`,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${word}schema` } } },
    },
  },
});
const schema = (word: string) => ({
  type: 'object',
  properties: { [`${word}property`]: { type: 'string' } },
});
const description = {
  openapi: '3.1.0',
  info: { title: 'Harbor', version: '1' },
  paths: {
    '/open': { get: operation('open') },
    '/amberpath': { get: operation('amber', ['partners']) },
    '/birchpath': { post: operation('birch', ['staff']) },
  },
  components: {
    schemas: Object.fromEntries(['open', ...words].map((word) => [`${word}schema`, schema(word)])),
  },
};
const ofSecret = (word: Secret) => ({
  [`private/${word}page.mdx`]: page(word),
  [`private/${word}feed.mdx`]: page(word, 'rss: true\n'),
  [`snippets/${word}snippet.mdx`]: `${word}snippet`,
  [`images/${word}picture.svg`]: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>${word}drawing</title></svg>`,
});
export const openPages = {
  'index.mdx':
    '---\ntitle: Home\n---\n\nWelcome. [The description](/harbor.json) [Members](/private/amberpage)',
  'lights.mdx': '---\ntitle: Lights\npublic: true\n---\n\nThe lighthouse.',
};
export const canarySite: Record<string, string> = {
  ...openPages,
  'docs.json': JSON.stringify({
    name: 'Harbor',
    navigation: {
      tabs: [
        { tab: 'Guide', groups: [{ group: 'Start', pages: ['index', 'lights', 'private/amberfeed'] }] },
        { tab: 'ambertab', groups: [{ group: 'ambergroup', pages: ['private/amberpage'] }] },
        {
          tab: 'birchtab',
          groups: [{ group: 'birchgroup', pages: ['private/birchpage', 'private/birchfeed'] }],
        },
        { tab: 'API', openapi: 'harbor.json' },
      ],
    },
    redirects: [
      { source: '/amberold', destination: '/private/amberpage' },
      { source: '/birchold', destination: '/private/birchpage' },
    ],
  }),
  'harbor.json': JSON.stringify(description),
  ...ofSecret('amber'),
  ...ofSecret('birch'),
};
