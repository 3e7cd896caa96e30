/**
 * The HTTP server of one or several sites. It chooses the site of each request, limits too many or too slow
 * clients, and reports the status of the sites.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isInternalAddress } from '../network/internal-addresses.ts';
import type { InheritedSockets } from '../network/inherited-sockets.ts';
import type { AccessLog } from './access-log.ts';
import type { Certificates } from './certificates.ts';
import { ConnectionBounds } from './connection-bounds.ts';
import type { Gate, Reader } from './gate.ts';
import { hasTwoHosts } from './host-header.ts';
import type { HostedSite } from './hosted-site.ts';
import { createListener, drain, type Handler, listen, type Place, type TimeLimits } from './listener.ts';
import { admitPipelined } from './pipelining.ts';
import { respond, type SiteExchange } from './respond.ts';
import { sendText } from './send-file.ts';
import type { ServedSite } from './served-site.ts';
import { SiteRoutes } from './site-routes.ts';
import { readRules } from './site-rules.ts';
import { isStatusPath, type ProcessTraffic, statusAnswer } from './status-response.ts';

export interface SiteServerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  sites: readonly HostedSite[];
  /** For requests that belong to no site. */
  defaultSite?: string | null | undefined;
  /** A separate port for health and metrics, without access checks. */
  statusPort?: number | undefined;
  /** A port that redirects to HTTPS. */
  redirectPort?: number | undefined;
  /** Sockets to use instead of ports. */
  inherited?: InheritedSockets | undefined;
  /** For HTTPS. */
  certificates?: Certificates | undefined;
  accessLog?: AccessLog | undefined;
  /** Maximum of open connections. */
  connections?: number | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  /** Called for every response. */
  answered?:
    | ((line: { method: string; target: string; status: number; bodyBytes: number }) => void)
    | undefined;
  /** Called when an endpoint of a site fails unexpectedly. */
  failed?: ((path: string, error: unknown) => void) | undefined;
}

export interface Ports {
  port: number;
  statusPort: number | undefined;
  redirectPort: number | undefined;
}

interface Served {
  hosted: HostedSite;
  site: ServedSite;
  request: IncomingMessage;
  response: ServerResponse;
  began(status: number, bodyBytes: number): void;
}

const defaultConnections = 8192;
/** The first request of a new connection may be on its way. */
const unusedGraceMs = 300;
/** Used before a site is active. */
const bareHeaders = readRules(undefined).headers.flat();

export class SiteServer {
  readonly #options: SiteServerOptions;
  readonly #bounds: ConnectionBounds;
  readonly #routes: SiteRoutes;
  readonly #servers: Server[] = [];
  /** Responses to requests that belong to no site, by status. */
  readonly #unrouted = new Map<number, number>();
  readonly #hasStatusPort: boolean;
  #port = 0;
  #isClosing = false;

  constructor(options: SiteServerOptions) {
    this.#options = options;
    this.#bounds = new ConnectionBounds(options.connections ?? defaultConnections);
    this.#routes = new SiteRoutes(options.sites, options.defaultSite);
    this.#hasStatusPort = options.statusPort !== undefined || options.inherited?.status !== undefined;
  }

