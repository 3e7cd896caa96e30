/**
 * The client against real servers: what it sends, what it tries again, and what it says when things go wrong.
 */
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

describe('a request', () => {
  it('carries the key, the address and the body', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 202, job));
    await clientOf(`${url}/`).call('startExport', start);
    expect(asked).toMatchObject([
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

  it('works below a base path', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, me));
    await clientOf(`${url}/docyard/`).call('readMe');
    expect(asked[0]?.path).toBe('/docyard/v1/me');
  });

  it('escapes parameters and leaves out query fields that are undefined', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, { data: [], nextCursor: null }));
    const client = clientOf(url);
    await client.call('readExport', { params: { jobId: 'a/b ?c' } });
    await client.call('listExports', {
      query: { limit: 5, since: '2030-01-01T00:00:00+01:00', cursor: undefined },
    });
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/static-export/jobs/a%2Fb%20%3Fc',
      '/v1/static-export/jobs?limit=5&since=2030-01-01T00%3A00%3A00%2B01%3A00',
    ]);
  });

  it.each(['', '.', '..'])(
    'is not sent with the id %j, which would address something else',
    async (jobId) => {
      const { url, asked } = await serve((response) => sendJson(response, 204, undefined));
      await expect(clientOf(url).call('deleteExport', { params: { jobId } })).rejects.toThrow(
        'deleteExport needs a jobId',
      );
      expect(asked).toEqual([]);
    },
  );

  it('has neither body nor content type when the optional body is left out', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, {}));
    await clientOf(url).call('createBundle', { params });
    expect(asked[0]?.body).toBe('');
    expect(asked[0]?.headers).toMatchObject({ 'content-length': '0' });
    expect(asked[0]?.headers).not.toHaveProperty('content-type');
  });

  it('sends the optional body when it is given', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, {}));
    await clientOf(url).call('createBundle', { params, body: { ttlSeconds: 60 } });
    expect(asked[0]?.body).toBe('{"ttlSeconds":60}');
  });

  it('lets a header of the caller replace its own, in any case of letters', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 202, job));
    await clientOf(url).call('startExport', start, { headers: { 'Idempotency-Key': 'mine' } });
    expect(asked[0]?.headers['idempotency-key']).toBe('mine');
  });

  it('sends no key when it has none, and lets the cookie of a session go along', async () => {
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
      // The answer begins a session and is not kept for a repeat.
      expect(new Headers(headers).has('idempotency-key')).toBe(false);
    }
  });

  it('takes a key with a line end around it, and refuses a broken one without quoting it', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, me));
    await clientOf(url, { apiKey: ' docyard_key\n' }).call('readMe');
    expect(asked[0]?.headers.authorization).toBe('Bearer docyard_key');
    expect(() => clientOf(url, { apiKey: 'docyard_secret\nkey' })).toThrow(
      /^(?!.*secret).*characters that no key has/s,
    );
  });
});

describe('an answer', () => {
  it('comes with status and headers for whoever asks', async () => {
    const { url } = await serve((response) =>
      sendJson(response, 202, job, { location: '/v1/static-export/jobs/se_1' }),
    );
    const answer = await clientOf(url).answer('startExport', start);
    expect(answer).toMatchObject({ status: 202, body: job });
    expect(answer.headers.get('location')).toBe('/v1/static-export/jobs/se_1');
  });

  it('may use another good status than the table names', async () => {
    const { url } = await serve((response) => sendJson(response, 200, job));
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
  });

  it('has no body for 204', async () => {
    const { url } = await serve((response) => void response.writeHead(204).end());
    expect(await clientOf(url).call('deleteExport', { params })).toBeUndefined();
  });

  it('has no body for 304', async () => {
    const { url } = await serve((response) => void response.writeHead(304, { etag: '"1"' }).end());
    const answer = await clientOf(url).answer(
      'readExport',
      { params },
      { headers: { 'if-none-match': '"1"' } },
    );
    expect(answer).toMatchObject({ status: 304, body: undefined });
  });

  it('hands over a download link without following it', async () => {
    const { url, asked } = await serve(
      (response) => void response.writeHead(302, { location: '/files/1' }).end('<p>Moved</p>'),
    );
    const answer = await clientOf(url).answer('openBundle', { params });
    expect(answer.headers.get('location')).toBe('/files/1');
    expect(asked).toHaveLength(1);
  });

  it('says what is missing when the server is not ready', async () => {
    const checks = [{ name: 'storage', ok: false, message: 'The disk is full.' }];
    const { url, asked } = await serve((response) =>
      sendJson(response, 503, { status: 'not_ready', version: '1', checks }),
    );
    expect(await clientOf(url).answer('readReadiness')).toMatchObject({ status: 503, body: { checks } });
    expect(asked).toHaveLength(1);
  });
});

