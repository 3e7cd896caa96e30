/** Responds to a request with a file, a redirect or the not-found page. */
import { prefersMarkdown } from './markdown-preference.ts';
import { hasDotSegments, readRequestPath } from './request-path.ts';
import { type Exchange, send, sendFile, sendText } from './send-file.ts';
import type { ServedSite } from './served-site.ts';
import { encodedPath, type Redirect } from './site-rules.ts';

export interface SiteExchange extends Exchange {
  /** What the reader may see. */
  site: ServedSite;
  /** Responds instead of the not-found page. */
  respondToMissing?: (() => void) | undefined;
  observer?: PageObserver | undefined;
}

/** Learns which pages are read. */
export interface PageObserver {
  /** `file` is a path of the bundle. */
  served(exchange: SiteExchange, file: string): void;
  /** There is no page at the path, which is relative to the site. */
  missed(exchange: SiteExchange, path: string): void;
  /** An agent has received the Markdown of a page through a protocol. */
  fetched(site: ServedSite, file: string): void;
}

const methods = 'GET, HEAD, OPTIONS';
const notAnAddress = 'The address is malformed.';

export function respond(exchange: SiteExchange): void {
  const { request, response, site } = exchange;
  const { basePath } = site;
  // A request body is not read, so the connection cannot be reused.
  if ('content-length' in request.headers || 'transfer-encoding' in request.headers)
    response.shouldKeepAlive = false;
  if (request.method === 'OPTIONS') return send(exchange, 204, ['Allow', methods, ...site.headers]);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendText(exchange, 405, 'Only GET and HEAD are supported.', ['Allow', methods]);
  const wanted = readRequestPath(request.url ?? '');
  if (wanted === 'too long') return sendText(exchange, 414, 'The address is too long.');
  if (wanted === 'malformed') return sendText(exchange, 400, notAnAddress);
  const path = pathBelow(basePath, wanted.path);
  if (path === undefined || hasDotSegments(path)) {
    if (wanted.hasControlCharacter) return sendText(exchange, 400, notAnAddress);
    const isAbove = wanted.path === '/' || wanted.path === basePath;
    if (isAbove)
      return sendRedirect(exchange, { to: '/', permanent: wanted.path === basePath }, wanted.query);
    return sendNotFound(exchange);
  }
  // No file has such a name, but a redirect may.
  const asMarkdown = prefersMarkdown(request.headers.accept);
  const found = wanted.hasControlCharacter ? site.findMoved(path) : site.find(path, { asMarkdown });
  if (found === undefined && wanted.hasControlCharacter) return sendText(exchange, 400, notAnAddress);
  if (found === undefined) {
    exchange.observer?.missed(exchange, path);
    return sendNotFound(exchange);
  }
  if ('redirect' in found) return sendRedirect(exchange, found.redirect, wanted.query);
  exchange.observer?.served(exchange, found.file.path);
  sendFile(exchange, found.file);
}

/** Undefined when it is outside. */
function pathBelow(basePath: string, path: string): string | undefined {
  if (basePath === '') return path;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}

function sendRedirect(exchange: SiteExchange, { to, permanent }: Redirect, query: string): void {
  const own = to.startsWith('/') ? encodedPath(exchange.site.basePath) + to : to;
  // The query of the redirect target wins over that of the request.
  const [beforeFragment = '', ...fragment] = own.split('#');
  const address = own.includes('?') ? own : [beforeFragment + encodedQuery(query), ...fragment].join('#');
  send(exchange, permanent ? 308 : 307, [
    'Location',
    address,
    'Cache-Control',
    exchange.site.cacheControl.mayChange,
    'Content-Length',
    '0',
    ...exchange.site.headers,
  ]);
}

/** Drops a query that is not valid in a header. */
function encodedQuery(query: string): string {
  return /^[\x21-\x7e]*$/.test(query) ? query : '';
}

function sendNotFound(exchange: SiteExchange): void {
  if (exchange.respondToMissing !== undefined) return exchange.respondToMissing();
  const { notFound } = exchange.site;
  if (notFound === undefined) return sendText(exchange, 404, 'Page not found.');
  sendFile(exchange, notFound);
}
