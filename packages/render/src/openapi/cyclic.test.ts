/** Descriptions whose schemas all refer to each other: what a page and all pages together may cost is bounded. */
import { expect, it } from 'vitest';
import { renderFiles } from '../render-fixture.ts';
import { operationView } from './operation.ts';
import type { SchemaView } from './view.ts';

const schemaCount = 40;

function cyclicDescription(operations: number): Record<string, unknown> {
  const numbers = Array.from({ length: schemaCount }, (_, index) => index);
  const reference = (index: number) => ({ $ref: `#/components/schemas/S${index % schemaCount}` });
  const properties = Object.fromEntries(numbers.map((index) => [`p${index}`, reference(index)]));
  const content = (index: number) => ({ 'application/json': { schema: reference(index) } });
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
    info: { title: 'Cycles', version: '1' },
    paths: Object.fromEntries(Array.from({ length: operations }, (_, index) => pathOf(index))),
    components: {
      schemas: Object.fromEntries(numbers.map((index) => [`S${index}`, { type: 'object', properties }])),
    },
  };
}

function nodesIn(view: SchemaView): number {
  return 1 + view.properties.reduce((sum, { schema }) => sum + nodesIn(schema), 0);
}

function shownNodes(description: Record<string, unknown>, index: number): { nodes: number; isCut: boolean } {
  let isCut = false;
  const target = { kind: 'operation', spec: 'a', method: 'post', path: `/things${index}` } as const;
  const view = operationView(description, target, () => (isCut = true));
  const contents = [view?.body, ...(view?.responses ?? [])].flatMap((part) => part?.contents ?? []);
  const schemas = contents.flatMap(({ schema }) => schema ?? []);
  return { nodes: schemas.reduce((sum, schema) => sum + nodesIn(schema), 0), isCut };
}

it('3,000 operations with cyclic schemas share a budget, and each page has the same part of it', () => {
  const description = cyclicDescription(3000);
  for (const index of [0, 1, 1499, 2999]) {
    const { nodes, isCut } = shownNodes(description, index);
    expect(nodes).toBeLessThanOrEqual(1100);
    expect(nodes).toBeGreaterThan(500);
    expect(isCut).toBe(true);
  }
});

it('a page whose schemas are cut has a finding, and the site is rendered', async () => {
  const { codes, files } = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Cycles',
      theme: 'mint',
      colors: { primary: '#0055aa' },
      navigation: { groups: [{ group: 'API', openapi: 'openapi.json' }] },
    }),
    'openapi.json': JSON.stringify(cyclicDescription(2)),
  });
  expect(codes.filter((code) => code === 'openapi_cut')).toHaveLength(2);
  expect(
    [...files.keys()].filter((path) => /things\d|operation/.test(path) && path.endsWith('.html')),
  ).not.toEqual([]);
});

it('a description whose schemas fit has no such finding', () => {
  let isCut = false;
  const description = {
    openapi: '3.1.0',
    paths: { '/a': { get: { responses: { 200: { description: 'Done' } } } } },
  };
  operationView(
    description,
    { kind: 'operation', spec: 'a', method: 'get', path: '/a' },
    () => (isCut = true),
  );
  expect(isCut).toBe(false);
});
