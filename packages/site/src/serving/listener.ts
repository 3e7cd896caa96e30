/** Creates HTTP and HTTPS servers with the limits for clients, and opens and closes their ports. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Certificates } from './certificates.ts';
import type { ConnectionBounds } from './connection-bounds.ts';

/** Time limits for clients. */
export interface TimeLimits {
  headersMs: number;
  requestMs: number;
  /** Without progress while a response is sent. */
  readingMs: number;
  keepAliveMs: number;
  /** How often the first two are checked. */
  checkMs: number;
}

const defaultTimeLimits: TimeLimits = {
  headersMs: 20_000,
  requestMs: 60_000,
  readingMs: 30_000,
  keepAliveMs: 72_000,
  checkMs: 2000,
};
const maxHeaderBytes = 16 * 1024;

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ListenerOptions {
  bounds: ConnectionBounds;
  timeLimits?: Partial<TimeLimits> | undefined;
  /** For HTTPS. */
  certificates?: Certificates | undefined;
}

export function createListener(
  { bounds, timeLimits: given, certificates }: ListenerOptions,
  handler: Handler,
): Server {
  const timeLimits = { ...defaultTimeLimits, ...given };
  const options = {
    keepAliveTimeout: timeLimits.keepAliveMs,
    headersTimeout: timeLimits.headersMs,
    requestTimeout: timeLimits.requestMs,
    connectionsCheckingInterval: timeLimits.checkMs,
    maxHeaderSize: maxHeaderBytes,
    optimizeEmptyRequests: true,
  };
  const server =
    certificates === undefined
      ? createServer(options, handler)
      : createSecureServer({ ...options, handshakeTimeout: timeLimits.headersMs }, certificates, handler);
  // The header size is limited instead; node:http would silently drop further headers.
  server.maxHeadersCount = 0;
  if (certificates === undefined) server.on('connection', (socket) => bounds.accept(socket));
  else {
    server.on('connection', (socket) => bounds.acceptHandshake(socket));
    server.on('secureConnection', (socket: Socket) => bounds.endHandshake(socket));
  }
  server.on('clientError', answerBrokenRequest);
  // Applies when neither direction makes progress.
  server.setTimeout(timeLimits.readingMs, (socket: Socket) => socket.destroy());
  return server;
}

function createSecureServer(options: ServerOptions, certificates: Certificates, handler: Handler): Server {
  const server = createTlsServer({ ...options, ...certificates.tlsOptions }, handler);
  certificates.onChange(() => server.setSecureContext(certificates.tlsOptions));
  return server;
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = '' } = error;
  const hasNoRequest = code === 'ECONNRESET' || code === 'EPROTO' || /^ERR_(?:SSL|TLS)_/.test(code);
  if (socket.destroyed || !socket.writable || hasNoRequest) {
    socket.destroy();
    return;
  }
  const line =
    {
      HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
      ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
    }[code] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** A descriptor is an open socket of systemd. */
export type Place = { host: string; port: number } | { fd: number };

/** The port; 0 for a socket in the file system. */
export async function listen(server: Server, place: Place): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** A connection that is busy during close() becomes idle later and would keep the process alive. */
export async function drain(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
}
