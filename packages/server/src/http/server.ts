/**
 * The listening socket: connection limits, timeouts for slow clients, error responses for malformed requests,
 * graceful shutdown.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { errorTable, type ErrorCode } from '@docyard/api';
import { hasTwoHosts } from '@docyard/site/serving';
import { admitPipelined } from '@docyard/site/serving';
import type { Config } from '../config.ts';
import { Connections } from './connections.ts';
import { isTrustedProxy, type App } from './request.ts';

export interface RunningServer {
  port: number;
  readonly connections: number;
  /** Accepts no new connection, finishes running requests, and disconnects the rest after the grace period. */
  close(graceSeconds: number): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  limits?: { connections: number };
  trustProxy?: Config['trustProxy'];
  timeouts?: Partial<Timeouts>;
}

interface OpenServer extends RunningServer {
  /**
   * Until this call every request is refused with `starting`. `onRefused` is called for responses that the app did
   * not send.
   */
  serve(app: App, onRefused?: (code: ErrorCode) => void): void;
}

export interface Timeouts {
  headersMs: number;
  requestMs: number;
  /** How long a client may read nothing of a response. */
  readingMs: number;
  keepAliveMs: number;
  /** For the request of a surplus connection. */
  surplusMs: number;
  /** How often headersMs and requestMs are checked. */
  checkMs: number;
}

const defaultTimeouts: Timeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  readingMs: 30_000,
  keepAliveMs: 72_000,
  surplusMs: 5000,
  checkMs: 2000,
};
/** The share of all connections that unauthenticated clients from one address may use. */
const maxUnauthenticatedShare = 1 / 4;
const retryAfterSeconds = 5;
const maxPipelinedRequests = 16;

export async function listen(app: App, where: ListenOptions): Promise<RunningServer> {
  const server = await openServer(where);
  server.serve(app);
  return server;
}

/** Binds the port before the app exists, so that a port in use is detected before anything is created. */
export async function openServer(where: ListenOptions): Promise<OpenServer> {
  const timeouts = { ...defaultTimeouts, ...where.timeouts };
  const maxConnections = where.limits?.connections ?? Infinity;
  let onRefused: (code: ErrorCode) => void = () => {};
  let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void = (_incoming, outgoing) =>
    refuse(outgoing, 'starting');
  const connections = new Connections({
    connections: maxConnections,
    unauthenticatedPerAddress: Math.max(1, Math.floor(maxConnections * maxUnauthenticatedShare)),
    isProxy: (address) => isTrustedProxy(where.trustProxy ?? false, address),
    surplusMs: timeouts.surplusMs,
  });
  const server = createServer(
    {
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // Ending the unread streams of a destroyed connection would block the event loop.
      optimizeEmptyRequests: true,
    },
    (incoming, outgoing) => {
      const { socket } = incoming;
      if (!admitPipelined(socket, outgoing, maxPipelinedRequests)) return;
      if (hasTwoHosts(incoming.rawHeaders)) {
        onRefused('invalid_request');
        return refuse(outgoing, 'invalid_request');
      }
      if (!connections.begin(socket)) {
        onRefused('overloaded');
        return refuse(outgoing, 'overloaded');
      }
      outgoing.once('close', () => connections.end(socket));
      answer(incoming, outgoing);
    },
  );
  server.headersTimeout = timeouts.headersMs;
  server.requestTimeout = timeouts.requestMs;
  // The total size of headers is limited; with a maximum count node:http would drop headers silently.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => connections.accept(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code = respondToMalformedRequest(error, socket);
    if (code !== undefined) onRefused(code);
  });
  // Called when a connection is inactive in both directions.
  server.setTimeout(timeouts.readingMs, (socket) => {
    if (connections.isIdle(socket) || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(timeouts.readingMs);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where.port, where.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections.count;
    },
    serve(app, onRefusal = () => {}) {
      const handle = getRequestListener(app.fetch, { errorHandler: respondToInvalidUrl });
      answer = (incoming, outgoing) => void handle(incoming, outgoing);
      onRefused = onRefusal;
    },
    close: (graceSeconds) => close(server, graceSeconds),
  };
}

function refuse(outgoing: ServerResponse, code: 'overloaded' | 'starting' | 'invalid_request'): void {
  const body = errorBody(code);
  outgoing
    .writeHead(errorTable[code].status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(errorTable[code].status === 503 ? { 'retry-after': String(retryAfterSeconds) } : {}),
      connection: 'close',
    })
    .end(body);
}

/** A keep-alive connection that is busy at close() becomes idle afterwards and would keep the process running. */
async function close(server: Server, graceSeconds: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(cut);
}

/** Undefined when the connection is already closed. */
function respondToMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): ErrorCode | undefined {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'invalid_request';
  const { status, title } = errorTable[code];
  const body = errorBody(code);
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return code;
}

/** A host or path that is no valid URL never reaches the app. */
function respondToInvalidUrl(error: unknown): Response {
  const code: ErrorCode = error instanceof RequestError ? 'invalid_request' : 'internal';
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(errorBody(code), { status: errorTable[code].status, headers });
}

function errorBody(code: ErrorCode): string {
  return JSON.stringify({ error: `${errorTable[code].title}.`, code, requestId: 'none' });
}
