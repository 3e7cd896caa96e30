/**
 * HTTP on a Unix socket, for a sandboxed program without a network. Answers have no headers but their type.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenIn, type LocalSocket } from './local-socket.ts';

export interface LocalRequest {
  method: string;
  /** Without query. */
  path: string;
  query: URLSearchParams;
  text: string;
  /** By a name in lower case. */
  header(name: string): string | undefined;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface LocalAnswer {
  status: number;
  type: string;
  /**
   * A stream is always started, and ended early when the client disconnects; if it throws, the connection
   * breaks.
   */
  body: string | AsyncGenerator<string>;
}

export interface LocalHttpOptions {
  folder: string;
  name: string;
  maxRequestBytes: number;
  /** Must not throw. */
  answer(request: LocalRequest): Promise<LocalAnswer>;
}

/** Bounds the memory of requests that are still being read. */
const maxConnections = 32;

export async function serveLocalHttp(options: LocalHttpOptions): Promise<LocalSocket> {
  const working = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const work = respond(options, request, response).catch(() => void response.destroy());
    working.add(work);
    void work.then(() => working.delete(work));
  });
  server.maxConnections = maxConnections;
  const { path, close } = await listenIn(options.folder, options.name, server);
  return {
    path,
    async close() {
      await close();
      await Promise.all(working);
    },
  };
}

async function respond(
  options: LocalHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const text = await textOf(request, options.maxRequestBytes);
  if (text === undefined) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  const { method = '', url = '', headers } = request;
  const [path = '', query] = url.split('?', 2);
  const { status, type, body } = await options.answer({
    method,
    path,
    query: new URLSearchParams(query),
    text,
    header: (name) => headers[name]?.toString(),
    signal: disconnected.signal,
  });
  response.writeHead(status, { 'content-type': type });
  if (typeof body === 'string') return void response.end(body);
  for await (const piece of body) {
    if (response.destroyed) break;
    if (!response.write(piece)) await drained(response, disconnected.signal);
  }
  response.end();
}

/** Undefined when it is too large. */
async function textOf(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function drained(response: ServerResponse, disconnected: AbortSignal): Promise<void> {
  if (disconnected.aborted) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    disconnected.addEventListener('abort', () => resolve(), { once: true });
  });
}
