import { afterAll, describe, expect, it } from 'vitest';
import { DocyardClient, DocyardError, pause, retryAfterSeconds, type ClientOptions } from './client.ts';
import { closeServers, cut, sendJson, serve } from '../test/support/scripted-server.ts';

const me = { organization: { id: 'org_1', name: 'Example', plan: 'enterprise' } };
const job = { jobId: 'se_1', status: 'queued' };
const start = { body: { domain: 'docs.example.com' } };
const params = { jobId: 'se_1' };

function clientOf(baseUrl: string, more: Partial<ClientOptions> = {}): DocyardClient {
  return new DocyardClient({ baseUrl, apiKey: 'docyard_key', ...more });
}

async function failureOf(call: Promise<unknown>): Promise<DocyardError> {
  const failure = await call.then(
    () => new Error('The call succeeded.'),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DocyardError);
  return failure as DocyardError;
}

afterAll(closeServers);

describe('a request of the client', () => {
  it('a request carries the key, the path and the body', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 202, job));
    await clientOf(`${url}/`).call('startExport', start);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/static-export/jobs',
        body: '{"domain":"docs.example.com"}',
        headers: {
          authorization: 'Bearer docyard_key',
          accept: 'application/json',
          'content-type': 'application/json',
        },
      },
    ]);
  });

  it('a base URL may have a path', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, me));
    await clientOf(`${url}/docyard/`).call('readMe');
    expect(requests[0]?.path).toBe('/docyard/v1/me');
  });

  it('parameters are escaped and undefined query fields are omitted', async () => {
    const { url, requests } = await serve((response) =>
      sendJson(response, 200, { data: [], nextCursor: null }),
    );
    const client = clientOf(url);
    await client.call('readExport', { params: { jobId: 'a/b ?c' } });
    await client.call('listExports', {
      query: { limit: 5, since: '2030-01-01T00:00:00+01:00', cursor: undefined },
    });
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/static-export/jobs/a%2Fb%20%3Fc',
      '/v1/static-export/jobs?limit=5&since=2030-01-01T00%3A00%3A00%2B01%3A00',
    ]);
  });

  it.each(['', '.', '..'])(
    'is not sent with the id %j, which would address something else',
    async (jobId) => {
      const { url, requests } = await serve((response) => sendJson(response, 204, undefined));
      await expect(clientOf(url).call('deleteExport', { params: { jobId } })).rejects.toThrow(
        'deleteExport: invalid jobId',
      );
      expect(requests).toEqual([]);
    },
  );

  it('a request without its optional body has no body and no content type', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, {}));
    await clientOf(url).call('createBundle', { params });
    expect(requests[0]?.body).toBe('');
    expect(requests[0]?.headers).toMatchObject({ 'content-length': '0' });
    expect(requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('an optional body is sent when it is given', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, {}));
    await clientOf(url).call('createBundle', { params, body: { ttlSeconds: 60 } });
    expect(requests[0]?.body).toBe('{"ttlSeconds":60}');
  });

  it('a header of the caller replaces the default header, regardless of case', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 202, job));
    await clientOf(url).call('startExport', start, { headers: { 'Idempotency-Key': 'mine' } });
    expect(requests[0]?.headers['idempotency-key']).toBe('mine');
  });

  it('a client without a key sends the session cookie', async () => {
    const sent: RequestInit[] = [];
    const fetching = (_url: unknown, init: RequestInit = {}) => {
      sent.push(init);
      return Promise.resolve(Response.json({}, { status: 201 }));
    };
    const client = new DocyardClient({ baseUrl: 'http://127.0.0.1:9', fetch: fetching });
    await client.call('readMe');
    await client.call('signIn', { body: { email: 'ada@example.com', password: 'a lighthouse keeper' } });
    for (const { headers, credentials } of sent) {
      expect(credentials).toBe('same-origin');
      expect(new Headers(headers).has('authorization')).toBe(false);
      expect(new Headers(headers).has('idempotency-key')).toBe(false);
    }
  });

  it('whitespace around a key is removed, and an invalid key is refused without being quoted', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, me));
    await clientOf(url, { apiKey: ' docyard_key\n' }).call('readMe');
    expect(requests[0]?.headers.authorization).toBe('Bearer docyard_key');
    expect(() => clientOf(url, { apiKey: 'docyard_secret\nkey' })).toThrow(
      /^(?!.*secret).*invalid characters/s,
    );
  });
});

