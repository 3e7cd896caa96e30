/** Raw requests to the service and to `docyard site` never block the event loop for longer than the limit. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const maxDelayMs = 50;
/** Of the time that node:http needs for the same bytes, where the machine is too slow for the limit. */
const maxSlowdown = 2;
/** Garbage collection and a shared core add to the processor time of a round, but not to that of all. */
const rounds = 3;
const serverScript = fileURLToPath(new URL('./raw-sockets/server.ts', import.meta.url));

interface Target {
  child: ChildProcess;
  port: number;
}

async function start(kind: 'api' | 'site' | 'bare'): Promise<Target> {
  const child = fork(serverScript, [kind]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

/** The maximum processor time between two turns of the event loop since the last call. */
async function maxTurnMs({ child }: Target): Promise<number> {
  child.send('report');
  const [{ maxMs }] = (await once(child, 'message')) as [{ maxMs: number }];
  return maxMs;
}

async function connect(port: number): Promise<Socket> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends one piece per turn and waits for a response or the end of the connection. */
async function send(port: number, pieces: readonly string[]): Promise<string> {
  const socket = await connect(port);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece, 'latin1');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.race([answered, ended]);
  socket.destroy();
  await ended;
  return received;
}

async function isServed(port: number): Promise<boolean> {
  return (await send(port, [`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`])).startsWith('HTTP/1.1 200');
}

const headers = (count: number, value = ' '.repeat(8)): string =>
  Array.from({ length: count }, (_, index) => `X-${index}: ${value}\r\n`).join('');
const begin = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';

const cases: [name: string, pieces: string[], answer: RegExp][] = [
  ['a malformed tail after 22 headers', [`${begin}${headers(22)}\x00\r\n\r\n`], /^HTTP\/1\.1 400 /],
  ['a malformed tail after 150 headers', [`${begin}${headers(150)}\x00\r\n\r\n`], /^HTTP\/1\.1 400 /],
  ['150 headers', [`${begin}${headers(150)}\r\n`], /^HTTP\/1\.1 200 /],
  ['a flood of headers', [`${begin}${headers(4000)}\r\n`], /^HTTP\/1\.1 431 /],
  ['one endless header', [`${begin}X-A: ${'a '.repeat(40_000)}\r\n\r\n`], /^HTTP\/1\.1 431 /],
  ['a request in single bytes', `${begin}${headers(20)}\r\n`.split(''), /^HTTP\/1\.1 200 /],
  ['a request split inside a header', [`${begin}X-A: b`, 'c\r', '\n\r', '\n'], /^HTTP\/1\.1 200 /],
  ['10 pipelined requests', [`${begin}\r\n`.repeat(10)], /^HTTP\/1\.1 200 /],
  ['20,000 pipelined requests', [`${begin}\r\n`.repeat(20_000)], /^(?:HTTP\/1\.1 200 |$)/],
  [
    'pipelined requests with a malformed tail',
    [`${`${begin}\r\n`.repeat(10)}\x00`],
    /^HTTP\/1\.1 (?:200|400) /,
  ],
  ['a long target', [`GET /${'%2e/'.repeat(3000)} HTTP/1.1\r\nHost: a\r\n\r\n`], /^HTTP\/1\.1 [24]\d\d /],
  [
    'a long Accept-Encoding',
    [`${begin}Accept-Encoding: ${'gzip;q=0.1,'.repeat(1300)}\r\n\r\n`],
    /^HTTP\/1\.1 200 /,
  ],
  ['a long If-None-Match', [`${begin}If-None-Match: ${'"a", '.repeat(2800)}\r\n\r\n`], /^HTTP\/1\.1 200 /],
  ['two Host headers', [`${begin}Host: b\r\n\r\n`], /^HTTP\/1\.1 400 /],
];

/** The turn of the fastest round. */
async function minTurnMs(target: Target, pieces: readonly string[], answer: RegExp): Promise<number> {
  // Each code path is compiled before it is measured.
  await send(target.port, pieces);
  const turnsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await maxTurnMs(target);
    expect(await send(target.port, pieces)).toMatch(answer);
    expect(await isServed(target.port)).toBe(true);
    turnsMs.push(await maxTurnMs(target));
  }
  return Math.min(...turnsMs);
}

describe.each(['api', 'site'] as const)('the %s', (kind) => {
  let target: Target;
  let bare: Target;

  beforeAll(async () => {
    [target, bare] = await Promise.all([start(kind), start('bare')]);
    for (let round = 0; round < 20; round += 1) await isServed(target.port);
  });
  afterAll(() => [target, bare].forEach(({ child }) => child.disconnect()));

  test.each(cases)('delays no other request for %s', async (_, pieces, answer) => {
    const turnMs = await minTurnMs(target, pieces, answer);
    if (turnMs < maxDelayMs) return;
    expect(turnMs).toBeLessThan(maxSlowdown * (await minTurnMs(bare, pieces, /^/)));
  });

  test('delays no other request for connections that say nothing', async () => {
    const silent = await Promise.all(Array.from({ length: 50 }, () => connect(target.port)));
    for (const socket of silent) socket.write('GET /hea');
    await maxTurnMs(target);
    expect(await isServed(target.port)).toBe(true);
    expect(await maxTurnMs(target)).toBeLessThan(maxDelayMs);
    for (const socket of silent) socket.destroy();
  });
});
