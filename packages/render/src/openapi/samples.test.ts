import { describe, expect, it } from 'vitest';
import { operationView } from './operation.ts';
import { requestModel, sampleRequest } from './request.ts';
import { requestSamples } from './samples.ts';
import type { OperationView } from './view.ts';
import type { JsonObject } from '../model/json.ts';

const settings = { languages: [] as string[], onlyRequired: false, prefill: false, generate: true };
const hostile = `'";\`\${a}#{b}\\ $c \n</script>\u2019"""`;

function view(operation: JsonObject, path = '/pets', rest: JsonObject = {}): OperationView {
  const document = {
    servers: [{ url: 'https://api.example.com/v1/' }],
    ...rest,
    paths: { [path]: { post: operation } },
  };
  const made = operationView(document, { kind: 'operation', spec: '', method: 'POST', path });
  if (!made) throw new Error('no view');
  return made;
}

const json = (example: unknown) => ({ requestBody: { content: { 'application/json': { example } } } });
const code = (shown: OperationView, language: string) =>
  requestSamples(shown, { ...settings, languages: [language] })[0]?.code;

describe('the request of an operation', () => {
  const parameter = (name: string, place: string, more: JsonObject = {}) => ({
    name,
    in: place,
    schema: { type: 'string' },
    ...more,
  });
  const url = (...parameters: JsonObject[]) =>
    sampleRequest(view({ parameters }, '/pets/{id}/{other}'), false).url;

  it('fills the path and the query with examples and marks what is missing', () => {
    expect(
      url(
        parameter('id', 'path', { example: 'a/b' }),
        parameter('q', 'query', { required: true }),
        parameter('no', 'query'),
        parameter('yes', 'query', { example: 'ä' }),
      ),
    ).toBe('https://api.example.com/v1/pets/a%2Fb/{other}?q=<q>&yes=%C3%A4');
  });

  it.each([
    [{ schema: { type: 'array', items: {} }, example: ['a', 'b'] }, 'f=a&f=b'],
    [{ schema: { type: 'array', items: {} }, example: ['a', 'b'], explode: false }, 'f=a,b'],
    [{ schema: { type: 'array', items: {} }, example: ['a', 'b'], style: 'pipeDelimited' }, 'f=a|b'],
    [{ schema: { type: 'object' }, example: { a: 1 }, style: 'deepObject' }, 'f[a]=1'],
    [{ schema: { type: 'object' }, example: { a: 1, b: 2 } }, 'a=1&b=2'],
    [{ schema: { type: 'object' }, example: { a: 1, b: 2 }, explode: false }, 'f=a,1,b,2'],
  ])('writes %j as %s', (more, query) => {
    expect(url(parameter('f', 'query', more)).split('?')[1]).toBe(query);
  });

  it('has placeholders for credentials', () => {
    const securitySchemes = {
      web: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      header: { type: 'apiKey', in: 'header', name: 'X-Key' },
      query: { type: 'apiKey', in: 'query', name: 'key' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
    };
    const sent = (id: string) =>
      sampleRequest(
        view({ security: [{}, { [id]: [] }] }, '/pets', { components: { securitySchemes } }),
        false,
      );
    expect(sent('web').headers).toEqual([['Authorization', 'Bearer <token>']]);
    expect(sent('basic').headers).toEqual([['Authorization', 'Basic <credentials>']]);
    expect(sent('header').headers).toEqual([['X-Key', '<api-key>']]);
    expect(sent('query').url).toBe('https://api.example.com/v1/pets?key=<api-key>');
    expect(sent('cookie').headers).toEqual([['Cookie', 'sid=<api-key>']]);
  });

  it('has a host even when the server has none', () => {
    expect(sampleRequest(view({}, '/pets', { servers: [{ url: '/v2' }] }), false).url).toBe(
      'https://example.com/v2/pets',
    );
    expect(sampleRequest(view({}, '/pets', { servers: [] }), false).url).toBe('https://example.com/pets');
  });

  it('omits optional parameters when configured', () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { const: 1 }, b: { const: 2 } } };
    const shown = view({
      parameters: [parameter('x', 'query', { example: '1' })],
      requestBody: { content: { 'application/json': { schema } } },
    });
    expect(sampleRequest(shown, true)).toMatchObject({
      url: 'https://api.example.com/v1/pets',
      body: { value: { a: 1 } },
    });
    expect(sampleRequest(shown, false)).toMatchObject({
      url: 'https://api.example.com/v1/pets?x=1',
      body: { value: { a: 1, b: 2 } },
    });
  });
});

