/**
 * A process that plays readers of a static site over keep-alive connections. It parses only the first response to each request
 * and then counts bytes, because parsing would cost more than the servers under test. `static-serving.ts` controls it.
 */
import { createConnection, type Socket } from 'node:net';

export type ToReaders =
  | { type: 'connect'; port: number; requests: readonly string[]; connections: number }
  /** `everyMs` is the interval between two requests of a reader; 0 sends the next request immediately. */
  | { type: 'read'; forMs: number; everyMs: number }
  | { type: 'disconnect' };

export interface Readings {
  /** Milliseconds from the time a request was due to the end of its response. */
  latencies: number[];
  errors: number;
  bytes: number;
  seconds: number;
}

interface Reader {
  socket: Socket;
  next: number;
  dueAt: number;
  missingBytes: number;
}

let requests: Buffer[] = [];
/** Sizes of whole responses; only their `Date` header varies. */
let answerBytes: number[] = [];
let readers: Reader[] = [];
let everyMs = 0;
let isOver = true;
let readings = nothingRead();

process.on('message', (message: ToReaders) => {
  void obey(message).then((answer) => process.send?.(answer));
});

process.once('disconnect', () => process.exit());

async function obey(message: ToReaders): Promise<unknown> {
  if (message.type === 'read') return read(message);
  if (message.type === 'connect') return connectAll(message);
  for (const { socket } of readers) socket.destroy();
  readers = [];
  return null;
}

async function connectAll(wanted: { port: number; requests: readonly string[]; connections: number }) {
  requests = wanted.requests.map((text) => Buffer.from(text, 'latin1'));
  answerBytes = [];
  for (const request of requests) answerBytes.push(await lengthOfAnswer(wanted.port, request));
  const indexes = Array.from({ length: wanted.connections }, (_, index) => index);
  readers = await Promise.all(indexes.map((index) => connect(wanted.port, index)));
  return answerBytes;
}

function lengthOfAnswer(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(request));
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const headEnd = text.indexOf('\r\n\r\n') + 4;
      if (headEnd < 4) return;
      const isUnchanged = text.startsWith('HTTP/1.1 304');
      const [, length] = isUnchanged ? ['', '0'] : (/\r\ncontent-length: (\d+)/i.exec(text) ?? []);
      if (length === undefined || !(isUnchanged || text.startsWith('HTTP/1.1 200')))
        reject(new Error(`An answer that cannot be measured: ${text.slice(0, headEnd)}`));
      else if (text.length === headEnd + Number(length)) resolve(text.length);
      else return;
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

function connect(port: number, index: number): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true }, () => resolve(reader));
    const reader: Reader = { socket, next: index, dueAt: 0, missingBytes: 0 };
    socket.on('data', (chunk: Buffer) => receive(reader, chunk.length));
    socket.once('error', reject);
    socket.once('close', () => {
      if (!isOver) readings.errors += 1;
      reader.missingBytes = 0;
    });
  });
}

async function read(wanted: { forMs: number; everyMs: number }): Promise<Readings> {
  everyMs = wanted.everyMs;
  readings = nothingRead();
  isOver = false;
  const began = performance.now();
  readers.forEach((reader, index) => askAt(reader, began + (index / readers.length) * everyMs));
  await new Promise((resolve) => setTimeout(resolve, wanted.forMs));
  isOver = true;
  readings.seconds = (performance.now() - began) / 1000;
  while (readers.some(({ missingBytes }) => missingBytes > 0))
    await new Promise((resolve) => setTimeout(resolve, 5));
  return readings;
}

function nothingRead(): Readings {
  return { latencies: [], errors: 0, bytes: 0, seconds: 0 };
}

function askAt(reader: Reader, dueAt: number): void {
  const waitMs = dueAt - performance.now();
  if (waitMs > 1) setTimeout(() => ask(reader, dueAt), waitMs);
  else ask(reader, dueAt);
}

function ask(reader: Reader, dueAt: number): void {
  if (isOver || reader.socket.destroyed) return;
  // A timer may fire a millisecond early, which must not favor the server.
  reader.dueAt = Math.min(dueAt, performance.now());
  reader.missingBytes = answerBytes[reader.next % requests.length] ?? 0;
  reader.socket.write(requests[reader.next % requests.length] ?? '');
  reader.next += 1;
}

function receive(reader: Reader, bytes: number): void {
  reader.missingBytes -= bytes;
  if (reader.missingBytes > 0) return;
  if (reader.missingBytes < 0) readings.errors += 1;
  reader.missingBytes = 0;
  if (isOver) return;
  const now = performance.now();
  readings.latencies.push(now - reader.dueAt);
  readings.bytes += bytes;
  askAt(reader, Math.max(now, reader.dueAt + everyMs));
}
