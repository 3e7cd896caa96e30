import { describe, expect, test } from 'vitest';
import { checkExamples } from './check-examples.ts';
import { codeFences } from './code-fences.ts';

const document = {
  openapi: '3.1.0',
  servers: [{ url: 'https://api.example.com/v1' }],
  paths: {
    '/berths': {
      parameters: [{ $ref: '#/components/parameters/limit' }],
      get: { responses: { '200': { description: 'All.' } } },
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Berth' } } } },
        responses: {
          '201': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Berth' } } } },
          default: { content: { 'application/json': { schema: { required: ['error'] } } } },
        },
      },
    },
    '/berths/{id}': { delete: { responses: { '204': { description: 'Gone.' } } } },
    '/berths/free': { get: { responses: { '200': { description: 'Free.' } } } },
  },
  components: {
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
    schemas: {
      Berth: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', pattern: '^(a+)+$' },
          size: { enum: ['small', 'large'] },
        },
      },
    },
  },
};

function fence(language: string, code: string): string {
  return `Text.\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;
}

function messages(source: string): string[] {
  return checkExamples([{ file: 'page.mdx', source }], [document]).map(({ message }) => message);
}

const post = (body: string, more = '') =>
  fence(
    'bash',
    `curl -X POST https://api.example.com/v1/berths ${more} \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`,
  );

describe('a request with curl', () => {
  test.each([
    post('{ "name": "A1", "size": "small" }'),
    fence('bash', 'curl https://api.example.com/v1/berths?limit=3'),
    fence('sh', 'curl -XDELETE "$BASE/v1/berths/$ID"'),
    fence('bash', 'curl --request=DELETE {base}/v1/berths/7 | jq .'),
    fence('bash', 'curl https://other.example.com/v1/boats -d \'{"x": 1}\''),
    fence('bash', 'curl -F file=@a.png https://api.example.com/v1/berths'),
    fence('bash', 'curl -d @body.json https://api.example.com/v1/berths'),
    post('{ "name": "$NAME", ... }'),
    fence('json', '{ "name": 1 }'),
    fence('bash', 'echo curl https://api.example.com/v1/none'),
  ])('that fits has no finding: %s', (source) => {
    expect(messages(source)).toEqual([]);
  });

  test.each([
    [
      post('{ "name": 1 }'),
      'The request body of POST /berths does not match the API description: name must be string.',
    ],
    [post('{ "size": "small" }'), "the body must have required property 'name'"],
    [
      post('{ "name": "A1", "size": "huge" }'),
      'size must be equal to one of the allowed values: ["small","large"]',
    ],
    [post('{ "name": "A1", "colour": "red" }'), 'the body has no property "colour"'],
    [post('{ "name": "A1", }'), 'The request body of POST /berths is not valid JSON'],
    [
      fence('bash', 'curl https://api.example.com/v1/berths?max=3'),
      'GET /berths has no query parameter max.',
    ],
    [
      fence('bash', 'curl -X PUT https://api.example.com/v1/berths'),
      'The API description has no PUT /v1/berths. It describes GET, POST for this path.',
    ],
    [fence('bash', 'curl https://api.example.com/v1/boats'), 'The API description has no GET /v1/boats.'],
    [
      fence('bash', "curl -X DELETE https://api.example.com/v1/berths/7 --json '{}'"),
      'DELETE /berths/{id} has no request body.',
    ],
  ])('that differs has a finding: %s', (source, message) => {
    expect(messages(source)).toEqual([expect.stringContaining(message)]);
  });
});

describe('an http example', () => {
  const exchange = (request: string, response: string) => fence('http', `${request}\n\n${response}`);
  const request = 'POST /v1/berths HTTP/1.1\nHost: api.example.com\n\n{ "name": "A1" }';

  test('is compared with its request and the response after it', () => {
    expect(messages(exchange(request, 'HTTP/1.1 201 Created\n\n{ "id": "1", "name": "A1" }'))).toEqual([]);
    expect(messages(exchange(request, 'HTTP/1.1 201 Created\n\n{ "id": "1" }'))).toEqual([
      expect.stringContaining(
        'The response 201 of POST /berths does not match the API description: the body must have',
      ),
    ]);
    expect(messages(exchange(request, 'HTTP/1.1 404 Not Found\n\n{}'))).toEqual([
      expect.stringContaining("'error'"),
    ]);
    const removal = 'DELETE /v1/berths/1 HTTP/1.1\nHost: api.example.com';
    expect(messages(exchange(removal, 'HTTP/1.1 200 OK'))).toEqual([
      'DELETE /berths/{id} has no response 200.',
    ]);
  });

  test('with a fixed path is not taken for one with a variable', () => {
    expect(messages(exchange('GET /v1/berths/free HTTP/1.1', 'HTTP/1.1 200 OK'))).toEqual([]);
  });
});

test('a pattern that takes exponential time is not run', () => {
  const started = performance.now();
  expect(messages(post(`{ "name": "${'a'.repeat(40)}!" }`))).toEqual([]);
  expect(performance.now() - started).toBeLessThan(5000);
});

test('a description with a schema that cannot be compiled has no findings', () => {
  const broken = structuredClone(document) as Record<string, unknown>;
  broken['components'] = { schemas: { Berth: { $ref: '#/components/schemas/None' } } };
  const page = { file: 'page.mdx', source: post('{ "name": 1 }') };
  expect(checkExamples([page], [broken])).toEqual([]);
});

test('fences are found in components and lists, with their first line and further words', () => {
  const source = '<Tab>\n  ~~~bash title="x"\n  a\n    b\n  ```\n  ~~~\n</Tab>\n````md\n```js\n```\n````\n';
  expect(codeFences(source)).toEqual([
    { language: 'bash', words: ['title="x"'], line: 3, code: 'a\n  b\n```' },
    { language: 'md', words: [], line: 9, code: '```js\n```' },
  ]);
});
