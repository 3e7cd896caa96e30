/** Validation of bodies and queries: every error names the field and says what to do. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  serveForTest,
  type Tenant,
  type TestService,
} from '../../test/support/test-context.ts';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  const context = await composeForTest({ LIMIT_BODY_BYTES: '5000' });
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

async function post(path: string, body: BodyInit | null, type = 'application/json') {
  const headers = type === '' ? {} : { 'content-type': type };
  const answer = await service.request(path, { method: 'POST', body, headers, key: tenant.key.key });
  const json = (await answer.json()) as {
    error: string;
    code: string;
    details?: { path: string; message: string }[];
  };
  return { status: answer.status, ...json };
}

const start = '/v1/static-export/jobs';
const keys = '/v1/api-keys';
const projects = '/v1/projects';

describe('an invalid field', () => {
  test.each([
    [start, {}, 'domain', 'This field is required (string).'],
    [start, { domain: 5 }, 'domain', 'expected string'],
    [start, { domain: null }, 'domain', 'expected string'],
    [start, { domain: '' }, 'domain', 'The domain is empty.'],
    [start, { domain: 'https://docs.example.com' }, 'domain', 'must not contain a scheme'],
    [start, { domain: 'docs.example.com/guides' }, 'domain', 'must not contain a path'],
    [start, { domain: 'docs.example.com:443' }, 'domain', 'must not contain a port'],
    [start, { domain: 'docs example com' }, 'domain', 'not a host name'],
    [start, { domain: 'a.example.com', paths: [] }, 'paths', ''],
    [start, { domain: 'a.example.com', paths: ['ok', 7] }, 'paths.1', 'expected string'],
    [start, { domain: 'a.example.com', ref: '--upload-pack=x' }, 'ref', 'must not begin with a dash'],
    [start, { domain: 'a.example.com', urlStyle: 'pretty' }, 'urlStyle', '"html"|"directory"|"clean"'],
    [start, { domain: 'a.example.com', strict: 'yes' }, 'strict', 'expected boolean'],
    [start, { domain: 'a.example.com', basePath: 'docs' }, 'basePath', 'must begin with a slash'],
    [start, { domain: 'a.example.com', basePath: '/a/../b' }, 'basePath', 'must not contain ".."'],
    [start, { domain: 'a.example.com', metadata: { a: 1 } }, 'metadata.a', 'expected string'],
    [keys, { name: '   ' }, 'name', ''],
    [keys, { name: 'CI', scopes: ['root'] }, 'scopes.0', ''],
    [keys, { name: 'CI', expiresInDays: 31 }, 'expiresInDays', ''],
    [
      keys,
      { name: 'CI', allowedAddresses: ['10.0.0.0/99'] },
      'allowedAddresses.0',
      'not an IP address or CIDR range',
    ],
    [projects, { name: 'Docs', domain: 'a.example.com' }, 'source', 'This field is required (object).'],
    [
      projects,
      { name: 'Docs', domain: 'a.example.com', source: {} },
      'source.repository',
      'required (string)',
    ],
    [
      projects,
      { name: 'D', domain: 'a.example.com', source: { repository: 'x', directory: '../y' } },
      'source.directory',
      '".."',
    ],
    [
      projects,
      { name: 'D', domain: 'a.example.com', source: { repository: 'ssh://x/y' } },
      'source',
      'ssh:// is not supported',
    ],
  ])('POST %s with %j reports the field %s: %s', async (path, body, field, message) => {
    const answer = await post(path, JSON.stringify(body));
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
    const detail = answer.details?.find((each) => each.path === field);
    expect(answer.details?.map((each) => each.path)).toContain(field);
    expect(detail?.message).toContain(message);
    expect(detail?.message).toMatch(/\.$|\?$/);
  });

  test('the error contains the first issue and the number of the others', async () => {
    const answer = await post(start, '{"domain":"a.example.com","strict":1,"urlStyle":2}');
    expect(answer.error).toMatch(/^`(strict|urlStyle)`: .* 1 more in `details`\.$/);
    expect(answer.details).toHaveLength(2);
  });

  test('the details list at most 50 issues', async () => {
    const answer = await post(start, JSON.stringify({ domain: 'a.example.com', paths: Array(200).fill(1) }));
    expect(answer.details).toHaveLength(50);
  });
});

describe('an unknown field', () => {
  test.each([
    [start, { domain: 'a.example.com', basepath: '/x' }, 'basepath', 'Did you mean `basePath`?'],
    [start, { domain: 'a.example.com', path: ['x'] }, 'path', 'Did you mean `paths`?'],
    [start, { domain: 'a.example.com', versoin: 'x' }, 'versoin', 'Did you mean `version`?'],
    [start, { domain: 'a.example.com', Strict: true }, 'Strict', 'Did you mean `strict`?'],
    [
      start,
      { domain: 'a.example.com', theme: 'x' },
      'theme',
      'Known fields: domain, version, paths, ref, basePath',
    ],
    [keys, { name: 'CI', admin: true }, 'admin', 'Known fields: name, scopes'],
    [
      projects,
      { name: 'D', domain: 'a.example.com', source: { repository: 'x', branch: 'y' } },
      'source.branch',
      'Unknown field.',
    ],
  ])('POST %s with %j reports the field %s: %s', async (path, body, field, message) => {
    const answer = await post(path, JSON.stringify(body));
    expect(answer.details?.find((each) => each.path === field)?.message).toContain(message);
  });
});

describe('the body of a request', () => {
  test.each([
    ['', 'The body is empty. Send a JSON object.'],
    ['  \n', 'The body is empty. Send a JSON object.'],
    ['{"domain": "a",}', 'at line 1, column 16'],
    ['{\n  "domain": oops\n}', 'at the unexpected o'],
    ['{"domain"', 'The body is not valid JSON'],
    ["{'domain': 'a'}", 'at line 1, column 2'],
  ])('the malformed body %j is reported: %s', async (body, message) => {
    expect(await post(start, body)).toMatchObject({
      status: 400,
      code: 'malformed_json',
      error: expect.stringContaining(message) as string,
    });
  });

  test('a body that is not UTF-8 is refused', async () => {
    const body = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    expect(await post(start, body)).toMatchObject({
      code: 'malformed_json',
      error: 'The body is not valid UTF-8.',
    });
  });

  test.each(['[]', '"text"', 'null', '7'])(
    'the body %s is refused because it is not an object',
    async (body) => {
      const answer = await post(start, body);
      expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(answer.error).toMatch(/^The body: .*object/);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of type %s is refused',
    async (type) => {
      expect(await post(start, '{"domain":"a.example.com"}', type)).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
        error: expect.stringContaining('Content-Type: application/json') as string,
      });
    },
  );

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.x+json',
  ])('a body of type %s is accepted', async (type) => {
    expect(await post(start, '{"domain":"unknown.example.com"}', type)).toMatchObject({ status: 404 });
  });

  test('a body over the limit is refused by its Content-Length and by its actual length', async () => {
    const large = JSON.stringify({ domain: 'a.example.com', version: 'x'.repeat(6000) });
    const refusal = { status: 413, code: 'payload_too_large', error: 'The body is larger than 5000 bytes.' };
    expect(await post(start, large)).toMatchObject(refusal);
    const stream = new Blob([large]).stream();
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: stream, duplex: 'half' };
    const answer = await service.request(start, { ...init, key: tenant.key.key });
    expect(answer.status).toBe(413);
  });

  test('an optional body may be omitted', async () => {
    const answer = await service.request(`${keys}/${tenant.key.id}/roll`, {
      method: 'POST',
      key: tenant.key.key,
    });
    expect(answer.status).toBe(201);
  });
});

describe('the query of a request', () => {
  const get = async (query: string) => {
    const answer = await service.request(`${start}?${query}`, { key: tenant.key.key });
    return {
      status: answer.status,
      ...((await answer.json()) as { error: string; details: { path: string; message: string }[] }),
    };
  };

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['status=done', 'status'],
    ['since=yesterday', 'since'],
    ['domain=https://x', 'domain'],
    ['cursor=', 'cursor'],
    ['cursor=x', 'cursor'],
  ])('the query ?%s is refused with the name of the parameter', async (query, field) => {
    expect(await get(query)).toMatchObject({ status: 400, details: [{ path: field }] });
  });

  test('a parameter that is given twice is refused', async () => {
    expect(await get('limit=1&limit=2')).toMatchObject({
      status: 400,
      error: '`limit` is given 2 times. Give it once.',
      details: [{ path: 'limit' }],
    });
  });

  test('an unknown parameter is refused with the most similar known name', async () => {
    expect(await get('limitt=3')).toMatchObject({
      status: 400,
      details: [{ path: 'limitt', message: 'Unknown field. Did you mean `limit`?' }],
    });
  });
});
