/**
 * From a request to its answer out of one site: the file in the form that the client takes, a redirect, or the not-found
 * page. What is in memory is answered at once, which is nearly everything; the rest is read from disk meanwhile.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import { acceptedEncodings } from './accepted-encodings.ts';
import { hasDotSegments, readRequestPath } from './request-path.ts';
import { encodedPath, type Redirect } from './site-rules.ts';
import type { Representation, ServedFile, ServedSite } from './served-site.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  site: ServedSite;
  /** Told of every answer when it begins. */
  began(status: number, bodyBytes: number): void;
  /** While content is read from disk the files of the site must stay. */
  hold(): () => void;
}

const methods = 'GET, HEAD, OPTIONS';
const mayChange = 'public, max-age=0, must-revalidate';
/** What is read from disk at once for one reader. */
const pieceBytes = 256 * 1024;
const plainText = 'text/plain; charset=utf-8';

const notAnAddress = 'This is no address of a page.';

export function answer(exchange: Exchange): void {
  const { request, response, site } = exchange;
  const { basePath } = site;
  // Whatever a client sends along is not read, so nothing may follow it.
  if ('content-length' in request.headers || 'transfer-encoding' in request.headers)
    response.shouldKeepAlive = false;
  if (request.method === 'OPTIONS') return send(exchange, 204, ['Allow', methods, ...site.headers]);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendText(exchange, 405, 'Only GET and HEAD can be asked of this site.', ['Allow', methods]);
  const wanted = readRequestPath(request.url ?? '');
  if (wanted === 'too long') return sendText(exchange, 414, 'This address is too long.');
  if (wanted === 'malformed') return sendText(exchange, 400, notAnAddress);
  const path = pathBelow(basePath, wanted.path);
  if (path === undefined || hasDotSegments(path)) {
    if (wanted.hasControlCharacter) return sendText(exchange, 400, notAnAddress);
    const isAbove = wanted.path === '/' || wanted.path === basePath;
    if (isAbove)
      return sendRedirect(exchange, { to: '/', permanent: wanted.path === basePath }, wanted.query);
    return sendNotFound(exchange);
  }
  // No file can have such a name, but one that was renamed may redirect from it.
  const found = wanted.hasControlCharacter ? site.findMoved(path) : site.find(path);
  if (found === undefined && wanted.hasControlCharacter) return sendText(exchange, 400, notAnAddress);
  if (found === undefined) return sendNotFound(exchange);
  if ('redirect' in found) return sendRedirect(exchange, found.redirect, wanted.query);
  sendFile(exchange, found.file);
}

/** Undefined when it is not below. */
function pathBelow(basePath: string, path: string): string | undefined {
  if (basePath === '') return path;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}

function sendFile(exchange: Exchange, file: ServedFile): void {
  const { request } = exchange;
  const { headers } = request;
  if (headers.range !== undefined && request.method === 'GET') {
    if (sendRange(exchange, file.plain, headers.range)) return;
  }
  const form = formOf(file, headers['accept-encoding']?.toString());
  if (isKnown(headers['if-none-match'], form.etag)) return send(exchange, 304, form.unchangedHeaders);
  sendContent(exchange, 200, form.headers, form);
}

/** The one that the client likes best of those there are. */
function formOf({ plain, compressed }: ServedFile, accepted: string | undefined): Representation {
  for (const encoding of acceptedEncodings(accepted)) {
    const form = compressed[encoding];
    if (form !== undefined) return form;
  }
  return plain;
}

/** A client may name several, or `*`; on its way a proxy may have called a tag weak. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header === etag || header.trim() === '*' || header.split(',').some((tag) => sameTag(tag.trim(), etag))
  );
}

function sameTag(tag: string, etag: string): boolean {
  return (tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
}

/** Ranges are of the file as it is, since other tools may compress it to other bytes. False: everything is sent. */
function sendRange(exchange: Exchange, form: Representation, header: string): boolean {
  const { headers } = exchange.request;
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== form.etag) return false;
  if (isKnown(headers['if-none-match'], form.etag)) return false;
  const range = byteRangeOf(header, form.sizeBytes);
  if (range === undefined) return false;
  if (range === 'unsatisfiable') {
    const part = ['Content-Range', `bytes */${form.sizeBytes}`];
    sendText(exchange, 416, `There are ${form.sizeBytes} bytes.`, part);
    return true;
  }
  const partHeaders = [
    ...without(form.headers, 'Content-Length'),
    'Content-Length',
    String(range.end - range.start + 1),
    'Content-Range',
    `bytes ${range.start}-${range.end}/${form.sizeBytes}`,
  ];
  sendContent(exchange, 206, partHeaders, form, range);
  return true;
}