describe('a response', () => {
  it('client.answer returns status and headers', async () => {
    const { url } = await serve((response) =>
      sendJson(response, 202, job, { location: '/v1/static-export/jobs/se_1' }),
    );
    const answer = await clientOf(url).answer('startExport', start);
    expect(answer).toMatchObject({ status: 202, body: job });
    expect(answer.headers.get('location')).toBe('/v1/static-export/jobs/se_1');
  });

  it('a success status other than the documented one is accepted', async () => {
    const { url } = await serve((response) => sendJson(response, 200, job));
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
  });

  it('a 204 response has no body', async () => {
    const { url } = await serve((response) => void response.writeHead(204).end());
    expect(await clientOf(url).call('deleteExport', { params })).toBeUndefined();
  });

  it('a 304 response has no body', async () => {
    const { url } = await serve((response) => void response.writeHead(304, { etag: '"1"' }).end());
    const answer = await clientOf(url).answer(
      'readExport',
      { params },
      { headers: { 'if-none-match': '"1"' } },
    );
    expect(answer).toMatchObject({ status: 304, body: undefined });
  });

  it('a download link is returned and not followed', async () => {
    const { url, requests } = await serve(
      (response) => void response.writeHead(302, { location: '/files/1' }).end('<p>Moved</p>'),
    );
    const answer = await clientOf(url).answer('openBundle', { params });
    expect(answer.headers.get('location')).toBe('/files/1');
    expect(requests).toHaveLength(1);
  });

  it('a server that is not ready reports the failed checks', async () => {
    const checks = [{ name: 'storage', ok: false, message: 'The disk is full.' }];
    const { url, requests } = await serve((response) =>
      sendJson(response, 503, { status: 'not_ready', version: '1', checks }),
    );
    expect(await clientOf(url).answer('readReadiness')).toMatchObject({ status: 503, body: { checks } });
    expect(requests).toHaveLength(1);
  });

  it('a 503 of a proxy is not a report of the checks', async () => {
    const { url } = await serve((response) => sendJson(response, 503, { message: 'No upstream.' }));
    await expect(clientOf(url, { tries: 1 }).answer('readReadiness')).rejects.toBeInstanceOf(DocyardError);
  });
});

describe('an error response', () => {
  it('a DocyardError has all fields of the error response', async () => {
    const details = [{ path: 'domain', message: 'The domain is empty.' }];
    const body = { error: 'The request is not valid.', code: 'invalid_request', requestId: 'req_1', details };
    const { url, requests } = await serve((response) => sendJson(response, 400, body));
    const failure = await failureOf(clientOf(url).call('startExport', start));
    expect(failure).toMatchObject({
      name: 'DocyardError',
      message: 'The request is not valid.',
      status: 400,
      code: 'invalid_request',
      requestId: 'req_1',
      details,
      retryAfterSeconds: undefined,
    });
    expect(requests).toHaveLength(1);
  });

  it('an unknown error code of a newer server keeps its message', async () => {
    const body = { error: 'The moon is full.', code: 'moon_full', requestId: 'req_1', details: 'none' };
    const { url } = await serve((response) => sendJson(response, 409, body));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ message: 'The moon is full.', code: 'unknown', requestId: 'req_1' });
  });

  it('an error body with only the fields of the specification keeps its message', async () => {
    const { url } = await serve((response) => sendJson(response, 404, { error: 'Job not found' }));
    const failure = await failureOf(
      clientOf(url).call('readAgentJob', { params: { projectId: 'pr_1', id: 'aj_1' } }),
    );
    expect(failure).toMatchObject({
      message: 'Job not found',
      status: 404,
      code: 'unknown',
      requestId: undefined,
    });
  });

  it('an error body that is not JSON is reported with its status', async () => {
    const { url } = await serve((response) => void response.writeHead(500).end('<h1>Oops</h1>'));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ message: 'The server answered 500.', status: 500, code: 'unknown' });
  });

  it.each(['<h1>Sign in</h1>', ''])('a success status with the body %j is an error', async (text) => {
    const { url, requests } = await serve((response) => void response.writeHead(200).end(text));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ status: 200, code: 'unknown' });
    expect(failure.message).toContain('without JSON');
    expect(requests).toHaveLength(1);
  });

  it('an unexpected redirect is an error that names its target', async () => {
    const { url, requests } = await serve(
      (response) => void response.writeHead(308, { location: 'https://new.example/' }).end(),
    );
    const failure = await failureOf(clientOf(url).call('startExport', start));
    expect(failure.message).toContain('redirects to https://new.example/');
    expect(requests).toHaveLength(1);
  });
});

