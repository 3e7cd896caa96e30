/**
 * HTTP on a Unix socket, for a program that has no network and is shown that socket: each request is read whole and
 * answered by one function, in one piece or as a stream. It passes no header on, in either direction.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenIn, type LocalSocket } from './local-socket.ts';

export interface LocalRequest {
  method: string;
  /** Without query. */
  path: string;
  text: string;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
}

export interface LocalAnswer {
  status: number;
  type: string;
  /** A stream is always begun, and ended early when the caller is gone; if it throws, the connection breaks. */
  body: string | AsyncGenerator<string>;
}

export interface LocalHttpOptions {
  folder: string;
  name: string;
  mostRequestBytes: number;
  /** Must not throw. */
  answer(request: LocalRequest): Promise<LocalAnswer>;
}

/** Bounds what requests that are still being read can hold in memory. */
const mostConnections = 32;

export async function serveLocalHttp(options: LocalHttpOptions): Promise<LocalSocket> {
  const working = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const work = respond(options, request, response).catch(() => void response.destroy());
    working.add(work);
    void work.then(() => working.delete(work));
  });
  server.maxConnections = mostConnections;
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
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const text = await textOf(request, options.mostRequestBytes);
  if (text === undefined) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  const { method = '', url = '' } = request;
  const path = url.split('?', 1)[0] ?? '';
  const { status, type, body } = await options.answer({ method, path, text, signal: gone.signal });
  response.writeHead(status, { 'content-type': type });
  if (typeof body === 'string') return void response.end(body);
  for await (const piece of body) {
    if (response.destroyed) break;
    if (!response.write(piece)) await drained(response, gone.signal);
  }
  response.end();
}

/** Undefined when it is too large. */
async function textOf(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
}
