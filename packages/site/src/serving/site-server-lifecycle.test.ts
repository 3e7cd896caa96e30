/** The server over time: switching sites, limits for clients, and status. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HostedSiteOptions } from './hosted-site.ts';
import { SiteServer, type SiteServerOptions } from './site-server.ts';
import { openSite, type ServedSite } from './served-site.ts';
import {
  eventually,
  makeRelease,
  makeSite,
  requestFor,
  startServer,
  statusOf,
  type Client,
  type TestServer,
} from '../../test/support/served-releases.ts';

/** More than the buffers of two sockets hold. */
const large = randomBytes(16_000_000);
const largeRelease = makeRelease({ 'a.txt': 'a', 'large.bin': large });

/** A client that starts to read the large file and then stops. */
async function stoppedReader(
  site: ServedSite,
  options: Partial<SiteServerOptions & HostedSiteOptions> = {},
): Promise<TestServer & { reader: Client }> {
  let begun = 0;
  const running = await startServer(site, { ...options, answered: () => (begun += 1) });
  const reader = await running.connect();
  reader.socket.pause();
  reader.socket.write(requestFor('/large.bin'));
  await eventually(() => begun).toBe(1);
  return { ...running, reader };
}

describe('another site', () => {
  test('takes over between two requests without a failed or mixed response', async () => {
    const names = ['index.html', 'guide.html', 'app.js'];
    const contentOf = (name: string, release: number) => `${release} ${name} `.repeat(2000);
    const make = (release: number) =>
      makeSite(Object.fromEntries(names.map((name) => [name, contentOf(name, release)])));
    const sites = await Promise.all([0, 1, 2, 3].map(make));
    const { hosted, connect } = await startServer(sites[0]);
    const ended = new AbortController();
    const seen = new Set<string>();
    const hammer = async (client: Client): Promise<number> => {
      let asked = 0;
      for (; !ended.signal.aborted; asked += 1) {
        const name = names[asked % names.length] ?? '';
        const { status, text } = await client.ask(requestFor(`/${name}`));
        expect(status).toBe(200);
        const release = Number(text[0]);
        expect(text).toBe(contentOf(name, release));
        seen.add(text.slice(0, 1));
      }
      return asked;
    };
    const clients = await Promise.all(Array.from({ length: 6 }, connect));
    const hammering = clients.map(hammer);
    for (const [index, site] of sites.entries()) {
      hosted.activate(site);
      await eventually(() => seen.has(String(index))).toBe(true);
    }
    ended.abort();
    for (const asked of await Promise.all(hammering)) expect(asked).toBeGreaterThan(0);
    expect(clients.every((client) => !client.isClosed())).toBe(true);
  });

  test('waits for running responses of the previous site', async () => {
    const before = await openSite(await largeRelease);
    const after = await makeSite({ 'index.html': 'after' });
    const { hosted, get, reader } = await stoppedReader(before);
    hosted.activate(after);
    expect((await get('/')).text).toBe('after');
    expect(hosted.inUse(before.id)).toBe(true);
    reader.socket.resume();
    expect((await reader.next()).body.equals(large)).toBe(true);
    await eventually(() => hosted.inUse(before.id)).toBe(false);
    expect(hosted.inUse(after.id)).toBe(true);
  });

  test('a client that disconnects releases the file', async () => {
    const before = await openSite(await largeRelease);
    const { hosted, reader } = await stoppedReader(before);
    hosted.activate(await makeSite({ 'index.html': 'after' }));
    expect(hosted.inUse(before.id)).toBe(true);
    reader.close();
    await eventually(() => hosted.inUse(before.id)).toBe(false);
  });
});

