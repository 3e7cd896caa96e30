import { describe, expect, it } from 'vitest';
import { at } from '../config/json.ts';
import { bundled, referredFiles } from './bundle.ts';
import type { JsonObject } from '../model/json.ts';

function bundle(document: JsonObject, parts: Record<string, JsonObject> = {}) {
  const missing: string[] = [];
  const whole = bundled(document, 'api/openapi.yaml', {
    read: (file) => parts[file],
    missing: (reference, file, reason) => missing.push(`${file}: ${reference}: ${reason}`),
  });
  return { whole, missing };
}

const schema = (reference: string): JsonObject => ({
  paths: { '/a': { get: { responses: { 200: { content: { json: { schema: { $ref: reference } } } } } } } },
});
const schemaIn = (whole: JsonObject): unknown =>
  at(whole, 'paths', '/a', 'get', 'responses', '200', 'content', 'json', 'schema');

describe('bundling', () => {
  it('keeps internal references, including cyclic ones', () => {
    const document = {
      ...schema('#/components/schemas/Node'),
      components: { schemas: { Node: { properties: { next: { $ref: '#/components/schemas/Node' } } } } },
    };
    expect(bundle(document)).toEqual({ whole: document, missing: [] });
  });

  it('inlines parts of other files under their names', () => {
    const { whole, missing } = bundle(schema('./models/user.yaml#/User'), {
      'api/models/user.yaml': { User: { properties: { team: { $ref: 'team.json' } } } },
      'api/models/team.json': { properties: { members: { items: { $ref: 'user.yaml#/User' } } } },
    });
    expect(missing).toEqual([]);
    expect(schemaIn(whole)).toEqual({ $ref: '#/components/schemas/User' });
    expect(at(whole, 'components', 'schemas')).toEqual({
      User: { properties: { team: { $ref: '#/components/schemas/team' } } },
      team: { properties: { members: { items: { $ref: '#/components/schemas/User' } } } },
    });
  });

  it('names a part after the component that references it', () => {
    const { whole } = bundle(
      { ...schema('models/user.yaml'), components: { schemas: { User: { $ref: 'models/user.yaml' } } } },
      { 'api/models/user.yaml': { properties: { friend: { $ref: 'user.yaml' } } } },
    );
    expect(schemaIn(whole)).toEqual({ $ref: '#/components/schemas/User' });
    expect(at(whole, 'components', 'schemas')).toEqual({
      User: { properties: { friend: { $ref: '#/components/schemas/User' } } },
    });
  });

  it('adds parameters, responses and bodies to their sections under unique names', () => {
    const { whole } = bundle(
      {
        paths: {
          '/a': {
            post: {
              parameters: [{ $ref: 'common.yaml#/Page' }],
              requestBody: { $ref: 'common.yaml#/Body' },
              responses: { 404: { $ref: 'common.yaml#/Gone' } },
            },
          },
        },
        components: { parameters: { Page: { name: 'other' } } },
      },
      { 'api/common.yaml': { Page: { name: 'page' }, Body: { content: {} }, Gone: { description: 'Gone' } } },
    );
    expect(whole['components']).toEqual({
      parameters: { Page: { name: 'other' }, 'Page-2': { name: 'page' } },
      requestBodies: { Body: { content: {} } },
      responses: { Gone: { description: 'Gone' } },
    });
  });

  it('inlines path items in place', () => {
    const { whole } = bundle(
      { paths: { '/a': { $ref: '../shared/a.yaml' } } },
      { 'shared/a.yaml': { get: { responses: { 200: { $ref: '#/ok' } } }, ok: { description: 'OK' } } },
    );
    expect(at(whole, 'paths', '/a', 'get', 'responses', '200')).toEqual({
      $ref: '#/components/responses/ok',
    });
  });

  it('uses the sections of Swagger 2 in Swagger 2', () => {
    const { whole } = bundle(
      { swagger: '2.0', ...schema('pet.yaml') },
      { 'api/pet.yaml': { type: 'object' } },
    );
    expect(whole['definitions']).toEqual({ pet: { type: 'object' } });
  });

  it('reports each unresolvable reference once, and never reads outside of the site', () => {
    const document = {
      a: schema('gone.yaml'),
      b: schema('gone.yaml'),
      c: schema('https://example.com/x.yaml'),
    };
    const { whole, missing } = bundle(document);
    expect(whole).toEqual(document);
    expect(missing).toEqual([
      'api/openapi.yaml: gone.yaml: there is no file "api/gone.yaml"',
      'api/openapi.yaml: https://example.com/x.yaml: it is on another host',
    ]);
  });

  it('terminates when files reference each other', () => {
    const { missing } = bundle(
      { paths: { $ref: 'a.yaml' } },
      { 'api/a.yaml': { $ref: 'b.yaml' }, 'api/b.yaml': { $ref: 'a.yaml' } },
    );
    expect(missing).toEqual(['api/b.yaml: a.yaml: it is inside of itself']);
  });
});

describe('the files a document refers to', () => {
  it('are relative to the root; URLs are ignored', () => {
    const document = {
      a: [{ $ref: '../x.yaml#/A' }, { $ref: '/y.json' }, { $ref: 'https://z/z' }, { $ref: '#/a' }],
    };
    expect(referredFiles(document, 'api/openapi.yaml')).toEqual(['x.yaml', 'y.json']);
  });
});
