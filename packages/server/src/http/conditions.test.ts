/** Conditions, encodings and media types of requests, as RFC 9110 defines them. */
import { get, type IncomingHttpHeaders } from 'node:http';
import { createConnection } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildOpenApi } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  createTestProject,
  serveForTest,
  type Tenant,
  type TestService,
} from '../../test/support/test-context.ts';

let service: TestService;
let tenant: Tenant;
let project: string;

beforeAll(async () => {
  const context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  const { id } = await createTestProject(context, tenant);
  project = `/v1/projects/${id}`;
});

const ask = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body: string | null = null,
) => service.request(path, { method, headers, body, key: tenant.key.key });

/** `fetch` would decompress the body. */
function rawGet(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(`${service.origin}${path}`, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    }).once('error', reject);
  });
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

async function tagOf(path: string): Promise<string> {
  const answer = await ask(path);
  await answer.arrayBuffer();
  return answer.headers.get('etag') ?? '';
}

describe('conditions', () => {
  test('a read with If-None-Match: * or the current tag is answered 304', async () => {
    for (const known of ['*', await tagOf(project), `"other", W/${await tagOf(project)}`])
      expect((await ask(project, { 'if-none-match': known })).status, known).toBe(304);
    expect((await ask(project, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('a read with an If-Match that does not hold is answered 412', async () => {
    expect((await ask(project, { 'if-match': await tagOf(project) })).status).toBe(200);
    expect((await ask(project, { 'if-match': '*' })).status).toBe(200);
    const refused = await ask(project, { 'if-match': '"other"' });
    expect(refused.status).toBe(412);
    expect(await codeOf(refused)).toBe('precondition_failed');
  });

  test('a change is carried out only when its If-Match holds', async () => {
    const change = (headers: Record<string, string>, name: string) =>
      ask(project, { ...headers, 'content-type': 'application/json' }, 'PATCH', JSON.stringify({ name }));
    const first = await tagOf(project);
    expect((await change({ 'if-match': first }, 'Renamed')).status).toBe(200);
    expect((await change({ 'if-match': first }, 'Renamed again')).status).toBe(412);
    expect((await change({ 'if-match': `W/${await tagOf(project)}` }, 'Weak')).status).toBe(412);
    expect((await change({ 'if-none-match': '*' }, 'Only if new')).status).toBe(412);
    expect((await change({ 'if-match': '*' }, 'Any')).status).toBe(200);
    expect(await (await ask(project)).json()).toMatchObject({ name: 'Any' });
  });

  test('a change of a missing resource fails with If-Match', async () => {
    const missing = `${project.slice(0, -2)}zz`;
    const body = JSON.stringify({ name: 'A' });
    const answer = await ask(missing, { 'if-match': '*', 'content-type': 'application/json' }, 'PATCH', body);
    expect([404, 412]).toContain(answer.status);
  });
});

describe('the body of a request', () => {
  const send = (headers: Record<string, string>) =>
    ask(project, headers, 'PATCH', JSON.stringify({ name: 'Docs' }));

  test('a compressed body is refused with the encodings that are accepted', async () => {
    const answer = await send({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect(answer.status).toBe(415);
    expect(answer.headers.get('accept-encoding')).toBe('identity');
    const plain = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    expect((await send(plain)).status).toBe(200);
  });

  test.each([
    ['application/json; charset=utf-8', 200],
    ['application/json; charset="UTF-8"', 200],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset=utf-16', 415],
    ['text/plain', 415],
  ])('a body of type %s is answered %i', async (type, status) => {
    expect((await send({ 'content-type': type })).status).toBe(status);
  });
});

describe('the OpenAPI document', () => {
  const read = (accepted: string, headers: Record<string, string> = {}) =>
    rawGet('/openapi.json', { 'accept-encoding': accepted, ...headers });

  test('the document is compressed as the client accepts it, and each encoding has its own tag', async () => {
    const expected = JSON.parse(JSON.stringify({ ...buildOpenApi(), servers: [{ url: '/' }] }));
    const forms = await Promise.all(['br', 'gzip', 'br;q=0, gzip;q=0', 'identity'].map((each) => read(each)));
    expect(forms.map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
      undefined,
    ]);
    const [br, gzip, plain] = forms.map(({ body }) => body) as [Buffer, Buffer, Buffer];
    for (const text of [brotliDecompressSync(br), gunzipSync(gzip), plain])
      expect(JSON.parse(text.toString())).toEqual(expected);
    expect(new Set(forms.slice(0, 3).map(({ headers }) => headers['etag'])).size).toBe(3);
    expect(forms.every(({ headers }) => headers['vary'] === 'accept-encoding')).toBe(true);
  });

  test('a client that already has the document is answered 304', async () => {
    const { headers } = await read('gzip');
    const tag = headers['etag'] ?? '';
    expect((await read('gzip', { 'if-none-match': tag })).status).toBe(304);
    expect((await read('gzip', { 'if-none-match': '*' })).status).toBe(304);
    expect((await read('br', { 'if-none-match': tag })).status).toBe(200);
    expect((await read('br', { 'if-match': tag })).status).toBe(412);
  });
});

test('a media type of weight zero is not sent', async () => {
  const types = async (accept: string) =>
    (await ask('/v1/projects/none', { accept })).headers.get('content-type');
  expect(await types('application/problem+json')).toBe('application/problem+json');
  expect(await types('application/problem+json;q=0')).toBe('application/json');
});

test('a request with two Host headers is refused and the connection is closed', async () => {
  const port = Number(new URL(service.origin).port);
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = createConnection(port, '127.0.0.1', () =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: a.example.com\r\nHost: b.example.com\r\n\r\n'),
    );
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('close', () => resolve(text)).once('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"invalid_request"');
});
