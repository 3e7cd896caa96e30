import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { EgressPolicy } from './addresses.ts';
import { sendRequest } from './request.ts';

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

async function serve(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://forge.test:${(server.address() as AddressInfo).port}/`);
}

const listed: EgressPolicy = { allowedHosts: ['forge.test'], lookup: () => Promise.resolve(['127.0.0.1']) };
const secret = 'a-secret-that-must-not-show';
const headers = { authorization: `Bearer ${secret}` };
const usual = { signal: new AbortController().signal, limits: { bytes: 1000, seconds: 30 } };

test('method, headers and body are sent, and a response of any status is returned', async () => {
  const url = await serve((request, response) => {
    void request.toArray().then((parts: Buffer[]) => {
      response.writeHead(422, { 'Retry-After': '7' });
      response.end(`${request.method} ${request.headers.authorization} ${Buffer.concat(parts).toString()}`);
    });
  });
  const answer = await sendRequest({ url, method: 'POST', headers, body: '{"ä":1}' }, listed, usual);
  expect(answer.status).toBe(422);
  expect(answer.headers.get('retry-after')).toBe('7');
  expect(new TextDecoder().decode(answer.body)).toBe(`POST Bearer ${secret} {"ä":1}`);
});

test('redirects are not followed, so that secrets stay with their host', async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    response.writeHead(302, { location: '/other' }).end();
  });
  expect((await sendRequest({ url, method: 'GET', headers }, listed, usual)).status).toBe(302);
  expect(asked).toBe(1);
});

test('unlisted private addresses are not dialed', async () => {
  let asked = 0;
  const url = await serve((_, response) => response.end(String((asked += 1))));
  const policy = { ...listed, allowedHosts: [] };
  await expect(sendRequest({ url, method: 'GET', headers }, policy, usual)).rejects.toMatchObject({
    problem: 'refused',
  });
  expect(asked).toBe(0);
});

test('limits of size and time apply, and errors contain no secrets', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/large') response.end('x'.repeat(2000));
  });
  const large = sendRequest({ url: new URL('/large', url), method: 'GET', headers }, listed, usual);
  await expect(large).rejects.toMatchObject({ problem: 'too_large' });
  const limits = { bytes: 1000, seconds: 0.2 };
  const silent = sendRequest({ url, method: 'GET', headers }, listed, { ...usual, limits });
  const error: unknown = await silent.catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    problem: 'unavailable',
    message: 'The host forge.test did not answer within 0.2 seconds.',
  });
  expect(JSON.stringify(error)).not.toContain(secret);
});

test('the signal aborts the request', async () => {
  const url = await serve(() => undefined);
  const stop = new AbortController();
  const sending = sendRequest({ url, method: 'GET', headers }, listed, { ...usual, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(sending).rejects.toThrow('enough');
});
