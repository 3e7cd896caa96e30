/** Descriptions whose schemas all refer to each other have a bounded cost per page and per site. */
import { expect, it } from 'vitest';
import { loadSite, renderSite } from '../index.ts';
import { renderFiles, withFolder } from '../../test/support/render-fixture.ts';
import { operationView } from './operation.ts';
import { pageNodeLimit } from './page-nodes.ts';
import { maxPageNodes } from './schema.ts';
import type { SchemaView } from './view.ts';

const schemaCount = 40;

type Description = Record<string, unknown>;

function describe(operations: number, schemas: object, bodyOf: (index: number) => object): Description {
  const content = (index: number) => ({ 'application/json': { schema: bodyOf(index) } });
  const pathOf = (index: number): [string, object] => [
    `/things${index}`,
    {
      post: {
        requestBody: { content: content(index) },
        responses: { 200: { description: 'Done', content: content(index + 1) } },
      },
    },
  ];
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: Object.fromEntries(Array.from({ length: operations }, (_, index) => pathOf(index))),
    components: { schemas },
  };
}

function cyclicDescription(operations: number): Description {
  const numbers = Array.from({ length: schemaCount }, (_, index) => index);
  const reference = (index: number) => ({ $ref: `#/components/schemas/S${index % schemaCount}` });
  const properties = Object.fromEntries(numbers.map((index) => [`p${index}`, reference(index)]));
  const schemas = Object.fromEntries(numbers.map((index) => [`S${index}`, { type: 'object', properties }]));
  return describe(operations, schemas, reference);
}

/** Each schema has three levels and shares parts with others, as in large real APIs. */
function honestDescription(operations: number): Description {
  const fields = (count: number, schema: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, schema]));
  const part = { type: 'object', properties: fields(12, { type: 'string', description: 'A field.' }) };
  const section = { type: 'object', properties: fields(6, { $ref: '#/components/schemas/Part' }) };
  const entities = Array.from({ length: operations + 1 }, (_, index) => [
    `Entity${index}`,
    { type: 'object', properties: fields(10, { $ref: '#/components/schemas/Section' }) },
  ]);
  const schemas = { Part: part, Section: section, ...Object.fromEntries(entities) };
  return describe(operations, schemas, (index) => ({ $ref: `#/components/schemas/Entity${index}` }));
}

const targetOf = (index: number) =>
  ({ kind: 'operation', spec: 'a', method: 'post', path: `/things${index}` }) as const;

function pagesOf(document: Description, operations: number) {
  return Array.from({ length: operations }, (_, index) => ({ document, target: targetOf(index) }));
}

function nodesIn(view: SchemaView): number {
  return 1 + view.properties.reduce((sum, { schema }) => sum + nodesIn(schema), 0);
}

function schemasOf(description: Description, index: number, maxNodes: number) {
  let isCut = false;
  const view = operationView(description, targetOf(index), { maxNodes, reportCut: () => (isCut = true) });
  const contents = [view?.body, ...(view?.responses ?? [])].flatMap((part) => part?.contents ?? []);
  return { schemas: contents.flatMap(({ schema }) => schema ?? []), isCut };
}

function siteOf(description: Description): Record<string, string> {
  return {
    'docs.json': JSON.stringify({
      name: 'Things',
      theme: 'mint',
      colors: { primary: '#0055aa' },
      navigation: { groups: [{ group: 'API', openapi: 'openapi.json' }] },
    }),
    'openapi.json': JSON.stringify(description),
  };
}

interface SiteSize {
  pages: number;
  largestPage: number;
  bytes: number;
  cutPages: string[];
}

async function renderedSize(description: Description): Promise<SiteSize> {
  return withFolder(siteOf(description), async (root) => {
    const size: SiteSize = { pages: 0, largestPage: 0, bytes: 0, cutPages: [] };
    for await (const event of renderSite(await loadSite({ root }))) {
      if (event.type === 'diagnostic' && event.diagnostic.code === 'openapi_cut')
        size.cutPages.push(event.diagnostic.message);
      if (event.type !== 'file' || !('read' in event.file.content)) continue;
      size.bytes += event.file.content.sizeBytes;
      if (!/post-things\d+\.html$/.test(event.file.path)) continue;
      size.pages++;
      size.largestPage = Math.max(size.largestPage, event.file.content.sizeBytes);
    }
    return size;
  });
}

it('pages of a large cyclic description have the same size and stay within the limit of the site', () => {
  const description = cyclicDescription(3000);
  const maxNodes = pageNodeLimit(pagesOf(description, 3000));
  expect(maxNodes).toBe(1000);
  for (const index of [0, 1, 1499, 2999]) {
    const { schemas, isCut } = schemasOf(description, index, maxNodes);
    for (const schema of schemas) expect(nodesIn(schema)).toBeGreaterThan(400);
    expect(schemas.reduce((sum, schema) => sum + nodesIn(schema), 0)).toBeLessThanOrEqual(1100);
    expect(isCut).toBe(true);
  }
});

it('a schema that two operations refer to has one view', () => {
  const description = cyclicDescription(80);
  const [first] = schemasOf(description, 0, maxPageNodes).schemas;
  const [second] = schemasOf(description, schemaCount, maxPageNodes).schemas;
  expect(second).toBe(first);
});

it('1,500 operations with distinct large schemas are shown completely', () => {
  const description = honestDescription(1500);
  const maxNodes = pageNodeLimit(pagesOf(description, 1500));
  expect(maxNodes).toBe(maxPageNodes);
  for (const index of [0, 1, 750, 1499]) {
    const { schemas, isCut } = schemasOf(description, index, maxNodes);
    expect(schemas.map(nodesIn)).toEqual([791, 791]);
    expect(isCut).toBe(false);
  }
});

it('only the largest pages of an oversized site are truncated', () => {
  const document = cyclicDescription(4);
  const small = describe(4, {}, () => ({ type: 'object', properties: { a: {}, b: {} } }));
  const limit = pageNodeLimit([...pagesOf(document, 2), ...pagesOf(small, 2)], 1012);
  expect(limit).toBe(500);
});

it('a truncated page is reported, and the site is rendered', async () => {
  const { diagnostics, files } = await renderFiles(siteOf(cyclicDescription(2)));
  const messages = diagnostics.filter(({ code }) => code === 'openapi_cut').map(({ message }) => message);
  expect(messages).toHaveLength(2);
  expect(messages[0]).toContain('things0');
  expect([...files.keys()].some((path) => path.includes('things0') && path.endsWith('.html'))).toBe(true);
});

it.runIf(process.env['LONG_TESTS'] !== undefined)(
  'the site of 3,000 operations with cyclic schemas is rendered completely within its budget',
  async () => {
    const { pages, largestPage, bytes, cutPages } = await renderedSize(cyclicDescription(3000));
    expect(pages).toBe(3000);
    expect(largestPage).toBeLessThan(500_000);
    expect(bytes).toBeLessThan(1_500_000_000);
    expect(cutPages).toHaveLength(3000);
  },
  240_000,
);
