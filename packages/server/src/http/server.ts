/**
 * The listening socket: time-outs for slow clients, JSON for requests too broken to reach the app, and a stop that
 * finishes what is under way.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { errorTable, type ErrorCode } from '@docyard/api';
import type { App } from './request.ts';

export interface RunningServer {
  port: number;
  /** Takes no new connection, lets requests under way end, cuts what is left after the grace. */
  close(graceSeconds: number): Promise<void>;
}

export async function listen(
  app: App,
  where: { host: string; port: number; limits?: { connections: number } },
): Promise<RunningServer> {
  const handle = getRequestListener(app.fetch, { errorHandler: answerUnreadable });
  const server = createServer(
    { keepAliveTimeout: 72_000 },
    (incoming, outgoing) => void handle(incoming, outgoing),
  );
  server.headersTimeout = 20_000;
  server.requestTimeout = 60_000;
  server.maxHeadersCount = 100;
  server.maxConnections = where.limits?.connections ?? Infinity;
  server.on('clientError', answerBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where.port, where.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceSeconds) => close(server, graceSeconds),
  };
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

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
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
