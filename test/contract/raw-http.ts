/** Sends raw HTTP over a socket, without the normalization of `fetch`, also in two parts. */
import { connect } from 'node:net';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

export interface Call {
  method: string;
  /** Path and query, exactly as sent. */
  target: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Exchange {
  send(bytes: string | Uint8Array): Promise<void>;
  /** Rejects when the server does not close the connection in time. */
  answer: Promise<Answer>;
}

const maxSeconds = 10;
/** Some event streams never end. */
const quietStreamMs = 1000;

export function send(origin: string, call: Call): Promise<Answer> {
  const exchange = openExchange(origin);
  void exchange.send(headOf(origin, call));
  const { body } = call;
  if (body !== undefined) void exchange.send(typeof body === 'string' ? Buffer.from(body) : body);
  return exchange.answer;
}

/** With `Connection: close`, the end of the connection is the end of the response. */
export function headOf(origin: string, call: Call): string {
  const headers = {
    Host: new URL(origin).host,
    Connection: 'close',
    ...(call.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(call.body)) }),
    ...call.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${call.method} ${call.target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export function openExchange(origin: string): Exchange {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  const answer = new Promise<Answer>((resolve, reject) => {
    socket.setTimeout(maxSeconds * 1000, () => {
      socket.destroy(new Error(`No answer within ${maxSeconds} s.`));
    });
    let quiet: NodeJS.Timeout | undefined;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (!chunks[0]?.includes('text/event-stream')) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.destroy(), quietStreamMs);
    });
    // A server that refuses a body closes the connection early; the response before that counts.
    socket.once('error', (error) => (chunks.length === 0 ? reject(error) : undefined));
    socket.once('close', () => {
      clearTimeout(quiet);
      try {
        resolve(parseAnswer(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
  });
  return {
    send(bytes) {
      // Latin-1, so that a test can put any byte into a head.
      const written = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
      return new Promise((resolve) => void socket.write(written, () => resolve()));
    },
    answer,
  };
}

function parseAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1)
    throw new Error(`Not an HTTP answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`);
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const rest = bytes.subarray(end + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.toString('utf8') };
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (size === 0) break;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
