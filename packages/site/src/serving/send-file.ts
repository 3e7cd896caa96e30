/** Sends a static file through `node:http`, from memory or from disk. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { ByteRange } from './byte-range.ts';
import type { ContentCache } from './content-cache.ts';
import { answerFor, type Representation, type StaticFile } from './static-file.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  cache?: ContentCache | undefined;
  /** Headers of plain-text responses; names and values alternate. */
  textHeaders: readonly string[];
  /** Called when a response starts. */
  began?(status: number, bodyBytes: number): void;
  /** The files must exist until the returned function is called. */
  hold?(): () => void;
}

/** Chunk size of reads from disk. */
const pieceBytes = 256 * 1024;
const plainText = 'text/plain; charset=utf-8';

export function sendFile(exchange: Exchange, file: StaticFile): void {
  const answer = answerFor(file, exchange.request);
  const { status, headers } = answer;
  if (answer.status === 304) return send(exchange, status, headers);
  if (answer.status === 416)
    return sendText(exchange, status, `The file has ${answer.sizeBytes} bytes.`, headers);
  const range = answer.status === 206 ? answer.range : { start: 0, end: answer.form.sizeBytes - 1 };
  sendContent(exchange, { status, headers, form: answer.form, range });
}

interface ContentAnswer {
  status: number;
  headers: string[];
  form: Representation;
  range: ByteRange;
}

function sendContent(exchange: Exchange, answer: ContentAnswer): void {
  const { status, headers, form, range } = answer;
  const { cache } = exchange;
  if (exchange.request.method === 'HEAD' || form.sizeBytes === 0) return send(exchange, status, headers);
  if ('bytes' in form.content)
    return send(exchange, status, headers, form.content.bytes.subarray(range.start, range.end + 1));
  const kept = cache?.get(form);
  if (kept !== undefined) return send(exchange, status, headers, part(kept, range));
  const release = exchange.hold?.() ?? (() => {});
  if (cache?.isFor(form) !== true) return stream(exchange, answer, form.content, release);
  cache
    .read(form)
    .then(
      (read) => send(exchange, status, headers, part(read, range)),
      () => sendReadError(exchange),
    )
    .finally(release);
}

function part(content: string, { start, end }: ByteRange): string {
  return content.slice(start, end + 1);
}

function stream(
  exchange: Exchange,
  { status, headers, range }: ContentAnswer,
  { file, offset }: { file: string; offset: number },
  release: () => void,
): void {
  const { response } = exchange;
  const source = createReadStream(file, {
    start: offset + range.start,
    end: offset + range.end,
    highWaterMark: pieceBytes,
  });
  source.once('open', () => {
    exchange.began?.(status, range.end - range.start + 1);
    response.writeHead(status, headers);
    // If the client disconnects, the read ends. If the read fails, the connection is closed, because the
    // length was promised.
    pipeline(source, response, release);
  });
  source.once('error', () => {
    if (response.headersSent) return;
    release();
    sendReadError(exchange);
  });
}

function sendReadError(exchange: Exchange): void {
  if (!exchange.response.headersSent)
    return sendText(exchange, 503, 'The file cannot be read. Try again later.', ['Retry-After', '5']);
  exchange.response.destroy();
}

export function sendText(
  exchange: Exchange,
  status: number,
  text: string,
  headers: readonly string[] = [],
): void {
  const body = `${text}\n`;
  const own = ['Content-Type', plainText, 'Content-Length', String(body.length), 'Cache-Control', 'no-store'];
  send(exchange, status, [...own, ...headers, ...exchange.textHeaders], body);
}

/** A string body is latin1, one character per byte. */
export function send(
  exchange: Exchange,
  status: number,
  headers: string[],
  body?: string | Uint8Array,
): void {
  const { request, response } = exchange;
  const isSent = body !== undefined && request.method !== 'HEAD';
  exchange.began?.(status, isSent ? body.length : 0);
  response.writeHead(status, headers);
  if (!isSent) response.end();
  else if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
}