describe('an error', () => {
  it('carries everything the server said', async () => {
    const details = [{ path: 'domain', message: 'The domain is empty.' }];
    const body = { error: 'The request is not valid.', code: 'invalid_request', requestId: 'req_1', details };
    const { url, asked } = await serve((response) => sendJson(response, 400, body));
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
    expect(asked).toHaveLength(1);
  });

  it('keeps its sentence when a newer server uses a code this client does not know', async () => {
    const body = { error: 'The moon is full.', code: 'moon_full', requestId: 'req_1', details: 'none' };
    const { url } = await serve((response) => sendJson(response, 409, body));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ message: 'The moon is full.', code: 'unknown', requestId: 'req_1' });
  });

  it('keeps its sentence when the body is only what the specification names', async () => {
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

  it('is told by its status when the body is not JSON', async () => {
    const { url } = await serve((response) => void response.writeHead(500).end('<h1>Oops</h1>'));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ message: 'The server answered 500.', status: 500, code: 'unknown' });
  });

  it.each(['<h1>Sign in</h1>', ''])('is raised for a good status with the body %j', async (text) => {
    const { url, asked } = await serve((response) => void response.writeHead(200).end(text));
    const failure = await failureOf(clientOf(url).call('readMe'));
    expect(failure).toMatchObject({ status: 200, code: 'unknown' });
    expect(failure.message).toContain('not with JSON');
    expect(asked).toHaveLength(1);
  });

  it('is raised for a redirect nobody asked for, and names its target', async () => {
    const { url, asked } = await serve(
      (response) => void response.writeHead(308, { location: 'https://new.example/' }).end(),
    );
    const failure = await failureOf(clientOf(url).call('startExport', start));
    expect(failure.message).toContain('points to https://new.example/');
    expect(asked).toHaveLength(1);
  });
});

describe.concurrent('trying again', () => {
  it('waits as long as a 503 asks for', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1)
        sendJson(response, 503, { error: 'Stopping.', code: 'draining' }, { 'retry-after': '1' });
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(asked).toHaveLength(2);
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(950);
  });

  it.each([408, 429, 502, 503, 504])('goes on after %i', async (status) => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) response.writeHead(status, { 'retry-after': '0' }).end('busy');
      else sendJson(response, 200, me);
    });
    expect(await clientOf(url).call('readMe')).toEqual(me);
    expect(asked).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 500])('does not go on after %i', async (status) => {
    const { url, asked } = await serve((response) => sendJson(response, status, { error: 'No.' }));
    expect(await failureOf(clientOf(url).call('readMe'))).toMatchObject({ status });
    expect(asked).toHaveLength(1);
  });

  it('goes on while the server still handles the same request', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) sendJson(response, 409, { error: 'Wait.', code: 'idempotency_in_progress' });
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(asked).toHaveLength(2);
  });

  it('goes on after a connection cut before the answer', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) cut(response);
      else sendJson(response, 202, job);
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(asked).toHaveLength(2);
  });

  it('goes on after a connection cut in the middle of the answer', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn > 1) return sendJson(response, 202, job);
      response.writeHead(202, { 'content-length': '100' }).write('{"jobId":', () => cut(response));
    });
    expect(await clientOf(url).call('startExport', start)).toEqual(job);
    expect(asked).toHaveLength(2);
  });

  it('goes on after a try that took too long', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn > 1) sendJson(response, 200, me);
    });
    expect(await clientOf(url, { timeoutSeconds: 0.2 }).call('readMe')).toEqual(me);
    expect(asked).toHaveLength(2);
  });

  it('uses one idempotency key for one call and another for the next', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) cut(response);
      else if (turn === 2) response.writeHead(503, { 'retry-after': '0' }).end();
      else sendJson(response, 202, job);
    });
    const client = clientOf(url);
    await client.call('startExport', start);
    await client.call('startExport', start);
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('sends the same body each time', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else sendJson(response, 202, job);
    });
    await clientOf(url).call('startExport', start);
    expect(asked.map(({ body }) => body)).toEqual([JSON.stringify(start.body), JSON.stringify(start.body)]);
  });

  it('gives up after the tries it has, with the last error', async () => {
    const { url, asked } = await serve((response, _asked, turn) =>
      sendJson(response, 503, { error: `No ${turn}.`, code: 'queue_full' }, { 'retry-after': '0' }),
    );
    const failure = await failureOf(clientOf(url, { tries: 3 }).call('startExport', start));
    expect(failure).toMatchObject({ message: 'No 3.', code: 'queue_full', retryAfterSeconds: 0 });
    expect(asked).toHaveLength(3);
  });

  it('leaves a very long wait to the caller', async () => {
    const { url, asked } = await serve((response) =>
      sendJson(response, 429, { error: 'Later.', code: 'rate_limited' }, { 'retry-after': '3600' }),
    );
    const failure = await failureOf(clientOf(url).call('startExport', start));
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3600 });
    expect(asked).toHaveLength(1);
  });
});