  async listen(): Promise<Ports> {
    const { host, port, statusPort, redirectPort, inherited, certificates } = this.#options;
    const placeOf = (fd: number | undefined, wanted: number | undefined): Place | undefined =>
      fd === undefined ? (wanted === undefined ? undefined : { host, port: wanted }) : { fd };
    const sockets = inherited?.site.map((fd) => ({ fd })) ?? [];
    const places: Place[] = sockets.length === 0 ? [{ host, port }] : sockets;
    try {
      for (const place of places)
        this.#port = await this.#open(place, (request, response) => this.#serve(request, response), {
          certificates,
        });
      const status = placeOf(inherited?.status, statusPort);
      const redirect = placeOf(inherited?.redirect, redirectPort);
      return {
        port: this.#port,
        statusPort:
          status &&
          (await this.#open(status, (request, response) => {
            if (!this.#serveStatus(request, response)) sendBare(response, 404, 'Not found.');
          })),
        redirectPort:
          redirect && (await this.#open(redirect, (request, response) => this.#redirect(request, response))),
      };
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  /** Stops accepting, waits for running responses, and cuts the rest after the grace period. */
  async close(graceSeconds = 10): Promise<void> {
    this.#isClosing = true;
    const unused = setTimeout(() => this.#bounds.closeUnused(), Math.min(unusedGraceMs, graceSeconds * 1000));
    const cut = setTimeout(() => this.#bounds.closeAll(), graceSeconds * 1000);
    await Promise.all(this.#servers.filter(({ listening }) => listening).map(drain));
    clearTimeout(unused);
    clearTimeout(cut);
  }

  async #open(
    place: Place,
    serve: Handler,
    { certificates }: Pick<SiteServerOptions, 'certificates'> = {},
  ): Promise<number> {
    const { timeLimits } = this.#options;
    const server = createListener({ bounds: this.#bounds, timeLimits, certificates }, (request, response) => {
      if (!admitPipelined(request.socket, response)) return;
      this.#bounds.touch(request.socket);
      if (this.#isClosing) response.shouldKeepAlive = false;
      if (hasTwoHosts(request.rawHeaders)) {
        this.#count(undefined, request, 400, 0);
        return sendBare(response, 400, 'The request has more than one Host header.', ['Connection', 'close']);
      }
      serve(request, response);
    });
    const port = await listen(server, place);
    this.#servers.push(server);
    return port;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const hosted = this.#routes.find(request);
    if (this.#isStatus(request.url ?? '', hosted) && this.#serveStatus(request, response)) return;
    const began = this.#logged(hosted, request, response);
    const site = hosted?.active;
    if (hosted === undefined) {
      began(404, 0);
      return sendBare(response, 404, 'No site is configured for this address.');
    }
    if (site === undefined) {
      began(503, 0);
      return sendBare(response, 503, 'No release is installed yet.', ['Retry-After', '5']);
    }
    const exchange = this.#exchange({ hosted, site, request, response, began });
    const { gate } = hosted;
    if (gate === undefined) return this.#answer(hosted, exchange, undefined);
    // The release must not be removed before the files of the reader are opened.
    const release = hosted.hold(site.id);
    this.#answerReader(hosted, exchange, gate)
      .catch((error: unknown) => {
        this.#options.failed?.('access', error);
        if (response.headersSent) response.destroy();
        else sendText(exchange, 500, 'The server cannot check your access. Try again later.');
      })
      .finally(release);
  }

  async #answerReader(hosted: HostedSite, exchange: SiteExchange, gate: Gate): Promise<void> {
    const visitor = await gate.admit(exchange);
    if (visitor === undefined) return;
    const { reader, mustSignIn } = visitor;
    const site = await exchange.site.siteFor(reader ?? (mustSignIn ? undefined : { groups: [] }));
    if (site === undefined)
      return reader === undefined ? gate.askToSignIn(exchange) : gate.deny(exchange, reader);
    const respondToMissing =
      reader === undefined && mustSignIn ? () => gate.askToSignIn(exchange) : undefined;
    this.#answer(hosted, { ...exchange, site, textHeaders: site.headers, respondToMissing }, reader);
  }

  #answer(hosted: HostedSite, exchange: SiteExchange, reader: Reader | undefined): void {
    const endpoint = hosted.endpointAt(exchange.request.url ?? '');
    if (endpoint === undefined) return respond(exchange);
    endpoint.serve(exchange, reader).catch((error: unknown) => {
      this.#options.failed?.(endpoint.path, error);
      if (exchange.response.headersSent) exchange.response.destroy();
      else sendText(exchange, 500, 'The server failed to respond. Try again later.');
    });
  }

  #exchange({ hosted, site, request, response, began }: Served): SiteExchange {
    return {
      request,
      response,
      site,
      cache: site.content,
      textHeaders: site.headers,
      observer: hosted.observer,
      began,
      hold: () => {
        const releases = [hosted.hold(site.id), this.#bounds.hold(request.socket)];
        return () => {
          for (const release of releases) release();
        };
      },
    };
  }

  /** Counts the response when it starts, and logs it when it ends. */
  #logged(
    hosted: HostedSite | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): (status: number, bodyBytes: number) => void {
    const { accessLog } = this.#options;
    if (accessLog === undefined)
      return (status, bodyBytes) => this.#count(hosted, request, status, bodyBytes);
    const startedAt = new Date();
    const startMs = performance.now();
    const { socket, method = '', url: target = '', httpVersion, headers } = request;
    const { remoteAddress } = socket;
    const sentBefore = socket.bytesWritten;
    let plannedBytes = 0;
    response.once('close', () => {
      const isComplete = response.writableFinished;
      const sentBytes = Math.max(0, Math.min(plannedBytes, socket.bytesWritten - sentBefore));
      accessLog.record({
        startedAt,
        durationMs: performance.now() - startMs,
        site: hosted?.name ?? null,
        remoteAddress,
        method,
        target,
        httpVersion,
        host: headers.host,
        referer: headers.referer,
        userAgent: headers['user-agent'],
        status: response.statusCode,
        bodyBytes: isComplete ? plannedBytes : sentBytes,
        isComplete,
      });
    });
    return (status, bodyBytes) => {
      plannedBytes = bodyBytes;
      this.#count(hosted, request, status, bodyBytes);
    };
  }

  /** A page with that path has precedence. */
  #isStatus(target: string, hosted: HostedSite | undefined): boolean {
    if (this.#hasStatusPort || !isStatusPath(target)) return false;
    const site = hosted?.active;
    return site?.basePath !== '' || site.find(target) === undefined;
  }

  /** False for other requests. */
  #serveStatus(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '' } = request;
    if (!isStatusPath(url) || !['GET', 'HEAD'].includes(method)) return false;
    // The operator controls access to a separate port.
    if (url === '/metrics' && !this.#hasStatusPort && !isInternalRequest(request)) {
      sendBare(response, 403, 'Metrics are available on the internal network only.');
      return true;
    }
    const stopping = this.#isClosing ? { notReadyBecause: 'the server is stopping' } : {};
    const sites = this.#options.sites.map((site) => ({
      name: site.name,
      status: { ...site.status(), ...stopping },
      traffic: site.traffic(),
    }));
    const answer = statusAnswer(url, sites, this.#traffic());
    if (answer === undefined) sendBare(response, 404, 'No site has this name.');
    else sendBare(response, answer.status, answer.body, ['Content-Type', answer.type]);
    return true;
  }

  /** To the same host with HTTPS. A request without a port has reached a mapped port, so HTTPS is mapped too. */
  #redirect(request: IncomingMessage, response: ServerResponse): void {
    const began = this.#logged(this.#routes.find(request), request, response);
    const [, name = '', port] =
      /^([\w.-]+|\[[\da-f:.]+\])(?::(\d+))?$/i.exec(request.headers.host ?? '') ?? [];
    const target = request.url ?? '';
    const isKnown = name !== '' && this.#routes.serves(name);
    const isPath = target.startsWith('/') && /^[\x21-\x7e]*$/.test(target);
    if (!isKnown || !isPath) {
      began(isKnown ? 400 : 404, 0);
      return sendBare(response, isKnown ? 400 : 404, 'No site is configured for this address.');
    }
    began(308, 0);
    const address = `https://${name}${port === undefined || this.#port === 443 ? '' : `:${this.#port}`}${target}`;
    sendBare(response, 308, 'The site is served over HTTPS.', ['Location', address]);
  }

  #traffic(): ProcessTraffic {
    return {
      unrouted: this.#unrouted,
      connections: this.#bounds.count,
      connectionsRefused: this.#bounds.refused,
      accessLogDropped: this.#options.accessLog?.dropped ?? 0,
      certificates: this.#options.certificates?.validUntil ?? [],
    };
  }

  #count(
    hosted: HostedSite | undefined,
    { method = '', url: target = '' }: IncomingMessage,
    status: number,
    bodyBytes: number,
  ): void {
    const site = hosted ?? this.#options.sites.find(({ name }) => name === null);
    if (site === undefined) this.#unrouted.set(status, (this.#unrouted.get(status) ?? 0) + 1);
    else site.count(status, bodyBytes);
    this.#options.answered?.({ method, target, status, bodyBytes });
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