describe('one connection', () => {
  test('pipelined requests are answered in order', async () => {
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a', 'b.txt': 'b', '404.html': 'none' }));
    const client = await connect();
    const targets = ['/a.txt', '/b.txt', '/none', '/a.txt'];
    client.socket.write(targets.map((target) => requestFor(target)).join(''));
    const texts = [];
    for (const _ of targets) texts.push((await client.next()).text);
    expect(texts).toEqual(['a', 'b', 'none', 'a']);
  });

  test('a request may arrive in fragments after complete ones', async () => {
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a', 'b.txt': 'b' }));
    const client = await connect();
    expect((await client.ask(requestFor('/a.txt'))).text).toBe('a');
    expect((await client.ask(requestFor('/b.txt'))).text).toBe('b');
    const answered = client.next();
    for (const character of requestFor('/b.txt')) {
      client.socket.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await answered).text).toBe('b');
    expect((await client.ask(requestFor('/a.txt'))).text).toBe('a');
  });

  test('a request with many headers and a malformed tail is refused immediately', async () => {
    const { connect, get } = await startServer(await makeSite({ 'a.txt': 'a' }));
    const client = await connect();
    const headers = Array.from({ length: 150 }, (_, index) => `X-${index}: ${' '.repeat(8)}\r\n`).join('');
    const request = `GET /a.txt HTTP/1.1\r\nHost: a\r\n${headers}`;
    expect((await client.ask(`${request}\x00\r\n\r\n`)).status).toBe(400);
    expect((await get('/a.txt')).text).toBe('a');
    const whole = await connect();
    expect((await whole.ask(`${request}\r\n`)).text).toBe('a');
  });

  test('a client that pipelines more requests than the limit is disconnected', async () => {
    const { connect, get } = await startServer(await makeSite({ 'a.txt': 'a' }));
    const client = await connect();
    client.socket.write(requestFor('/a.txt').repeat(2000));
    await eventually(() => client.isClosed()).toBe(true);
    expect((await get('/a.txt')).text).toBe('a');
  });

  test('is closed at the request of the client', async () => {
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a' }));
    const client = await connect();
    expect((await client.ask(requestFor('/a.txt', { Connection: 'close' }))).headers['connection']).toBe(
      'close',
    );
    await eventually(() => client.isClosed()).toBe(true);
  });

  test.each([
    ['no host', 'GET /a.txt HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['a space before the colon', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\n', 400],
    ['a folded line', 'GET /a.txt HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n', 400],
    ['a bare line feed', 'GET /a.txt HTTP/1.1\r\nHost: a\nContent-Length: 5\r\n\r\n', 400],
    ['a bare return', 'GET /a.txt HTTP/1.1\r\nHost: a\rContent-Length: 5\r\n\r\n', 400],
    [
      'both lengths',
      'GET /a.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['no HTTP', 'HELLO\r\n\r\n', 400],
    ['headers without end', `GET /a.txt HTTP/1.1\r\nHost: a\r\nX-A: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
  ])('a request with %s is refused and the connection is closed', async (_, request, status) => {
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a' }));
    const client = await connect();
    expect((await client.ask(request)).status).toBe(status);
    await eventually(() => client.isClosed()).toBe(true);
  });
});

describe('too many connections', () => {
  test('a new connection replaces the one that was idle longest', async () => {
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a' }), { connections: 2 });
    const silent = await connect();
    await silent.ask(requestFor('/a.txt'));
    const active = await connect();
    await active.ask(requestFor('/a.txt'));
    const third = await connect();
    expect((await third.ask(requestFor('/a.txt'))).text).toBe('a');
    await eventually(() => silent.isClosed()).toBe(true);
    expect((await active.ask(requestFor('/a.txt'))).text).toBe('a');
  });

  test('a connection with a running response is not closed', async () => {
    const { connect, reader } = await stoppedReader(await openSite(await largeRelease), {
      connections: 1,
    });
    const second = await connect();
    await eventually(() => second.isClosed()).toBe(true);
    reader.socket.resume();
    expect((await reader.next()).body.equals(large)).toBe(true);
  });
});

describe('slow clients', () => {
  test('a client that trickles headers is cut off while others are served', async () => {
    const timeLimits = { headersMs: 200, checkMs: 50 };
    const { connect, get } = await startServer(await makeSite({ 'a.txt': 'a' }), { timeLimits });
    const slow = await connect();
    slow.socket.write('GET /a.txt HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => slow.socket.writable && slow.socket.write('X-A: b\r\n'), 20);
    try {
      expect((await get('/a.txt')).text).toBe('a');
      await eventually(() => slow.isClosed()).toBe(true);
    } finally {
      clearInterval(drip);
    }
    expect(slow.received().toString()).toContain('408');
  });

  test('an idle connection is closed, before and after a request', async () => {
    const timeLimits = { headersMs: 200, keepAliveMs: 200, checkMs: 50 };
    const { connect } = await startServer(await makeSite({ 'a.txt': 'a' }), { timeLimits });
    const clients = await Promise.all([connect(), connect()]);
    await clients[1]?.ask(requestFor('/a.txt'));
    await eventually(() => clients.every((client) => client.isClosed())).toBe(true);
  });

  test('a download that is not read is cut off, and its release is freed', async () => {
    const site = await openSite(await largeRelease);
    const { hosted } = await stoppedReader(site, { timeLimits: { readingMs: 300 } });
    hosted.activate(await makeSite({ 'a.txt': 'a' }));
    await eventually(() => hosted.inUse(site.id)).toBe(false);
  });
});

describe('closing the server', () => {
  test('idle connections are closed, and running responses complete', async () => {
    const site = await openSite(await largeRelease);
    const { server, port, connect, reader } = await stoppedReader(site);
    const idle = await Promise.all([connect(), connect()]);
    await idle[1]?.ask(requestFor('/a.txt'));
    const closed = server.close(30);
    await eventually(() => idle.every((client) => client.isClosed())).toBe(true);
    reader.socket.resume();
    expect((await reader.next()).body.equals(large)).toBe(true);
    await closed;
    await expect(fetch(`http://127.0.0.1:${port}/a.txt`)).rejects.toThrow();
  });

  test('responses over the grace period are cut off', async () => {
    const { server, reader } = await stoppedReader(await openSite(await largeRelease));
    await server.close(0.1);
    reader.socket.resume();
    await eventually(() => reader.isClosed()).toBe(true);
    await expect(reader.next()).rejects.toThrow('closed after');
  });
});

describe('the status', () => {
  const release = {
    id: 'r1',
    version: '2.1 "beta"',
    commit: 'abc1234',
    committedAt: '2026-11-10T00:00:00.000Z',
    pages: 12,
    signedBy: '0123456789ABCDEF',
    installedAt: '2026-11-15T00:00:00.000Z',
  };
  const full = statusOf({
    release,
    lastRefresh: { at: '2026-11-15T01:00:00.000Z', outcome: 'unchanged' },
    refreshes: { unchanged: 3 },
    refusals: { wrong_version: 2 },
  });

  test('without a site the server is alive but not ready', async () => {
    const { get } = await startServer(undefined);
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}\n' });
    expect(JSON.parse((await get('/readyz')).text)).toMatchObject({
      status: 'not ready',
      reason: 'no release is installed yet',
    });
    expect((await get('/readyz')).status).toBe(503);
    expect(await get('/')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });

  test('with a site the server is ready and reports its release', async () => {
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }), { status: () => full });
    const ready = await get('/readyz');
    expect(ready).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(JSON.parse(ready.text)).toEqual({ status: 'ready', ...full });
  });

  test('metrics have the Prometheus format', async () => {
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }), { status: () => full });
    await get('/');
    await get('/');
    await get('/nowhere');
    const { text, headers } = await get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'docyard_site_requests_total{status="200"} 2',
      'docyard_site_requests_total{status="404"} 1',
      'docyard_site_ready 1',
      String.raw`docyard_site_release_info{release="r1",version="2.1 \"beta\"",commit="abc1234",signed_by="0123456789ABCDEF"} 1`,
      `docyard_site_release_content_timestamp_seconds ${Date.parse('2026-11-10') / 1000}`,
      'docyard_site_refreshes_total{outcome="unchanged"} 3',
      'docyard_site_bundles_refused_total{reason="wrong_version"} 2',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('the manual lists every metric', async () => {
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }), { status: () => full });
    const exposed = [...(await get('/metrics')).text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const manual = readFileSync(new URL('../../../../docs/deploy/serving.mdx', import.meta.url), 'utf8');
    const listed = [...manual.matchAll(/^\| `(docyard_site_\w+)`/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(exposed.toSorted());
  });

  test('metrics are refused to forwarded requests', async () => {
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }));
    expect((await get('/metrics', { 'X-Forwarded-For': '203.0.113.7' })).status).toBe(403);
    expect((await get('/healthz', { 'X-Forwarded-For': '203.0.113.7' })).status).toBe(200);
  });

  test('a page with a status path has precedence, and a base path avoids the conflict', async () => {
    const files = { 'index.html': 'home', 'metrics.html': 'About our metrics' };
    const { get } = await startServer(await makeSite(files));
    expect((await get('/metrics')).text).toBe('About our metrics');
    expect((await get('/healthz')).text).toContain('ok');
    const below = await startServer(await makeSite(files), { basePath: '/docs' });
    expect((await below.get('/metrics')).text).toContain('docyard_site_ready');
    expect((await below.get('/docs/metrics')).text).toBe('About our metrics');
  });

  test('a status port serves only the status, and the site port does not', async () => {
    const site = await makeSite({ 'index.html': 'home' });
    const { get, statusPort } = await startServer(site, { statusPort: 0 });
    const ask = (path: string) => fetch(`http://127.0.0.1:${statusPort}${path}`);
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(200);
    expect((await ask('/')).status).toBe(404);
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await get(path)).status).toBe(404);
  });

  test('neither port is opened when the status port is in use', async () => {
    const { port } = await startServer(undefined);
    const server = new SiteServer({ host: '127.0.0.1', port: 0, statusPort: port, sites: [] });
    await expect(server.listen()).rejects.toThrow('EADDRINUSE');
    await server.close();
  });

  test('every response can be logged', async () => {
    const lines: string[] = [];
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }), {
      answered: ({ method, target, status, bodyBytes }) =>
        lines.push(`${method} ${target} ${status} ${bodyBytes}`),
    });
    await get('/');
    await get('/none?a');
    expect(lines).toEqual(['GET / 200 4', 'GET /none?a 404 16']);
  });
});

test('a release can be opened and served twice', async () => {
  const release = await makeRelease({ 'index.html': 'home' });
  const { hosted, get } = await startServer(await openSite(release));
  hosted.activate(await openSite(release));
  expect((await get('/')).text).toBe('home');
});