describe('an abort', () => {
  it('stops the pause between two tries', async () => {
    const { url, asked } = await serve(
      (response) => void response.writeHead(503, { 'retry-after': '30' }).end(),
    );
    const begun = performance.now();
    const call = clientOf(url).call('readMe', {}, { signal: AbortSignal.timeout(300) });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(asked).toHaveLength(1);
  });

  it('stops a request that hangs, with the reason of the caller', async () => {
    const { url, asked } = await serve(() => undefined);
    const controller = new AbortController();
    const call = clientOf(url).call('readMe', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('Enough.')), 200);
    await expect(call).rejects.toThrow('Enough.');
    expect(asked).toHaveLength(1);
  });

  it('in advance sends nothing', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, me));
    const call = clientOf(url).call('readMe', {}, { signal: AbortSignal.abort(new Error('Never.')) });
    await expect(call).rejects.toThrow('Never.');
    expect(asked).toEqual([]);
  });

  it('rejects a pause at once, whatever the reason is', async () => {
    await expect(pause(30, AbortSignal.abort('no reason'))).rejects.toBe('no reason');
  });
});

describe('retryAfterSeconds', () => {
  it('reads seconds', () => {
    expect(read('7')).toBe(7);
  });

  it('reads a date, and one in the past as now', () => {
    const seconds = read(new Date(Date.now() + 10_000).toUTCString());
    expect(seconds).toBeGreaterThan(8);
    expect(seconds).toBeLessThanOrEqual(10);
    expect(read('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0);
  });

  it.each(['', 'soon'])('makes nothing of %j', (value) => {
    expect(read(value)).toBeUndefined();
  });
});

function read(retryAfter: string): number | undefined {
  return retryAfterSeconds(new Headers({ 'retry-after': retryAfter }));
}

describe('a list', () => {
  const pages = [
    { data: [{ jobId: 'se_3' }, { jobId: 'se_2' }], nextCursor: 'next' },
    { data: [{ jobId: 'se_1' }], nextCursor: null },
  ];

  it('is walked through to its end', async () => {
    const { url, asked } = await serve((response, _asked, turn) => sendJson(response, 200, pages[turn - 1]));
    const ids: string[] = [];
    for await (const { jobId } of clientOf(url).each('listExports', { query: { limit: 2 } })) ids.push(jobId);
    expect(ids).toEqual(['se_3', 'se_2', 'se_1']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/v1/static-export/jobs?limit=2',
      '/v1/static-export/jobs?limit=2&cursor=next',
    ]);
  });

  it('is asked for no further than it is used', async () => {
    const { url, asked } = await serve((response, _asked, turn) => sendJson(response, 200, pages[turn - 1]));
    for await (const { jobId } of clientOf(url).each('listExports')) if (jobId === 'se_2') break;
    expect(asked).toHaveLength(1);
  });
});

describe('an idempotency key of the caller', () => {
  it('is sent with a POST, and with nothing else', async () => {
    const { url, asked } = await serve((response) => sendJson(response, 200, job));
    const options = { idempotencyKey: 'release-7' };
    await clientOf(url).call('startExport', start, options);
    await clientOf(url).call('readExport', { params }, options);
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['release-7', undefined]);
  });
});
