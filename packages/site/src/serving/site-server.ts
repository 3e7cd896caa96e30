/**
 * The HTTP server of a deployment. It serves one site and can switch to another between two requests; a
 * running response completes with its site. It limits too many or too slow clients.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isInternalAddress } from '../network/internal-addresses.ts';
import { respond } from './respond.ts';
import { ConnectionBounds } from './connection-bounds.ts';
import { hasTwoHosts } from './host-header.ts';
import { admitPipelined } from './pipelining.ts';
import { readRules } from './site-rules.ts';
import type { ServedSite } from './served-site.ts';
import { statusAnswer, type SiteStatus, statusPaths, type Traffic } from './status-response.ts';

export interface SiteServerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** A separate port for health and metrics, without access checks. */
  statusPort?: number | undefined;
  /** Such as `/docs`; defaults to the path of the bundle. */
  basePath?: string | undefined;
  status: () => SiteStatus;
  /** max-age of Strict-Transport-Security; 0 disables it. */
  hstsSeconds?: number | undefined;
  /** Maximum of open connections. */
  connections?: number | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  /** Called for every response. */
  answered?:
    | ((line: { method: string; target: string; status: number; bodyBytes: number }) => void)
    | undefined;
}

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
const defaultConnections = 8192;
const maxHeaderBytes = 16 * 1024;
/** Used before a site is active. */
const bareHeaders = readRules(undefined).headers.flat();

export class SiteServer {
  readonly #options: SiteServerOptions;
  readonly #bounds: ConnectionBounds;
  readonly #server: Server;
  readonly #statusServer: Server | undefined;
  #site: ServedSite | undefined;
  /** Responses that are being read from disk, by release. */
  readonly #held = new Map<string, number>();
  readonly #answers = new Map<number, number>();
  #bodyBytes = 0;
  #isClosing = false;

