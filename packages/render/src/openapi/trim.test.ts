import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { trimmedSpecYaml } from './trim.ts';
import { yamlText } from './trim-yaml.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const target = { kind: 'operation', spec: '', method: 'GET', path: '/a' } as const;

describe('the excerpt of an API description for one operation', () => {
  it('contains the operation and the components it references', () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '2', description: 'Long.' },
      servers: [{ url: 'https://api.example.com' }],
      security: [{ key: [] }],
      tags: [{ name: 'x' }],
      paths: {
        '/a': {
          parameters: [{ $ref: '#/components/parameters/p' }],
          get: {
            summary: 'A',
            'x-codeSamples': [],
            responses: { '200': { content: { 'application/json': { schema: ref('A') } } } },
          },
          post: {},
        },
        '/b': {},
      },
      components: {
        parameters: { p: { name: 'p', in: 'query', schema: { $ref: '#/paths/~1a/get/summary' } }, q: {} },
        schemas: { A: { properties: { b: ref('B'), self: ref('A') } }, B: { type: 'string' }, C: {} },
        securitySchemes: { key: { type: 'apiKey' }, other: {} },
      },
    };
    const expected = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '2' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/a': {
          parameters: [{ $ref: '#/components/parameters/p' }],
          get: {
            summary: 'A',
            responses: { '200': { content: { 'application/json': { schema: ref('A') } } } },
            security: [{ key: [] }],
          },
        },
      },
      components: {
        parameters: { p: { name: 'p', in: 'query', schema: 'A' } },
        schemas: { A: { properties: { b: ref('B'), self: ref('A') } }, B: { type: 'string' } },
        securitySchemes: { key: { type: 'apiKey' } },
      },
    };
    expect(parse(trimmedSpecYaml(document, target) ?? '')).toEqual(expected);
    expect(trimmedSpecYaml(document, target)).toBe(yamlText(expected));
  });

  it('does not depend on earlier excerpts', () => {
    const responses = { 'two hundred': ref('A'), 404: { description: 'No' }, 200: { description: 'Yes' } };
    const get = (...names: string[]) => ({
      get: {
        responses: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/responses/${name}` }]),
        ),
      },
    });
    const document = {
      paths: { '/a': get('two hundred', '404', '200'), '/b': get('404') },
      components: {
        responses,
        schemas: { A: { properties: { b: ref('B') } }, B: { const: 'x'.repeat(100) } },
      },
    };
    const other = { ...target, path: '/b' };
    const alone = [target, other].map((page) => trimmedSpecYaml(structuredClone(document), page));
    expect([other, target, other].map((page) => trimmedSpecYaml(document, page))).toEqual([
      alone[1],
      alone[0],
      alone[1],
    ]);
    expect(Object.keys((parse(alone[0] ?? '') as typeof document).components.responses)).toEqual([
      '200',
      '404',
      'two hundred',
    ]);
  });

  it('is undefined for a missing operation', () => {
    expect(trimmedSpecYaml({ paths: {} }, target)).toBeUndefined();
  });

  it('omits the farthest schemas above the size limit, with a note', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `S${index}`,
        {
          description: 'x'.repeat(2000),
          properties: { next: ref(`S${index + 1}`), far: ref(`S${index * 2}`) },
        },
      ]),
    );
    const document = {
      paths: { '/a': { get: { responses: { '200': { content: { j: { schema: ref('S1') } } } } } } },
      components: { schemas },
    };
    const text = trimmedSpecYaml(document, target) ?? '';
    expect(text.length).toBeLessThan(260_000);
    const kept = (parse(text) as { components: { schemas: Record<string, { description: string }> } })
      .components.schemas;
    expect(kept['S1']?.description).toHaveLength(2000);
    expect(Object.values(kept).at(-1)?.description).toBe('Omitted from this excerpt because of its size.');
  });

  it('terminates on cyclic references outside of components', () => {
    const document = { paths: { '/a': { get: { again: { $ref: '#/paths/~1a' } } } } };
    expect(trimmedSpecYaml(document, target)?.length).toBeLessThan(260_000);
  });
});
