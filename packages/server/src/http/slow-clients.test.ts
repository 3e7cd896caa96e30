/** Limits and timeouts of connections, tested with too many and too slow clients on real sockets. */
import { createConnection, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { InProcessChanges } from '../adapters/changes/in-process.ts';
import {
  cleanUp,
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  until,
} from '../../test/support/test-context.ts';
import { buildApp } from './app.ts';
import { listen, type ListenOptions } from './server.ts';

async function setUp(listening: Partial<ListenOptions> = {}, environment: Record<string, string> = {}) {
  const context = await composeForTest(environment);
  const tenant = await createTenant(context);
  const stopping = new AbortController();
  const where = { host: '127.0.0.1', port: 0, ...listening };
  const server = await listen(buildApp(context, stopping.signal), where);
  cleanUp(async () => {
    stopping.abort();
    await server.close(0);
  });
  const { key } = tenant.key;
  const get = (path: string, headers: Record<string, string> = {}) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;
  const me = get('/v1/me', { Authorization: `Bearer ${key}` });
  return { context, tenant, server, key, get, me, connect: () => connect(server.port) };
}

interface Client {
  socket: Socket;
  /** Everything that was received so far. */
  text(): string;
  isClosed(): boolean;
  /** Sends a request and waits for the complete response. */
  ask(request: string): Promise<string>;
  close(): void;
}

async function connect(port: number): Promise<Client> {
  let text = '';
  let isClosed = false;
  const socket = createConnection(port, '127.0.0.1');
  cleanUp(() => void socket.destroy());
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => {});
  socket.once('close', () => (isClosed = true));
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    text: () => text,
    isClosed: () => isClosed,
    async ask(request) {
      text = '';
      socket.write(request);
      await until(() => isClosed || isWhole(text), 20);
      return text;
    },
    close: () => void socket.destroy(),
  };
}

function isWhole(answer: string): boolean {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return length !== undefined && body.length >= Number(length);
}

describe('too many connections', () => {
  const setUpLimited = async ({
    connections,
    surplusMs = 5000,
  }: {
    connections: number;
    surplusMs?: number;
  }) => {
    const set = await setUp({ limits: { connections }, timeouts: { surplusMs } });
    const project = await createTestProject(set.context, set.tenant);
    const { id } = await createExport(set.context, set.tenant, project);
    const path = `/v1/static-export/jobs/${id}`;
    const waiting = set.get(path, { Authorization: `Bearer ${set.key}`, Prefer: 'wait=30' });
    return { ...set, id, waiting };
  };

  test('a surplus connection is refused with Retry-After, and a later one is served when a place is free', async () => {
    const { context, connect: open, waiting, me, id } = await setUpLimited({ connections: 2 });
    const first = await open();
    first.socket.write(waiting);
    await until(() => (context.changes as InProcessChanges).isListenedTo(id));
    const second = await open();
    expect(await second.ask(me)).toContain('HTTP/1.1 200');
    const refused = await (await open()).ask(me);
    expect(refused).toContain('HTTP/1.1 503');
    expect(refused).toMatch(/retry-after: 5\r\n/i);
    expect(refused).toMatch(/connection: close\r\n/i);
    expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'overloaded' });
    second.close();
    await until(async () => {
      const next = await open();
      const answer = await next.ask(me);
      next.close();
      return answer.includes('HTTP/1.1 200');
    });
    expect(first.isClosed()).toBe(false);
  });

  test('idle unauthenticated connections are closed before those that have sent a key', async () => {
    const { server, connect: open, me } = await setUp({ limits: { connections: 20 }, trustProxy: true });
    const known = await open();
    expect(await known.ask(me)).toContain('HTTP/1.1 200');
    const strangers: Client[] = [];
    for (let count = 0; count < 60; count += 1) strangers.push(await open());
    await until(() => strangers.filter((each) => each.isClosed()).length >= 41);
    expect(server.connections).toBeLessThanOrEqual(20);
    expect(strangers.at(-1)?.isClosed()).toBe(false);
    expect(await known.ask(me)).toContain('HTTP/1.1 200');
    expect(await (await open()).ask(me)).toContain('HTTP/1.1 200');
  });

  test('idle unauthenticated connections of one address take at most a quarter of the places and do not displace clients with a key', async () => {
    const { server, connect: open, me } = await setUp({ limits: { connections: 40 } });
    const known: Client[] = [];
    for (let count = 0; count < 15; count += 1) {
      const client = await open();
      expect(await client.ask(me)).toContain('HTTP/1.1 200');
      known.push(client);
    }
    const strangers: Client[] = [];
    for (let count = 0; count < 30; count += 1) strangers.push(await open());
    await until(() => strangers.filter((each) => each.isClosed()).length === 20);
    expect(server.connections).toBe(25);
    expect(await (await open()).ask(me)).toContain('HTTP/1.1 200');
    expect(known.some((each) => each.isClosed())).toBe(false);
  });

  test('a listed proxy may open more idle connections than another address', async () => {
    const openIdle = async (trustProxy: string[]) => {
      const { server, connect: open } = await setUp({ limits: { connections: 40 }, trustProxy });
      for (let count = 0; count < 30; count += 1) await open();
      await until(() => server.connections === (trustProxy[0] === '10.0.0.1' ? 10 : 30));
    };
    await openIdle(['127.0.0.1']);
    await openIdle(['10.0.0.1']);
  });

  test('the server serves requests again after a flood of connections', async () => {
    const { server, connect: open, me } = await setUp({ limits: { connections: 8 } });
    const flood = await Promise.all(Array.from({ length: 300 }, open));
    expect(server.connections).toBeLessThanOrEqual(108);
    for (const client of flood) client.close();
    await until(() => server.connections === 0);
    expect(await (await open()).ask(me)).toContain('HTTP/1.1 200');
  });

  test('a surplus connection that sends nothing is closed', async () => {
    const { context, connect: open, waiting, id } = await setUpLimited({ connections: 1, surplusMs: 100 });
    const first = await open();
    first.socket.write(waiting);
    await until(() => (context.changes as InProcessChanges).isListenedTo(id));
    const surplus = await open();
    await until(() => surplus.isClosed());
    expect(surplus.text()).toBe('');
    expect(first.isClosed()).toBe(false);
  });
});