  constructor(options: SiteServerOptions) {
    this.#options = options;
    this.#bounds = new ConnectionBounds(options.connections ?? defaultConnections);
    this.#server = this.#createServer((request, response) => this.#serve(request, response));
    if (options.statusPort !== undefined) {
      this.#statusServer = this.#createServer((request, response) => {
        if (!this.#serveStatus(request, response)) sendBare(response, 404, 'Not found.');
      });
    }
  }

  activate(site: ServedSite): void {
    const { basePath, hstsSeconds } = this.#options;
    site.configure({
      ...(basePath === undefined ? {} : { basePath: withoutSlash(basePath) }),
      headers: hstsSeconds ? ['Strict-Transport-Security', `max-age=${hstsSeconds}`] : [],
    });
    this.#site = site;
  }

  /** Whether the release is active or still being read. */
  inUse(releaseId: string): boolean {
    return this.#site?.id === releaseId || this.#held.has(releaseId);
  }

  async listen(): Promise<{ port: number; statusPort: number | undefined }> {
    const { host, port, statusPort = 0 } = this.#options;
    const listening = await listen(this.#server, host, port);
    if (this.#statusServer === undefined) return { port: listening, statusPort: undefined };
    try {
      return { port: listening, statusPort: await listen(this.#statusServer, host, statusPort) };
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  /** Stops accepting, waits for running responses, and cuts the rest after the grace period. */
  async close(graceSeconds = 10): Promise<void> {
    this.#isClosing = true;
    const servers = [this.#server, this.#statusServer].filter((each) => each !== undefined);
    const cut = setTimeout(() => this.#bounds.closeAll(), graceSeconds * 1000);
    const drained = Promise.all(servers.filter(({ listening }) => listening).map(drain));
    this.#bounds.closeUnused();
    await drained;
    clearTimeout(cut);
  }

  #createServer(serve: (request: IncomingMessage, response: ServerResponse) => void): Server {
    const timeLimits = { ...defaultTimeLimits, ...this.#options.timeLimits };
    const server = createServer(
      {
        keepAliveTimeout: timeLimits.keepAliveMs,
        headersTimeout: timeLimits.headersMs,
        requestTimeout: timeLimits.requestMs,
        connectionsCheckingInterval: timeLimits.checkMs,
        maxHeaderSize: maxHeaderBytes,
        optimizeEmptyRequests: true,
      },
      (request, response) => {
        if (!admitPipelined(request.socket, response)) return;
        if (hasTwoHosts(request.rawHeaders)) {
          this.#count(request.method ?? '', request.url ?? '', 400, 0);
          return sendBare(response, 400, 'The request has more than one Host header.', [
            'Connection',
            'close',
          ]);
        }
        serve(request, response);
      },
    );
    // The header size is limited instead; node:http would silently drop further headers.
    server.maxHeadersCount = 0;
    server.on('connection', (socket) => this.#bounds.accept(socket));
    server.on('clientError', answerBrokenRequest);
    // Applies when neither direction makes progress.
    server.setTimeout(timeLimits.readingMs, (socket) => socket.destroy());
    return server;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#bounds.touch(request.socket);
    const { method = '', url = '' } = request;
    if (this.#isClosing) response.shouldKeepAlive = false;
    const site = this.#site;
    if (this.#isStatus(url) && this.#serveStatus(request, response)) return;
    if (site === undefined) {
      this.#count(method, url, 503, 0);
      return sendBare(response, 503, 'No release is installed yet.', ['Retry-After', '5']);
    }
    respond({
      request,
      response,
      site,
      cache: site.content,
      textHeaders: site.headers,
      began: (status, bodyBytes) => this.#count(method, url, status, bodyBytes),
      hold: () => this.#hold(site.id, request.socket),
    });
  }

  /** A page with that path has precedence. */
  #isStatus(target: string): boolean {
    if (this.#statusServer !== undefined || !statusPaths.some((path) => path === target)) return false;
    return this.#site?.basePath !== '' || this.#site.find(target) === undefined;
  }

  /** False for other requests. */
  #serveStatus(request: IncomingMessage, response: ServerResponse): boolean {
    const path = statusPaths.find((each) => each === request.url);
    if (path === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) return false;
    // The operator controls access to a separate port.
    if (path === '/metrics' && this.#statusServer === undefined && !isInternalRequest(request)) {
      sendBare(response, 403, 'Metrics are available on the internal network only.');
      return true;
    }
    const reported = this.#options.status();
    const status = this.#isClosing ? { ...reported, notReadyBecause: 'the server is stopping' } : reported;
    const { status: code, type, body } = statusAnswer(path, status, this.#traffic());
    sendBare(response, code, body, ['Content-Type', type]);
    return true;
  }

  #traffic(): Traffic {
    return {
      answers: this.#answers,
      bodyBytes: this.#bodyBytes,
      requestsUnderWay: [...this.#held.values()].reduce((sum, count) => sum + count, 0),
      connections: this.#bounds.count,
      connectionsRefused: this.#bounds.refused,
      cachedBytes: this.#site?.content.bytes ?? 0,
    };
  }

  #count(method: string, target: string, status: number, bodyBytes: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
    this.#bodyBytes += bodyBytes;
    this.#options.answered?.({ method, target, status, bodyBytes });
  }

  #hold(releaseId: string, socket: Socket): () => void {
    this.#held.set(releaseId, (this.#held.get(releaseId) ?? 0) + 1);
    const release = this.#bounds.hold(socket);
    return () => {
      release();
      const left = (this.#held.get(releaseId) ?? 1) - 1;
      if (left > 0) this.#held.set(releaseId, left);
      else this.#held.delete(releaseId);
    };
  }
}

/** Behind a proxy every client address is internal, so forwarded requests are excluded. */
function isInternalRequest({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip'].some((name) => name in headers);
  return !isForwarded && isInternalAddress(socket.remoteAddress ?? '');
}

function sendBare(response: ServerResponse, status: number, text: string, headers: string[] = []): void {
  const body = Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
  const own = headers.includes('Content-Type') ? [] : ['Content-Type', 'text/plain; charset=utf-8'];
  const length = ['Content-Length', String(body.length), 'Cache-Control', 'no-store'];
  response.writeHead(status, [...own, ...headers, ...length, ...bareHeaders]).end(body);
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const line =
    {
      HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
      ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
    }[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** A connection that is busy during close() becomes idle later and would keep the process alive. */
async function drain(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
}

function withoutSlash(path: string): string {
  const bare = path.replace(/(?<!\/)\/+$/, '');
  return bare === '' || bare.startsWith('/') ? bare : `/${bare}`;
}
