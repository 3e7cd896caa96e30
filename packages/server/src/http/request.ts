/**
 * What the HTTP edge hands to a handler and gets back from it. Handlers translate between this and the features;
 * they decide nothing.
 */
import type { HttpBindings } from '@hono/node-server';
import type { ErrorCode, OperationId, OperationResult, ParsedInput } from '@docyard/api';
import type { Context as HonoContext, Hono } from 'hono';
import { byteRangeOf, type ByteRange, type FileRequest } from '@docyard/site/serving';
import type { Actor, Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { Condition } from './conditional-write.ts';
import type { KeyedRequest } from './idempotency.ts';

export interface Surroundings {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** What the request turned out to be; for the log and the numbers. */
    operation?: OperationId;
    caller?: Caller;
    problem?: ErrorCode;
  };
}

export type App = Hono<Surroundings>;
export type Web = HonoContext<Surroundings>;

export interface Reply<Body> {
  body: Body;
  headers?: Record<string, string>;
  /** Instead of the body as JSON, for a caller that asked for another form of it. */
  text?: { type: string; content: string };
  /** Instead of the operation's usual success status. */
  status?: number;
  /** Seconds after which asking again makes sense; only while the work goes on. */
  retryAfterSeconds?: number;
  /** Runs once everything is committed. It must not fail the request. */
  after?: () => void | Promise<void>;
}

/** Runs the work in one transaction, together with the record that makes a repeat of the request harmless. */
export type Commit = <Body>(work: (context: Context) => Promise<Reply<Body>>) => Promise<Reply<Body>>;

/** Gives what was read of this job a moment ago, unless it has changed since. Only for what the caller is shown. */
export type Remember = <Body>(jobId: string, read: () => Promise<Reply<Body>>) => Promise<Reply<Body>>;

export interface Request<Id extends OperationId> {
  context: Context;
  web: Web;
  input: ParsedInput<Id>;
  caller: Caller;
  actor: Actor;
  commit: Commit;
  /** For work that is committed together with that of other requests. */
  record: KeyedRequest | undefined;
  /** The condition of the request, for work that is not run by `commit`: compare in the transaction of the work. */
  condition: Pick<Condition, 'require'> | undefined;
  remember: Remember;
  /** Scheme and host under which the caller reached us. */
  origin: string;
}

export type Handler<Id extends OperationId> = (
  request: Request<Id>,
) => Promise<Reply<OperationResult<Id>> | Response>;

export type Handlers = { [Id in OperationId]: Handler<Id> };

/** The path and query exactly as they were sent. */
export function rawTarget(web: Web): string {
  return web.env.incoming.url ?? '/';
}

export function callerAddress(context: Pick<Context, 'config'>, web: Web): string {
  const forwarded = context.config.trustProxy
    ? web.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined;
  return forwarded || (web.env.incoming.socket.remoteAddress ?? '');
}

export function originOf(context: Pick<Context, 'config'>, web: Web): string {
  if (context.config.publicUrl !== null) return context.config.publicUrl;
  const host = web.req.header('host') ?? '';
  const plausible = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/.test(host);
  const proto = context.config.trustProxy ? web.req.header('x-forwarded-proto') : undefined;
  return `${proto === 'https' ? 'https' : 'http'}://${plausible ? host : 'localhost'}`;
}

/** The part of a file that is asked for, or undefined for all of it. A stale If-Range gets everything. */
export function wantedRange(
  web: Web,
  { etag, sizeBytes }: { etag: string; sizeBytes: number },
): ByteRange | 'unsatisfiable' | undefined {
  const condition = web.req.header('if-range');
  if (condition !== undefined && condition !== etag) return undefined;
  return byteRangeOf(web.req.header('range'), sizeBytes);
}

/** The headers that decide how a static file is sent. */
export function fileRequestOf(web: Web): FileRequest {
  const header = (name: string) => web.req.header(name);
  return {
    method: web.req.method,
    headers: {
      range: header('range'),
      'if-range': header('if-range'),
      'if-none-match': header('if-none-match'),
      'accept-encoding': header('accept-encoding'),
    },
  };
}