/** Creates a link to the bundle over a connection that is closed afterwards, and returns its path and query. */
async function newLink(port: number, jobId: string, key: string): Promise<string> {
  const answer = await fetch(`http://localhost:${port}/v1/static-export/jobs/${jobId}/bundle`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, connection: 'close' },
  });
  const { bundleUrl } = (await answer.json()) as { bundleUrl: string };
  const { pathname, search } = new URL(bundleUrl);
  return pathname + search;
}

describe('slow clients', () => {
  test('clients with slow headers are answered 408 and closed, and others are served meanwhile', async () => {
    const { connect: open, me } = await setUp({ timeouts: { headersMs: 300, checkMs: 50 } });
    const slow = await Promise.all(Array.from({ length: 20 }, open));
    const drip = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('X-A: b\r\n');
    }, 20);
    try {
      for (const { socket } of slow) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
      expect(await (await open()).ask(me)).toContain('HTTP/1.1 200');
      await until(() => slow.every((each) => each.isClosed()));
    } finally {
      clearInterval(drip);
    }
    expect(slow.some((each) => each.text().includes('"code":"request_timeout"'))).toBe(true);
  });

  test('a connection that sends nothing is closed', async () => {
    const { connect: open } = await setUp({ timeouts: { headersMs: 100, checkMs: 50 } });
    const silent = await open();
    await until(() => silent.isClosed());
  });

  test('a client with a slow body is answered 408', async () => {
    const { connect: open, key } = await setUp({
      timeouts: { headersMs: 300, requestMs: 400, checkMs: 50 },
    });
    const slow = await open();
    slow.socket.write(
      `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 5000\r\n\r\n`,
    );
    const drip = setInterval(() => slow.socket.writable && slow.socket.write(' '), 20);
    await until(() => slow.isClosed()).finally(() => clearInterval(drip));
    expect(slow.text()).toContain('HTTP/1.1 408');
  });

  test('a chunked body without end is answered 413 and the connection is closed', async () => {
    const { connect: open, key } = await setUp({}, { LIMIT_BODY_BYTES: '20000' });
    const client = await open();
    client.socket.write(
      `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const pour = setInterval(() => client.socket.writable && client.socket.write(chunk), 5);
    await until(() => client.isClosed()).finally(() => clearInterval(pour));
    expect(client.text()).toContain('HTTP/1.1 413');
    expect(client.text()).toContain('"code":"payload_too_large"');
  });

  test('a download that the client does not read is closed', async () => {
    const {
      context,
      tenant,
      server,
      key,
      get,
      connect: open,
    } = await setUp({
      timeouts: { readingMs: 200 },
    });
    const project = await createTestProject(context, tenant);
    const { id } = await createCompletedExport(context, tenant, project, Buffer.alloc(40_000_000, 'x'));
    const target = await newLink(server.port, id, key);
    await until(() => server.connections === 0);
    const client = await open();
    client.socket.write(get(target));
    await until(() => client.text().includes('HTTP/1.1 200'));
    client.socket.pause();
    expect(server.connections).toBe(1);
    await until(() => server.connections === 0);
    client.socket.resume();
    await until(() => client.isClosed());
    expect(client.text().length).toBeLessThan(40_000_000);
  });

  test('a slow client that keeps reading gets the complete download', async () => {
    const {
      context,
      tenant,
      server,
      key,
      get,
      connect: open,
    } = await setUp({
      timeouts: { readingMs: 1000 },
    });
    const project = await createTestProject(context, tenant);
    const bytes = 20_000_000;
    const { id } = await createCompletedExport(context, tenant, project, Buffer.alloc(bytes, 'x'));
    const target = await newLink(server.port, id, key);
    const client = await open();
    client.socket.on('data', () => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 2);
    });
    client.socket.write(get(target));
    await until(() => client.isClosed() || client.text().length > bytes, 50);
    expect(client.text().split('\r\n\r\n')[1]).toHaveLength(bytes);
  });

  test('a request that waits for a change is not closed as slow', async () => {
    const { context, tenant, key, get, connect: open } = await setUp({ timeouts: { readingMs: 50 } });
    const project = await createTestProject(context, tenant);
    const { id } = await createExport(context, tenant, project);
    const client = await open();
    const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=1' };
    const answer = await client.ask(get(`/v1/static-export/jobs/${id}`, headers));
    expect(answer).toContain('HTTP/1.1 200');
  });
});