describe.concurrent('retries of the client', () => {
  it('the client waits as long as Retry-After of a 503 says', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1)
        sendJson(response, 503, { error: 'Stopping.', code: 'draining' }, { 'retry-after': '1' });
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(requests).toHaveLength(2);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThan(950);
  });

  it.each([408, 429, 502, 503, 504])('the client retries after %i', async (status) => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) response.writeHead(status, { 'retry-after': '0' }).end('busy');
      else sendJson(response, 200, me);
    });
    expect(await clientOf(url).call('readMe')).toEqual(me);
    expect(requests).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 500])('the client does not retry after %i', async (status) => {
    const { url, requests } = await serve((response) => sendJson(response, status, { error: 'No.' }));
    expect(await failureOf(clientOf(url).call('readMe'))).toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  it('the client retries while the same request is in progress', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) sendJson(response, 409, { error: 'Wait.', code: 'idempotency_in_progress' });
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(requests).toHaveLength(2);
  });

  it('the client retries when the connection is lost before the response', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) cut(response);
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(requests).toHaveLength(2);
  });

  it('the client retries when the connection is lost during the response', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn > 1) return sendJson(response, 202, job);
      response.writeHead(202, { 'content-length': '100' }).write('{"jobId":', () => cut(response));
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(requests).toHaveLength(2);
  });

  it('the client retries after a timeout', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn > 1) sendJson(response, 200, me);
    });
    expect(await clientOf(url, { timeoutSeconds: 0.2 }).call('readMe')).toEqual(me);
    expect(requests).toHaveLength(2);
  });

  it('each call has its own idempotency key, which its retries share', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) cut(response);
      else if (turn === 2) response.writeHead(503, { 'retry-after': '0' }).end();
      else sendJson(response, 202, job);
    });
    const client = clientOf(url);
    await client.call('startExport', start);
    await client.call('startExport', start);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('a retry sends the same body', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else sendJson(response, 202, job);
    });
    await clientOf(url).call('startExport', start);
    expect(requests.map(({ body }) => body)).toEqual([
      JSON.stringify(start.body),
      JSON.stringify(start.body),
    ]);
  });

  it('the client gives up after the configured attempts with the last error', async () => {
    const { url, requests } = await serve((response, _request, turn) =>
      sendJson(response, 503, { error: `No ${turn}.`, code: 'queue_full' }, { 'retry-after': '0' }),
    );
    const failure = await failureOf(clientOf(url, { tries: 3 }).call('startExport', start));
    expect(failure).toMatchObject({ message: 'No 3.', code: 'queue_full', retryAfterSeconds: 0 });
    expect(requests).toHaveLength(3);
  });

  it('the client does not wait for a very long Retry-After', async () => {
    const { url, requests } = await serve((response) =>
      sendJson(response, 429, { error: 'Later.', code: 'rate_limited' }, { 'retry-after': '3600' }),
    );
    const failure = await failureOf(clientOf(url).call('startExport', start));
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3600 });
    expect(requests).toHaveLength(1);
  });
});

describe('an aborted call', () => {
  it('an abort ends the pause between two attempts', async () => {
    const { url, requests } = await serve(
      (response) => void response.writeHead(503, { 'retry-after': '30' }).end(),
    );
    const begun = performance.now();
    const call = clientOf(url).call('readMe', {}, { signal: AbortSignal.timeout(300) });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(requests).toHaveLength(1);
  });

  it('an abort ends a hanging request with the reason of the caller', async () => {
    const { url, requests } = await serve(() => undefined);
    const controller = new AbortController();
    const call = clientOf(url).call('readMe', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('Enough.')), 200);
    await expect(call).rejects.toThrow('Enough.');
    expect(requests).toHaveLength(1);
  });

  it('a call with an aborted signal sends nothing', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, me));
    const call = clientOf(url).call('readMe', {}, { signal: AbortSignal.abort(new Error('Never.')) });
    await expect(call).rejects.toThrow('Never.');
    expect(requests).toEqual([]);
  });

  it('an abort rejects a pause immediately with any reason', async () => {
    await expect(pause(30, AbortSignal.abort('no reason'))).rejects.toBe('no reason');
  });
});

describe('retryAfterSeconds', () => {
  it('a number of seconds is read', () => {
    expect(read('7')).toBe(7);
  });

  it('a date is read, and a past date counts as now', () => {
    const seconds = read(new Date(Date.now() + 10_000).toUTCString());
    expect(seconds).toBeGreaterThan(8);
    expect(seconds).toBeLessThanOrEqual(10);
    expect(read('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0);
  });

  it.each(['', 'soon'])('the value %j is ignored', (value) => {
    expect(read(value)).toBeUndefined();
  });
});

function read(retryAfter: string): number | undefined {
  return retryAfterSeconds(new Headers({ 'retry-after': retryAfter }));
}

describe('client.each', () => {
  const pages = [
    { data: [{ jobId: 'se_3' }, { jobId: 'se_2' }], nextCursor: 'next' },
    { data: [{ jobId: 'se_1' }], nextCursor: null },
  ];

  it('client.each yields all items of a list', async () => {
    const { url, requests } = await serve((response, _request, turn) =>
      sendJson(response, 200, pages[turn - 1]),
    );
    const ids: string[] = [];
    for await (const { jobId } of clientOf(url).each('listExports', { query: { limit: 2 } })) ids.push(jobId);
    expect(ids).toEqual(['se_3', 'se_2', 'se_1']);
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/static-export/jobs?limit=2',
      '/v1/static-export/jobs?limit=2&cursor=next',
    ]);
  });

  it('client.each requests only the pages that are read', async () => {
    const { url, requests } = await serve((response, _request, turn) =>
      sendJson(response, 200, pages[turn - 1]),
    );
    for await (const { jobId } of clientOf(url).each('listExports')) if (jobId === 'se_2') break;
    expect(requests).toHaveLength(1);
  });
});

describe('an idempotency key of the caller', () => {
  it('an idempotency key of the caller is sent with a POST only', async () => {
    const { url, requests } = await serve((response) => sendJson(response, 200, job));
    const options = { idempotencyKey: 'release-7' };
    await clientOf(url).call('startExport', start, options);
    await clientOf(url).call('readExport', { params }, options);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['release-7', undefined]);
  });
});
