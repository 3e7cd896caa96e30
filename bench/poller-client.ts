/**
 * A process that plays many pollers over keep-alive connections. It speaks HTTP over sockets, because a client library would
 * cost more than the servers under test. `pollers.ts` controls it.
 */
import { createConnection, type Socket } from 'node:net';

export type ToPollers =
  /** Connections use the requests in rotation. */
  | { type: 'connect'; port: number; requests: readonly string[]; pollers: number; connections: number }
  /** `everyMs` is the pause between two requests of a poller; 0 for none. */
  | { type: 'poll'; forMs: number; everyMs: number }
  | { type: 'disconnect' };

export interface Polled {
  /** Milliseconds from the time a request was due to the end of its response. */
  latencies: number[];
  errors: number;
  seconds: number;
  /** Includes responses that were in flight at the end. */
  answeredInAll: number;
  secondsInAll: number;
}

interface Line {
  socket: Socket;
  request: string;
  /** When the requests of the pollers on this connection were due; the first is in flight. */
  due: number[];
  received: string;
}

/** Stays below the accept backlog of a server. */
const connectingAtOnce = 200;

let pollers = 0;
let lines: Line[] = [];
let everyMs = 0;
let isOver = true;
let polled = nothingPolled();

process.on('message', (message: ToPollers) => {
  void obey(message).then((answer) => process.send?.(answer));
});

process.once('disconnect', () => process.exit());

async function obey(message: ToPollers): Promise<unknown> {
  if (message.type === 'connect') return connectAll(message);
  if (message.type === 'poll') return poll(message);
  for (const { socket } of lines) socket.destroy();
  lines = [];
  return null;
}

async function connectAll(wanted: Extract<ToPollers, { type: 'connect' }>) {
  const { port, requests, connections } = wanted;
  ({ pollers } = wanted);
  while (lines.length < connections) {
    const at = lines.length;
    const length = Math.min(connectingAtOnce, connections - at);
    const next = Array.from({ length }, (_, index) => requests[(at + index) % requests.length] ?? '');
    lines.push(...(await Promise.all(next.map((request) => connect(port, request)))));
  }
  return lines.length;
}

/** The first response is not measured. */
function connect(port: number, request: string): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
    const line: Line = { socket, request, due: [], received: '' };
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      receive(line, text);
      if (line.received === '') resolve(line);
    });
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('A connection was closed before the first answer.'));
      if (!isOver) polled.errors += 1;
      line.due = [];
    });
  });
}

/** The first requests are spread over one pause; each later one follows a response. */
async function poll(wanted: { forMs: number; everyMs: number }): Promise<Polled> {
  everyMs = wanted.everyMs;
  polled = nothingPolled();
  isOver = false;
  const began = performance.now();
  for (let poller = 0; poller < pollers; poller += 1) {
    const line = lines[poller % lines.length];
    if (line !== undefined) askAt(line, began + (poller / pollers) * everyMs);
  }
  await new Promise((resolve) => setTimeout(resolve, wanted.forMs));
  isOver = true;
  polled.seconds = (performance.now() - began) / 1000;
  while (lines.some(({ due }) => due.length > 0)) await new Promise((resolve) => setTimeout(resolve, 10));
  polled.secondsInAll = (performance.now() - began) / 1000;
  return polled;
}

function nothingPolled(): Polled {
  return { latencies: [], errors: 0, seconds: 0, answeredInAll: 0, secondsInAll: 0 };
}

function askAt(line: Line, dueAt: number): void {
  const waitMs = dueAt - performance.now();
  if (waitMs > 0) setTimeout(() => ask(line, dueAt), waitMs);
  else ask(line, dueAt);
}

function ask(line: Line, dueAt: number): void {
  if (isOver || line.socket.destroyed) return;
  // A timer may fire a millisecond early, which must not favor the server.
  line.due.push(Math.min(dueAt, performance.now()));
  if (line.due.length === 1) line.socket.write(line.request);
}

function receive(line: Line, text: string): void {
  line.received = line.received === '' ? text : line.received + text;
  const isFine = statusOfWhole(line.received);
  if (isFine === undefined) return;
  line.received = '';
  const dueAt = line.due.shift();
  if (line.due.length > 0) line.socket.write(line.request);
  if (dueAt === undefined) return;
  polled.answeredInAll += 1;
  if (isOver) return;
  const now = performance.now();
  polled.latencies.push(now - dueAt);
  if (!isFine) polled.errors += 1;
  askAt(line, Math.max(now, dueAt + everyMs));
}

/** Whether the response is the record; undefined while it is incomplete. */
function statusOfWhole(answer: string): boolean | undefined {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? [];
  if (length === undefined) throw new Error(`An answer without a length: ${answer.slice(0, headEnd)}`);
  return answer.length < headEnd + 4 + Number(length) ? undefined : answer.startsWith('HTTP/1.1 200');
}
