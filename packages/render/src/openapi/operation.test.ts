import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationView, schemaPageView } from './operation.ts';
import { requestModel } from './request.ts';
import { requestSamples } from './samples.ts';
import { trimmedSpecYaml } from './trim.ts';
import type { OperationView } from './view.ts';
import type { JsonObject } from '../model/json.ts';

const target = { kind: 'operation', spec: 'api.yaml', method: 'POST', path: '/pets/{id}' } as const;

function view(operation: JsonObject, rest: JsonObject = {}, pathItem: JsonObject = {}): OperationView {
  const made = operationView({ ...rest, paths: { '/pets/{id}': { ...pathItem, post: operation } } }, target);
  if (!made) throw new Error('no view');
  return made;
}

describe('an operation', () => {
  it('is found by method and path, and missing otherwise', () => {
    expect(operationView({ paths: { '/pets/{id}/': { post: { summary: 'Add' } } } }, target)?.summary).toBe(
      'Add',
    );
    expect(operationView({ paths: { '/pets/{id}': { get: {} } } }, target)).toBeUndefined();
    expect(operationView({}, { ...target, method: '__proto__' })).toBeUndefined();
  });

  it('inherits the parameters of its path and overrides them in place', () => {
    const shared = [
      { name: 'id', in: 'path', schema: { type: 'string' } },
      { $ref: '#/components/parameters/page' },
      { $ref: '#/nowhere' },
    ];
    const own = [
      { name: 'page', in: 'query', required: true, example: 3, schema: { type: 'integer' } },
      { name: 'page', in: 'header' },
    ];
    const components = { parameters: { page: { name: 'page', in: 'query', schema: { type: 'string' } } } };
    expect(view({ parameters: own }, { components }, { parameters: shared }).parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, style: 'simple', explode: false },
      {
        name: 'page',
        in: 'query',
        required: true,
        example: '3',
        style: 'form',
        explode: true,
        schema: { type: 'integer' },
      },
      { name: 'page', in: 'header', required: false },
    ]);
  });

  it('has the innermost servers with their variables', () => {
    const servers = [{ url: '/v1/{stage}', variables: { stage: { enum: ['a', 'b'] } } }];
    expect(view({}, { servers }).servers).toEqual([
      {
        url: '/v1/{stage}',
        description: '',
        variables: [{ name: 'stage', initial: 'a', choices: ['a', 'b'], description: '' }],
      },
    ]);
    expect(view({ servers: [{ url: 'https://own' }] }, { servers }).servers).toMatchObject([
      { url: 'https://own' },
    ]);
    expect(view({}, { servers }, { servers: [{ url: 'https://path' }] }).servers).toMatchObject([
      { url: 'https://path' },
    ]);
  });

  it('has its own security or that of the document; an empty list allows anonymous requests', () => {
    const components = {
      securitySchemes: {
        key: { type: 'apiKey', in: 'query', name: 'k', 'x-default': 'demo' },
        web: { type: 'http', scheme: 'Bearer' },
      },
    };
    const security = [{ key: [], web: [] }, {}, { unknown: [] }];
    expect(view({}, { components, security }).security).toMatchObject([
      [
        { id: 'key', in: 'query', parameter: 'k', prefill: 'demo' },
        { id: 'web', in: 'header', parameter: 'Authorization', scheme: 'bearer' },
      ],
      [],
    ]);
    expect(view({ security: [] }, { components, security }).security).toEqual([]);
  });

  it('lists successful responses first, then the others in document order, with headers and examples', () => {
    const responses = {
      '404': { description: 'Missing' },
      default: { $ref: '#/components/responses/problem' },
      '201': {
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { example: { id: 1 } } },
      },
      'x-note': {},
    };
    const components = { responses: { problem: { description: 'Problem' } } };
    const shown = view({ responses }, { components }).responses;
    // JavaScript objects iterate integer keys first.
    expect(shown.map(({ status }) => status)).toEqual(['201', '404', 'default']);
    expect(shown[0]).toMatchObject({
      headers: [{ name: 'Location', in: 'header' }],
      contents: [{ type: 'application/json', examples: [{ language: 'json', text: '{\n  "id": 1\n}' }] }],
    });
    expect(shown[2]?.description).toBe('Problem');
  });

  it('omits read-only properties from its body', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
    };
    const content = { 'application/json': { schema } };
    const shown = view({ requestBody: { required: true, content }, responses: { '200': { content } } });
    expect(shown.body?.contents[0]?.schema?.properties.map(({ name }) => name)).toEqual(['name']);
    expect(shown.body?.contents[0]?.examples[0]).toMatchObject({
      isGenerated: true,
      text: '{\n  "name": "<string>"\n}',
    });
    expect(shown.responses[0]?.contents[0]?.examples[0]?.text).toContain('"id": 123');
  });

  it('shows its callbacks, but not their callbacks', () => {
    const inner = { post: { summary: 'Notified', callbacks: { again: { '{$url}': { post: {} } } } } };
    expect(view({ callbacks: { done: { '{$request.body#/url}': inner } } }).callbacks).toMatchObject([
      {
        name: 'done',
        url: '{$request.body#/url}',
        operation: { method: 'POST', summary: 'Notified', callbacks: [], servers: [] },
      },
    ]);
  });

  it('has code samples and external documentation from the specification', () => {
    const shown = view({
      'x-code-samples': [{ lang: 'Shell', source: 'pets add', label: 'CLI' }, { lang: 'go' }],
      externalDocs: { url: 'https://e.com' },
    });
    expect(shown.ownSamples).toEqual([{ language: 'shell', label: 'CLI', code: 'pets add' }]);
    expect(shown.externalDocs).toEqual({ url: 'https://e.com', description: '' });
  });

  it('may be a webhook with any method', () => {
    const document = {
      webhooks: { born: { put: { summary: 'Born' } } },
      servers: [{ url: 'https://e.com' }],
    };
    const shown = operationView(document, { kind: 'webhook', spec: '', method: 'WEBHOOK', name: 'born' });
    expect(shown).toMatchObject({ kind: 'webhook', method: 'PUT', path: 'born', servers: [] });
  });
});

