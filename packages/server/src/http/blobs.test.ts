/** Downloads through signed links: complete files, ranges as in RFC 9110, and errors of invalid links. */
import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { markPurged } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

const bundle = randomBytes(10_000);
const sha256 = createHash('sha256').update(bundle).digest('hex');
const etag = `"sha256-${sha256}"`;
let context: TestContext;
let service: TestService;
let newLink: (ttlSeconds?: number) => Promise<{ path: string; jobId: string }>;
let path: string;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  newLink = async (ttlSeconds) => {
    const { id } = await createCompletedExport(context, tenant, project, bundle);
    const answer = await service.request(`/v1/static-export/jobs/${id}/bundle`, {
      ...jsonBody(ttlSeconds === undefined ? {} : { ttlSeconds }),
      key: tenant.key.key,
    });
    expect(answer.status).toBe(200);
    const { bundleUrl } = (await answer.json()) as { bundleUrl: string };
    expect(bundleUrl.startsWith(`${service.origin}/b/`)).toBe(true);
    return { path: bundleUrl.slice(service.origin.length), jobId: id };
  };
  ({ path } = await newLink());
});

const get = (headers: Record<string, string> = {}, method = 'GET', target = path) =>
  service.request(target, { method, headers });
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('a complete download', () => {
  test('the response has the length, the hash and the security headers of the file', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect((await bytesOf(answer)).equals(bundle)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-disposition': 'attachment; filename="bundle.tar.gz"',
      'content-length': '10000',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'application/gzip',
      etag,
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      'x-content-type-options': 'nosniff',
    });
  });

  test('HEAD returns the same headers and no content', async () => {
    const [head, whole] = [await get({}, 'HEAD'), await get()];
    expect(head.status).toBe(200);
    expect(await bytesOf(head)).toHaveLength(0);
    for (const name of ['content-length', 'etag', 'accept-ranges', 'content-type', 'content-disposition']) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
  });

  test('methods other than GET and HEAD are refused', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await get({}, method)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('a range request', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=100-199', 100, 199],
    ['bytes=9999-9999', 9999, 9999],
    ['bytes=5000-', 5000, 9999],
    ['bytes=0-', 0, 9999],
    ['bytes=9000-20000', 9000, 9999],
    ['bytes=-1', 9999, 9999],
    ['bytes=-500', 9500, 9999],
    ['bytes=-20000', 0, 9999],
  ])('the range %s returns bytes %i to %i', async (range, start, end) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/10000`);
    expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
    expect((await bytesOf(answer)).equals(bundle.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=10000-', 'bytes=10000-10001', 'bytes=99999999999999999999-', 'bytes=-0'])(
    'the range %s is answered 416 with the length of the file',
    async (range) => {
      const answer = await get({ range });
      expect(answer.status).toBe(416);
      expect(answer.headers.get('content-range')).toBe('bytes */10000');
      expect(await answer.json()).toMatchObject({ code: 'range_not_satisfiable' });
    },
  );

  test.each(['bytes=5-3', 'bytes=0-1,5-6', 'bytes=-', 'bytes=a-b', 'items=0-5', 'bytes 0-5'])(
    'the invalid range %s is ignored and the complete file is sent',
    async (range) => {
      const answer = await get({ range });
      expect(answer.status).toBe(200);
      expect(await bytesOf(answer)).toHaveLength(10_000);
    },
  );

  test('a range is sent when If-Range has the current tag, and the complete file otherwise', async () => {
    const right = await get({ range: 'bytes=0-9', 'if-range': etag });
    expect(right.status).toBe(206);
    await bytesOf(right);
    for (const condition of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const answer = await get({ range: 'bytes=0-9', 'if-range': condition });
      expect(answer.status).toBe(200);
      expect(await bytesOf(answer)).toHaveLength(10_000);
    }
  });

  test('HEAD returns the length of the range and no content', async () => {
    const answer = await get({ range: 'bytes=0-9' }, 'HEAD');
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-length')).toBe('10');
  });

  test('the ranges of a file add up to the file', async () => {
    const parts: Buffer[] = [];
    for (let start = 0; start < 10_000; start += 3000) {
      parts.push(await bytesOf(await get({ range: `bytes=${start}-${start + 2999}` })));
    }
    expect(Buffer.concat(parts).equals(bundle)).toBe(true);
  });
});

test('a client that already has the file is answered 304', async () => {
  for (const known of [etag, `"other", ${etag}`]) {
    const answer = await get({ 'if-none-match': known });
    expect(answer.status).toBe(304);
    expect(answer.headers.get('etag')).toBe(etag);
    expect(await bytesOf(answer)).toHaveLength(0);
  }
  expect(await bytesOf(await get({ 'if-none-match': '"other"' }))).toHaveLength(10_000);
});

describe('a link that is not valid', () => {
  test('a modified link is answered 403 without the id of its job', async () => {
    for (const changed of [
      path.replace('g=1', 'g=2'),
      path.replace(/e=\d+/, 'e=9999999999'),
      `${path.slice(0, -1)}_`,
    ]) {
      const answer = await get({}, 'GET', changed);
      const text = await answer.text();
      expect([changed, answer.status]).toEqual([changed, 403]);
      expect(text).toContain('link_invalid');
      expect(text).not.toContain('se_');
    }
  });

  test('a link that is used on another host is answered 403', async () => {
    // fetch cannot set the Host header, so the request uses another name of this machine.
    const otherHost = await fetch(`${service.origin.replace('127.0.0.1', 'localhost')}${path}`);
    expect(otherHost.status).toBe(403);
  });

  test('a malformed link is answered 404', async () => {
    for (const target of [
      '/b/',
      '/b/x',
      path.split('?')[0] ?? '',
      `${path}&x=1`,
      path.replace('v=1', 'v=3'),
    ]) {
      expect([target, (await get({}, 'GET', target)).status]).toEqual([target, 404]);
    }
  });

  test('an expired link is answered 410 with the request that creates a new one', async () => {
    const { path: short, jobId } = await newLink(60);
    context.clock.advance(59);
    expect((await get({}, 'HEAD', short)).status).toBe(200);
    context.clock.advance(1);
    const answer = await get({}, 'GET', short);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({
      code: 'link_expired',
      error: `This link has expired. Create a new one with POST /v1/static-export/jobs/${jobId}/bundle.`,
    });
  });

  test('a link to a purged bundle is answered 410', async () => {
    const { path: target, jobId } = await newLink();
    await markPurged(context, jobId);
    const answer = await get({}, 'GET', target);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ code: 'bundle_purged' });
  });

  test('a link is answered 410 when the file is missing or the job is deleted', async () => {
    const [first, second] = [await newLink(), await newLink()];
    await context.blobs.removeAll(first.jobId);
    await context.database.deleteFrom('jobs').where('id', '=', second.jobId).execute();
    for (const { path: target } of [first, second]) expect((await get({}, 'GET', target)).status).toBe(410);
  });
});
