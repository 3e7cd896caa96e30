/** What the scripts of pages send: feedback and searches. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { Attempts } from '../serving/attempts.ts';
import type { SiteEndpoint } from '../serving/endpoint.ts';
import { clientAddressOf, isSameOrigin, type PublicAddress } from '../serving/request-origin.ts';
import type { SiteExchange } from '../serving/respond.ts';
import { send, sendText } from '../serving/send-file.ts';
import { type Analytics, hasPage } from './analytics.ts';
import { readerKindOf } from './reader-kind.ts';
import { recordedComment } from './recorded-text.ts';

/** Within a quarter of an hour. */
const maxRequests = { feedback: 30, events: 300 };
const maxBodyBytes = 16 * 1024;

const FeedbackBody = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{16,40}$/),
  path: z.string().max(300),
  helpful: z.boolean(),
  comment: z.string().max(8000).optional(),
});

const SearchBody = z.strictObject({ search: z.string().max(500), results: z.int().min(0).max(1_000_000) });

export function analyticsEndpoints(analytics: Analytics, address: PublicAddress): SiteEndpoint[] {
  const feedback: Receiver<z.infer<typeof FeedbackBody>> = {
    body: FeedbackBody,
    attempts: new Attempts(maxRequests.feedback),
    receive(exchange, { id, path, helpful, comment }) {
      if (!hasPage(exchange.site, path)) return sendText(exchange, 404, 'There is no such page.');
      const text = comment === undefined ? null : recordedComment(comment);
      const isStored = analytics.rated({ id, path, isHelpful: helpful, comment: text });
      if (!isStored) return sendText(exchange, 429, 'No more feedback is accepted today.');
      accept(exchange);
    },
  };
  const events: Receiver<z.infer<typeof SearchBody>> = {
    body: SearchBody,
    attempts: new Attempts(maxRequests.events),
    receive(exchange, { search, results }) {
      const { request } = exchange;
      // Global Privacy Control: the search is counted without its words.
      const text = request.headers['sec-gpc'] === '1' ? '' : search;
      analytics.searched({ reader: readerKindOf(request), text, isEmpty: results === 0 });
      accept(exchange);
    },
  };
  return [
    { path: '/_docyard/feedback', serve: (exchange) => serve(exchange, feedback, address) },
    { path: '/_docyard/events', serve: (exchange) => serve(exchange, events, address) },
  ];
}

interface Receiver<T> {
  body: z.ZodType<T>;
  attempts: Attempts;
  receive(exchange: SiteExchange, body: T): void;
}

async function serve<T>(
  exchange: SiteExchange,
  { body: check, attempts, receive }: Receiver<T>,
  address: PublicAddress,
): Promise<void> {
  const { request, response } = exchange;
  if (request.method === 'GET' || request.method === 'HEAD') return sendJson(exchange, '{"enabled":true}');
  // After a refusal the rest of the body is not read.
  const keepsAlive = response.shouldKeepAlive;
  response.shouldKeepAlive = false;
  if (request.method !== 'POST')
    return sendText(exchange, 405, 'Only GET, HEAD and POST are supported.', ['Allow', 'GET, HEAD, POST']);
  if (!isSameOrigin(request, address))
    return sendText(exchange, 403, 'The request was sent from another site.');
  const client = clientAddressOf(request, address.trustedProxies);
  const wait = attempts.waitSeconds(client);
  if (wait > 0)
    return sendText(exchange, 429, 'Too many requests. Try again later.', ['Retry-After', String(wait)]);
  attempts.count(client);
  const read = await readJson(request);
  if (read === 'too large') return sendText(exchange, 413, `A body has at most ${maxBodyBytes} bytes.`);
  const body = check.safeParse(read);
  if (!body.success) return sendText(exchange, 400, 'The body is not valid.');
  response.shouldKeepAlive = keepsAlive;
  receive(exchange, body.data);
}

/** Undefined for a body that is not JSON. Pages of other sites cannot send this type without asking first. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBodyBytes) return 'too large';
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as unknown;
  } catch {
    return undefined;
  }
}

function accept(exchange: SiteExchange): void {
  send(exchange, 204, ['Cache-Control', 'no-store', ...exchange.site.headers]);
}

function sendJson(exchange: SiteExchange, body: string): void {
  const length = ['Content-Length', String(body.length), 'Cache-Control', 'no-store'];
  send(exchange, 200, ['Content-Type', 'application/json', ...length, ...exchange.site.headers], body);
}
