import { describe, expect, it } from 'vitest';
import { at } from '../config/json.ts';
import { upgraded } from './upgrade.ts';

describe('upgrading documents to OpenAPI 3.1', () => {
  it('turns Swagger 2 into servers, request bodies and components', () => {
    const document = upgraded({
      swagger: 2,
      host: 'api.example.com',
      basePath: '/v1',
      schemes: ['https'],
      paths: {
        '/pets': {
          post: {
            consumes: ['application/json'],
            parameters: [{ name: 'pet', in: 'body', schema: { $ref: '#/definitions/Pet' } }],
            responses: { '200': { description: 'OK' } },
          },
        },
      },
      definitions: { Pet: { type: 'object', properties: { friend: { $ref: '#/definitions/Pet' } } } },
    });
    expect(document['openapi']).toMatch(/^3\.1/);
    expect(document['servers']).toEqual([{ url: 'https://api.example.com/v1' }]);
    const body = at(
      document,
      'paths',
      '/pets',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    );
    expect(body).toEqual({ $ref: '#/components/schemas/Pet' });
    expect(at(document, 'components', 'schemas', 'Pet', 'properties', 'friend')).toEqual(body);
  });

  it('keeps the rest of a Swagger 2 document when parts of it have the wrong shape', () => {
    const document = upgraded({
      swagger: '2.0',
      parameters: { Bad: null },
      paths: {
        '/broken': {
          get: {
            parameters: [{ name: 'no place' }, null],
            produces: 'application/json',
            responses: { 200: null },
          },
          post: null,
          parameters: 'none',
        },
        '/fine': { get: { summary: 'Fine', parameters: [{ name: 'q', in: 'query', type: 'string' }] } },
      },
    });
    expect(Object.keys(at(document, 'paths', '/broken') as object)).toContain('get');
    expect(at(document, 'paths', '/fine', 'get')).toMatchObject({
      summary: 'Fine',
      parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
    });
  });

  it('converts nullable types and examples', () => {
    const document = upgraded({
      openapi: '3.0.3',
      paths: {},
      components: { schemas: { A: { type: 'string', nullable: true, example: 'x' } } },
    });
    expect(at(document, 'components', 'schemas', 'A')).toEqual({ type: ['string', 'null'], examples: ['x'] });
  });

  it('treats an incomplete version as 3.0', () => {
    const document = upgraded({
      openapi: 3,
      components: { schemas: { A: { type: 'string', nullable: true } } },
    });
    expect(at(document, 'components', 'schemas', 'A')).toEqual({ type: ['string', 'null'] });
  });

  it('does not change 3.1 and later', () => {
    const document = { openapi: '3.1.0', paths: {} };
    expect(upgraded(document)).toBe(document);
  });
});
