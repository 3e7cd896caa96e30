/**
 * A process that sends GET requests at a fixed rate (open loop) and measures from the time a request was due, which avoids
 * coordinated omission. It speaks HTTP over sockets, because a client library would use more of the shared cores than the
 * server. `status-under-load.ts` controls it.
 */
import { createConnection, type Socket } from 'node:net';

export type ToGenerator =
  | { type: 'begin'; url: string; key: string; perSecond: number }
  | { type: 'aim'; url: string }
  | { type: 'end' };

export interface Load {
  /** Milliseconds from the time each request was due to the end of its response. */
  latencies: number[];
  /** The same from the time each request was sent, without the delay of the generator. */
  fromSending: number[];
  errors: number;
}

interface Request {
  text: string;
  dueAt: number;
  sentAt: number;
}

interface Line {
  socket: Socket;
  request: Request | undefined;
  received: string;
}

const connections = 64;
const load: Load = { latencies: [], fromSending: [], errors: 0 };
const free: Line[] = [];
/** Requests that wait for a free connection. */
const waiting: Request[] = [];
let text = '';
let key = '';
let underWay = 0;
let ended = false;

process.on('message', (message: ToGenerator) => {
  if (message.type === 'end') ended = true;
  if (message.type === 'begin') ({ key } = message);
  if (message.type !== 'end') text = requestFor(new URL(message.url));
  if (message.type === 'begin') begin(new URL(message.url), message.perSecond);
});

process.once('disconnect', () => process.exit());

function requestFor({ host, pathname }: URL): string {
  return `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

function begin(address: URL, perSecond: number): void {
  for (let at = 0; at < connections; at += 1) free.push(connect(address));
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ended ? sent : 1 + Math.floor(((performance.now() - began) * perSecond) / 1000);
    for (; sent < due; sent += 1) ask({ text, dueAt: began + (sent * 1000) / perSecond, sentAt: 0 });
    if (!ended || underWay > 0) return;
    clearInterval(timer);
    process.send?.(load, () => process.disconnect());
  }, 1);
}

function connect({ hostname, port }: URL): Line {
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
  const line: Line = { socket, request: undefined, received: '' };
  socket.setEncoding('latin1').on('data', (chunk: string) => receive(line, chunk));
  socket.on('error', () => {});
  socket.once('close', () => {
    if (line.request !== undefined) settle(line.request, false);
    else free.splice(free.indexOf(line), 1);
    if (!ended) use(connect(new URL(`http://${hostname}:${port}`)));
  });
  return line;
}

function ask(request: Request): void {
  underWay += 1;
  waiting.push(request);
  const line = free.pop();
  if (line !== undefined) use(line);
}

function use(line: Line): void {
  line.request = waiting.shift();
  line.received = '';
  if (line.request === undefined) return void free.push(line);
  line.request.sentAt = performance.now();
  line.socket.write(line.request.text);
}

function receive(line: Line, chunk: string): void {
  line.received += chunk;
  const headEnd = line.received.indexOf('\r\n\r\n') + 4;
  if (line.request === undefined || headEnd < 4) return;
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(line.received) ?? [];
  if (line.received.length < headEnd + Number(length)) return;
  settle(line.request, line.received.startsWith('HTTP/1.1 200'));
  use(line);
}

function settle({ dueAt, sentAt }: Request, isFine: boolean): void {
  const now = performance.now();
  underWay -= 1;
  load.latencies.push(now - dueAt);
  load.fromSending.push(now - sentAt);
  if (!isFine) load.errors += 1;
}
