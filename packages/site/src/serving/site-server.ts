/**
 * The web server of a deployment. It serves one site at a time and takes another between two requests: whoever is being
 * answered gets the rest from the one they began with. It keeps clients that are too many or too slow in bounds.
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
  /** 0 for any that is free. */
  port: number;
  /** Health and numbers are there instead, for everybody who reaches that port. */
  statusPort?: number | undefined;
  /** Where the site is served, such as `/docs`; what the bundle was made for unless told. */
  basePath?: string | undefined;
  /** Asked when somebody wants to know. */
  status: () => SiteStatus;
  /** For how long browsers are told to insist on https, when something in front speaks it; 0 for never. */
  hstsSeconds?: number | undefined;
  /** How many may be open at once. */
  connections?: number | undefined;
  patience?: Partial<Patience> | undefined;
  /** Told of every answer, for a log. */
  answered?:
    | ((line: { method: string; target: string; status: number; bodyBytes: number }) => void)
    | undefined;
}

/** How long is waited for a client. */
export interface Patience {
  headersMs: number;
  requestMs: number;
  /** For the reader of an answer to take any more of it. */
  readingMs: number;
  keepAliveMs: number;
  /** How often the first two are looked after. */
  checkMs: number;
}

const defaultPatience: Patience = {
  headersMs: 20_000,
  requestMs: 60_000,
  readingMs: 30_000,
  keepAliveMs: 72_000,
  checkMs: 2000,
};
const defaultConnections = 8192;
const maxHeaderBytes = 16 * 1024;
/** Before there is a site: enough for a sentence. */
const bareHeaders = readRules(undefined).headers.flat();

export class SiteServer {
  readonly #options: SiteServerOptions;
  readonly #bounds: ConnectionBounds;
  readonly #server: Server;
  readonly #statusServer: Server | undefined;
  #site: ServedSite | undefined;
  /** Requests that are being read from disk for, by release. */
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
        if (!this.#serveStatus(request, response)) sendBare(response, 404, 'There is nothing here.');
      });
    }
  }

  /** The next request is answered from this site. */
  activate(site: ServedSite): void {
    const { basePath, hstsSeconds } = this.#options;
    site.put({
      ...(basePath === undefined ? {} : { basePath: withoutSlash(basePath) }),
      headers: hstsSeconds ? ['Strict-Transport-Security', `max-age=${hstsSeconds}`] : [],
    });
    this.#site = site;
  }

  /** Whether this release is served now, or somebody is still being sent a file of it. */
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

  /** Takes no new connection, lets answers under way end, cuts what is left after the grace. */
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
    const patience = { ...defaultPatience, ...this.#options.patience };
    const server = createServer(
      {
        keepAliveTimeout: patience.keepAliveMs,
        headersTimeout: patience.headersMs,
        requestTimeout: patience.requestMs,
        connectionsCheckingInterval: patience.checkMs,
        maxHeaderSize: maxHeaderBytes,
        optimizeEmptyRequests: true,
      },
      (request, response) => {
        if (!admitPipelined(request.socket, response)) return;
        if (hasTwoHosts(request.rawHeaders)) {
          this.#count(request.method ?? '', request.url ?? '', 400, 0);
          return sendBare(response, 400, 'A request names one host.', ['Connection', 'close']);
        }
        serve(request, response);
      },
    );
    // The size of all headers is limited; node:http would drop further ones silently.
    server.maxHeadersCount = 0;
    server.on('connection', (socket) => this.#bounds.accept(socket));
    server.on('clientError', answerBrokenRequest);
    // Called when nothing has moved on a connection for so long, in either direction: no file takes that long to read.
    server.setTimeout(patience.readingMs, (socket) => socket.destroy());
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
      return sendBare(response, 503, 'There is no site here yet.', ['Retry-After', '5']);
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

  /** A page of that name wins: the documentation of a service may well have one about its metrics. */
  #isStatus(target: string): boolean {
    if (this.#statusServer !== undefined || !statusPaths.some((path) => path === target)) return false;
    return this.#site?.basePath !== '' || this.#site.find(target) === undefined;
  }

  /** False when something else was asked for. */
  #serveStatus(request: IncomingMessage, response: ServerResponse): boolean {
    const path = statusPaths.find((each) => each === request.url);
    if (path === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) return false;
    // On a port of its own the operator has decided who reaches it.
    if (path === '/metrics' && this.#statusServer === undefined && !isNear(request)) {
      sendBare(response, 403, 'The numbers are handed out within the own network only.');
      return true;
    }
    const told = this.#options.status();
    const status = this.#isClosing ? { ...told, notReadyBecause: 'the server is stopping' } : told;
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

/** Behind a proxy everybody seems to be near; its header gives it away. */
function isNear({ headers, socket }: IncomingMessage): boolean {
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

/** A keep-alive connection busy at the time of close() goes idle after it and would hold the process for minutes. */
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