describe('a schema page', () => {
  it('shows a schema by name, including unusual characters', () => {
    const document = {
      components: { schemas: { 'a/b~%41': { type: 'object', properties: { x: { const: 1 } } } } },
    };
    expect(schemaPageView(document, 'a/b~%41')).toMatchObject({
      schema: { type: 'object' },
      example: '{\n  "x": 1\n}',
    });
    expect(schemaPageView(document, 'constructor')).toBeUndefined();
  });
});

describe('an invalid document', () => {
  const keywords = [
    '$ref allOf oneOf anyOf type properties items required enum example examples default format',
    'schema content parameters in name post requestBody responses headers callbacks security servers',
    'url variables additionalProperties prefixItems discriminator mapping xml minimum minItems',
    'multipleOf x-codeSamples __proto__ 200 application/json text/xml multipart/form-data',
    'application/x-www-form-urlencoded value a constructor',
  ].flatMap((line) => line.split(' '));
  const keyword = fc.constantFrom(...keywords);
  const scalar = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1e308,
      1e9,
      '',
      'object',
      'array',
      'string',
      'binary',
      'query',
      'path',
      'deepObject',
      '\uD800',
    ),
    fc.constantFrom(
      '#',
      '#/paths/~1pets~1{id}',
      '#/paths/~1pets~1{id}/post',
      '#/components/schemas/A',
      '#/components/schemas/B',
    ),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(keyword, tie('value')), { maxLength: 6 })
        // Parsed like a file, so that `__proto__` is an ordinary key.
        .map(
          (entries) =>
            JSON.parse(
              `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(',')}}`,
            ) as unknown,
        ),
    ),
  }));

  it('yields bounded views without an exception', () => {
    const settings = {
      languages: ['curl', 'python', 'php', 'java', 'c', 'rust'],
      onlyRequired: false,
      prefill: false,
      generate: true,
    };
    fc.assert(
      fc.property(value, value, value, value, (operation, pathItem, first, second) => {
        const path = { ...(pathItem as object), post: operation };
        const document = {
          paths: { '/pets/{id}': path },
          components: { schemas: { A: first, B: second } },
          security: [{ A: [] }],
        };
        const shown = operationView(document, target);
        if (shown) {
          requestModel(shown);
          requestSamples(shown, settings);
          requestSamples(shown, { ...settings, onlyRequired: true });
        }
        trimmedSpecYaml(document, target);
        schemaPageView(document, 'A');
        expect(JSON.stringify(shown ?? null).length).toBeLessThan(10_000_000);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