function sendContent(
  exchange: Exchange,
  status: number,
  headers: string[],
  form: Representation,
  range: ByteRange = { start: 0, end: form.sizeBytes - 1 },
): void {
  const { content } = exchange.site;
  if (exchange.request.method === 'HEAD' || form.sizeBytes === 0) return send(exchange, status, headers);
  const kept = content.get(form);
  if (kept !== undefined) return send(exchange, status, headers, part(kept, range));
  const release = exchange.hold();
  if (!content.isFor(form)) return stream(exchange, status, headers, form, range, release);
  content
    .read(form)
    .then(
      (read) => send(exchange, status, headers, part(read, range)),
      () => sendFault(exchange),
    )
    .finally(release);
}

function part(content: string, { start, end }: ByteRange): string {
  return content.slice(start, end + 1);
}

function stream(
  exchange: Exchange,
  status: number,
  headers: string[],
  { file, offset }: Representation,
  range: ByteRange,
  release: () => void,
): void {
  const { response } = exchange;
  const source = createReadStream(file, {
    start: offset + range.start,
    end: offset + range.end,
    highWaterMark: pieceBytes,
  });
  source.once('open', () => {
    exchange.began(status, range.end - range.start + 1);
    response.writeHead(status, headers);
    // A reader that goes away ends the reading too; a file that breaks off ends the connection, since a length was promised.
    pipeline(source, response, release);
  });
  source.once('error', () => {
    if (response.headersSent) return;
    release();
    sendFault(exchange);
  });
}

function sendRedirect(exchange: Exchange, { to, permanent }: Redirect, query: string): void {
  const own = to.startsWith('/') ? encodedPath(exchange.site.basePath) + to : to;
  // What the author has written after a question mark counts, else what the reader has.
  const [beforeFragment = '', ...fragment] = own.split('#');
  const address = own.includes('?') ? own : [beforeFragment + encodedQuery(query), ...fragment].join('#');
  send(exchange, permanent ? 308 : 307, [
    'Location',
    address,
    'Cache-Control',
    mayChange,
    'Content-Length',
    '0',
    ...exchange.site.headers,
  ]);
}

/** As it came, without what may not stand in a header. */
function encodedQuery(query: string): string {
  return /^[\x21-\x7e]*$/.test(query) ? query : '';
}

function sendNotFound(exchange: Exchange): void {
  const { request, site } = exchange;
  if (site.notFound === undefined) return sendText(exchange, 404, 'There is no such page.');
  const form = formOf(site.notFound, request.headers['accept-encoding']?.toString());
  sendContent(exchange, 404, form.headers, form);
}

function sendFault(exchange: Exchange): void {
  if (!exchange.response.headersSent)
    return sendText(exchange, 503, 'This cannot be read now.', ['Retry-After', '5']);
  exchange.response.destroy();
}

function sendText(exchange: Exchange, status: number, text: string, headers: string[] = []): void {
  const body = `${text}\n`;
  const own = ['Content-Type', plainText, 'Content-Length', String(body.length), 'Cache-Control', 'no-store'];
  send(exchange, status, [...own, ...headers, ...exchange.site.headers], body);
}

/** The body is latin1 text, one character a byte. */
function send(exchange: Exchange, status: number, headers: string[], body?: string): void {
  const { request, response } = exchange;
  const isSent = body !== undefined && request.method !== 'HEAD';
  exchange.began(status, isSent ? body.length : 0);
  response.writeHead(status, headers);
  if (isSent) response.end(body, 'latin1');
  else response.end();
}

function without(headers: readonly string[], ...names: string[]): string[] {
  return headers.filter((_, index) => !names.includes(headers[index - (index % 2)] ?? ''));
}
