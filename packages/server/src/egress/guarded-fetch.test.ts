import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { guardedFetch } from './guarded-fetch.ts';

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const limits = { bytes: 1000, idleSeconds: 30 };
const listed = guardedFetch({ allowedHosts: ['127.0.0.1'] }, limits);

test('method, headers and text are sent, and a response of any status is returned', async () => {
  const url = await serve((request, response) => {
    response.writeHead(429, { 'retry-after': '3' });
    response.write(`${request.method} ${String(request.headers['x-key'])} `);
    request.pipe(response);
  });
  const answer = await listed(`${url}/v1`, { method: 'POST', headers: { 'x-key': 'k' }, body: 'hello' });
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('3');
  expect(await answer.text()).toBe('POST k hello');
});

test('the response is streamed', async () => {
  const parts = ['one', 'two'];
  let goOn = (): void => {};
  const url = await serve((_, response) => {
    response.write(parts[0]);
    goOn = () => response.end(parts[1]);
  });
  const seen: string[] = [];
  for await (const part of (await listed(url)).body ?? []) {
    seen.push(new TextDecoder().decode(part));
    goOn();
  }
  expect(seen).toEqual(parts);
});

test('plain http and private addresses of unlisted hosts are refused', async () => {
  const strict = guardedFetch({ allowedHosts: [] }, limits);
  await expect(strict(await serve(() => {}))).rejects.toMatchObject({ problem: 'refused' });
  await expect(strict('https://127.0.0.1/')).rejects.toMatchObject({ problem: 'refused' });
});

test('redirects are not followed', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/other' }).end());
  expect((await listed(url)).status).toBe(302);
});

test('a silent host is abandoned before and during the response', async () => {
  const patience = (idleSeconds: number) =>
    guardedFetch({ allowedHosts: ['127.0.0.1'] }, { ...limits, idleSeconds });
  await expect(patience(0.05)(await serve(() => {}))).rejects.toThrow('sent nothing for 0.05 seconds');
  /** Long enough for the first byte on a busy machine. */
  const silentLater = await patience(2)(await serve((_, response) => response.write('x')));
  await expect(silentLater.text()).rejects.toThrow();
});

test('the first byte and later pauses have separate limits, and the error names the limit', async () => {
  const fetchWith = (firstByteSeconds: number, idleSeconds: number) =>
    guardedFetch({ allowedHosts: ['127.0.0.1'] }, { bytes: 1000, firstByteSeconds, idleSeconds });
  const late = await serve((_, response) => void setTimeout(() => response.end('late'), 300));
  expect(await (await fetchWith(30, 0.1)(late)).text()).toBe('late');
  await expect(fetchWith(0.05, 30)(await serve(() => {}))).rejects.toMatchObject({
    limit: 'firstByteSeconds',
  });
  const silentLater = await fetchWith(30, 0.2)(await serve((_, response) => response.write('x')));
  await expect(silentLater.text()).rejects.toMatchObject({ limit: 'idleSeconds' });
});

test('the signal aborts before and during the response', async () => {
  const before = new AbortController();
  const silent = await serve(() => before.abort());
  await expect(listed(silent, { signal: before.signal })).rejects.toThrow('abort');
  const within = new AbortController();
  const answer = await listed(await serve((_, response) => response.write('x')), { signal: within.signal });
  within.abort();
  await expect(answer.text()).rejects.toThrow();
});

test('a response over the limit or a truncated one fails', async () => {
  const long = await listed(await serve((_, response) => response.end('x'.repeat(1001))));
  await expect(long.text()).rejects.toThrow();
  const cut = await listed(
    await serve((_, response) => {
      response.write('x', () => response.destroy());
    }),
  );
  await expect(cut.text()).rejects.toThrow();
});

test('the error of an unreachable host contains only its name', async () => {
  await expect(listed('http://127.0.0.1:1/secret')).rejects.toThrow('The host 127.0.0.1 cannot be reached.');
});

test('a response that is compressed although that was not asked for is decoded within the limit', async () => {
  const gzip = (text: string) =>
    serve((_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipSync(text).length })
        .end(gzipSync(text)),
    );
  const answer = await listed(await gzip('hello'));
  expect(answer.headers.has('content-encoding')).toBe(false);
  expect(await answer.text()).toBe('hello');
  await expect((await listed(await gzip('x'.repeat(1001)))).text()).rejects.toMatchObject({
    problem: 'too_large',
  });
  const broken = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('hello'),
  );
  await expect((await listed(broken)).text()).rejects.toThrow();
});

test('a reader that has enough closes the connection, although the host sends no more', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((request, response) => {
    request.once('close', () => closed.resolve());
    response.write('enough');
  });
  const reader = (await listed(url)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await closed.promise;
});
