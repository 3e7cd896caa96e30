/** Writes a site with one API description of a thousand operations and cyclic schemas, as large as the largest real ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundSite } from './find-sites.ts';

const operations = 1000;
const schemas = 200;

export function writeLargeApi(folder: string): FoundSite {
  mkdirSync(folder, { recursive: true });
  const navigation = { tabs: [{ tab: 'API', openapi: 'openapi.json' }] };
  write(folder, 'docs.json', {
    theme: 'mint',
    name: 'Large API',
    colors: { primary: '#0d9373' },
    navigation,
  });
  write(folder, 'openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Large API', version: '1.0.0' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(numbers(operations / 4).map((index) => [`/things-${index}/{id}`, path(index)])),
    components: {
      schemas: Object.fromEntries(numbers(schemas).map((index) => [`Thing${index}`, schema(index)])),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  });
  return { name: 'made: 1,000 operations, cyclic', root: folder };
}

function path(index: number): object {
  const thing = { $ref: `#/components/schemas/Thing${index % schemas}` };
  const content = { 'application/json': { schema: thing } };
  const operation = (verb: string, withBody: boolean): object => ({
    tags: [`Group ${index % 20}`],
    summary: `${verb} thing ${index}`,
    description: `${verb}s one thing of kind ${index}.`,
    parameters: [{ name: 'expand', in: 'query', schema: { type: 'boolean', default: false } }],
    ...(withBody ? { requestBody: { required: true, content } } : {}),
    responses: {
      200: { description: 'The thing.', content },
      404: { description: 'There is no such thing.' },
    },
  });
  return {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
    get: operation('Read', false),
    put: operation('Replace', true),
    patch: operation('Change', true),
    delete: operation('Remove', false),
  };
}

/** Each schema refers to itself, to the next one and to a distant one. */
function schema(index: number): object {
  const other = (step: number): object => ({ $ref: `#/components/schemas/Thing${(index + step) % schemas}` });
  return {
    type: 'object',
    required: ['id', 'state'],
    properties: {
      id: { type: 'string', format: 'uuid', readOnly: true },
      state: { type: 'string', enum: ['new', 'ready', 'gone'] },
      count: { type: 'integer', minimum: 0 },
      parent: other(0),
      next: other(1),
      related: { type: 'array', items: { oneOf: [other(1), other(schemas / 2)] } },
    },
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function write(folder: string, name: string, value: object): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}