describe('samples', () => {
  it('are in eight languages by default, or in the configured ones in their order', () => {
    const labels = (languages: string[]) =>
      requestSamples(view({}), { ...settings, languages }).map(({ label }) => label);
    expect(labels([])).toEqual(['cURL', 'Python', 'JavaScript', 'PHP', 'Go', 'Java', 'Ruby', 'C#']);
    expect(labels(['rust', 'bash', 'cobol', 'curl', 'dotnet'])).toEqual(['Rust', 'cURL', 'C#']);
  });

  it('of the specification come first and replace generated ones', () => {
    const shown = view({ 'x-codeSamples': [{ lang: 'bash', label: 'CLI', source: 'pets' }] });
    const samples = requestSamples(shown, { ...settings, languages: ['python', 'curl'] });
    expect(samples.map(({ label, language }) => [label, language])).toEqual([
      ['CLI', 'bash'],
      ['Python', 'python'],
    ]);
    expect(requestSamples(shown, { ...settings, generate: false })).toHaveLength(1);
  });

  it('are idiomatic', () => {
    const shown = view(json({ name: 'Tom', ok: true, none: null }));
    expect(code(shown, 'curl')).toBe(
      `curl --request POST \\\n  --url 'https://api.example.com/v1/pets' \\\n  --header 'Content-Type: application/json' \\\n  --data '{\n  "name": "Tom",\n  "ok": true,\n  "none": null\n}'`,
    );
    expect(code(shown, 'python')).toContain(
      'payload = {\n    "name": "Tom",\n    "ok": True,\n    "none": None\n}',
    );
    expect(code(shown, 'php')).toContain(
      `json_encode([\n    'name' => 'Tom',\n    'ok' => true,\n    'none' => null\n  ])`,
    );
    expect(code(shown, 'javascript')).toContain('body: JSON.stringify({\n    "name": "Tom",');
  });

  it('send files and fields of forms', () => {
    const schema = {
      type: 'object',
      properties: { photo: { type: 'string', format: 'binary' }, note: { example: '@home' } },
    };
    const form = (type: string) => view({ requestBody: { content: { [type]: { schema } } } });
    expect(code(form('multipart/form-data'), 'curl')).toContain(
      `--form 'photo=@path/to/file' \\\n  --form-string 'note=@home'`,
    );
    expect(code(form('multipart/form-data'), 'curl')).not.toContain('Content-Type');
    expect(code(form('application/x-www-form-urlencoded'), 'curl')).toContain(
      `--data-urlencode 'note=@home'`,
    );
    expect(code(view({ requestBody: { content: { 'application/pdf': {} } } }), 'curl')).toContain(
      `--data-binary '@path/to/file'`,
    );
  });

  /** Every character that could end the literal is escaped. */
  it.each([
    ['curl', String.raw`'\''";`],
    ['python', String.raw`"'\";`],
    ['php', String.raw`'\'";`],
    ['ruby', String.raw`'\'";`],
    ['powershell', `'''";`],
    ['kotlin', String.raw`"'\";` + '`' + String.raw`\${a}`],
    ['dart', String.raw`"'\";` + '`' + String.raw`\${a}`],
    ['swift', String.raw`"'\";`],
    ['c', String.raw`"'\";`],
  ])('escape hostile text in %s', (language, opening) => {
    const shown = view({
      parameters: [{ name: 'h', in: 'header', required: true, example: hostile }],
      ...json('x'),
    });
    expect(code(shown, language)).toContain(opening.slice(language === 'curl' ? 0 : 1));
    expect(code(shown, language)).not.toContain(`: ${hostile}`);
  });

  it('omit headers with an invalid name', () => {
    const shown = view({ parameters: [{ name: "a'\nb", in: 'header', required: true, schema: {} }] });
    expect(sampleRequest(shown, false).headers).toEqual([]);
  });
});

describe('the model of the request form', () => {
  it('contains the location and initial value of each field', () => {
    const shown = view(
      {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', default: 10, enum: [10, 20] } },
          {
            name: 'tone',
            in: 'header',
            example: 'soft',
            schema: { type: 'string', default: 'loud', 'x-default': 'mild' },
          },
        ],
        requestBody: {
          content: {
            'application/json': { example: { a: 1 } },
            'multipart/form-data': {
              schema: {
                required: ['f'],
                properties: { f: { type: 'string', format: 'binary' }, n: { example: 2 } },
              },
            },
          },
        },
        security: [{ key: [] }],
      },
      '/pets',
      {
        components: {
          securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key', 'x-default': 'demo' } },
        },
      },
    );
    expect(requestModel(shown)).toMatchObject({
      method: 'POST',
      path: '/pets',
      servers: [{ url: 'https://api.example.com/v1/' }],
      parameters: [
        { name: 'limit', in: 'query', initial: '10', choices: ['10', '20'] },
        { name: 'tone', in: 'header', initial: 'mild', example: 'soft' },
      ],
      security: [[{ id: 'key', in: 'header', parameter: 'X-Key', initial: 'demo' }]],
      bodies: [
        { type: 'application/json', initial: '{\n  "a": 1\n}', fields: [] },
        {
          type: 'multipart/form-data',
          initial: '',
          fields: [
            { name: 'f', required: true, isFile: true, initial: '' },
            { name: 'n', required: false, isFile: false, initial: '2' },
          ],
        },
      ],
    });
  });
});
