/**
 * The listening socket: limits and time-outs for clients that are too many or too slow, JSON for requests too broken to
 * reach the app, and a stop that finishes what is under way.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { errorTable, type ErrorCode } from '@docyard/api';
import { hasTwoHosts } from '@docyard/site/serving';
import { admitPipelined } from '@docyard/site/serving';
import { Connections } from './connections.ts';
import type { App } from './request.ts';

export interface RunningServer {
  port: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Takes no new connection, lets requests under way end, cuts what is left after the grace. */
  close(graceSeconds: number): Promise<void>;
}

export interface Listening {
  host: string;
  port: number;
  limits?: { connections: number };
  trustProxy?: boolean;
  patience?: Partial<Patience>;
}

interface OpenServer extends RunningServer {
  /** Until this call every request is refused with `starting`. `refused` is called for answers the app did not give. */
  serve(app: App, refused?: (code: ErrorCode) => void): void;
}

/** How long is waited for a client. */
export interface Patience {
  headersMs: number;
  requestMs: number;
  /** For the reader of an answer to take any more of it. */
  readingMs: number;
  keepAliveMs: number;
  /** For the request of a connection that is one too many. */
  surplusMs: number;
  /** How often the first two are looked after. */
  checkMs: number;
}

const usualPatience: Patience = {
  headersMs: 20_000,
  requestMs: 60_000,
  readingMs: 30_000,
  keepAliveMs: 72_000,
  surplusMs: 5000,
  checkMs: 2000,
};
/** Of all connections, for those from one address on which nobody has shown a key yet. */
const strangersShare = 1 / 4;
const comeBackSeconds = 5;
const maxPipelinedRequests = 16;

export async function listen(app: App, where: Listening): Promise<RunningServer> {
  const server = await openServer(where);
  server.serve(app);
  return server;
}

/** Binds the port before there is an app, so that a port in use is noticed before anything is created. */
export async function openServer(where: Listening): Promise<OpenServer> {
  const patience = { ...usualPatience, ...where.patience };
  const most = where.limits?.connections ?? Infinity;
  let refused: (code: ErrorCode) => void = () => {};
  let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void = (_incoming, outgoing) =>
    refuse(outgoing, 'starting');
  const connections = new Connections({
    connections: most,
    strangersOfAddress: where.trustProxy ? Infinity : Math.max(1, Math.floor(most * strangersShare)),
    surplusMs: patience.surplusMs,
  });
  const server = createServer(
    {
      keepAliveTimeout: patience.keepAliveMs,
      connectionsCheckingInterval: patience.checkMs,
      // Ending the unread streams of a destroyed connection would block the event loop.
      optimizeEmptyRequests: true,
    },
    (incoming, outgoing) => {
      const { socket } = incoming;
      if (!admitPipelined(socket, outgoing, maxPipelinedRequests)) return;
      if (hasTwoHosts(incoming.rawHeaders)) {
        refused('invalid_request');
        return refuse(outgoing, 'invalid_request');
      }
      if (!connections.begin(socket)) {
        refused('overloaded');
        return refuse(outgoing, 'overloaded');
      }
      outgoing.once('close', () => connections.end(socket));
      answer(incoming, outgoing);
    },
  );
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = patience.requestMs;
  // The size of all headers is limited; node:http would drop further ones silently.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => connections.accept(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code = answerBrokenRequest(error, socket);
    if (code !== undefined) refused(code);
  });
  // Called when nothing has moved on a connection for so long, in either direction.
  server.setTimeout(patience.readingMs, (socket) => {
    if (connections.isIdle(socket) || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(patience.readingMs);
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
      const handle = getRequestListener(app.fetch, { errorHandler: answerUnreadable });
      answer = (incoming, outgoing) => void handle(incoming, outgoing);
      refused = onRefusal;
    },
    close: (graceSeconds) => close(server, graceSeconds),
  };
}

function refuse(outgoing: ServerResponse, code: 'overloaded' | 'starting' | 'invalid_request'): void {
  const body = bareBody(code);
  outgoing
    .writeHead(errorTable[code].status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(errorTable[code].status === 503 ? { 'retry-after': String(comeBackSeconds) } : {}),
      connection: 'close',
    })
    .end(body);
}

/** A keep-alive connection busy at the time of close() goes idle after it and would hold the process for minutes. */
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

/** Undefined when there is nobody left to answer. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): ErrorCode | undefined {
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
  const body = bareBody(code);
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return code;
}

/** A host or path that makes no URL never reaches the app. */
function answerUnreadable(error: unknown): Response {
  const code: ErrorCode = error instanceof RequestError ? 'invalid_request' : 'internal';
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(bareBody(code), { status: errorTable[code].status, headers });
}

function bareBody(code: ErrorCode): string {
  return JSON.stringify({ error: `${errorTable[code].title}.`, code, requestId: 'none' });
}
