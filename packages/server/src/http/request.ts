/**
 * The types between the HTTP layer and its handlers. Handlers translate requests for the features and make no
 * decisions.
 */
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { ErrorCode, OperationId, OperationResult, ParsedInput } from '@docyard/api';
import type { Context as HonoContext, Hono } from 'hono';
import { byteRangeOf, type ByteRange, type FileRequest } from '@docyard/site/serving';
import { addressAllowed } from '@docyard/site/network';
import type { Config } from '../config.ts';
import type { Actor, Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { Condition } from './conditional-write.ts';
import type { KeyedRequest } from './idempotency.ts';

export interface HonoEnvironment {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** For logs and metrics. */
    operation?: OperationId;
    caller?: Caller;
    problem?: ErrorCode;
  };
}

export type App = Hono<HonoEnvironment>;
export type Web = HonoContext<HonoEnvironment>;

export interface Reply<Body> {
  body: Body;
  headers?: Record<string, string>;
  /** Replaces the JSON body when the caller asked for another format. */
  text?: { type: string; content: string };
  /** Replaces the operation's default success status. */
  status?: number;
  /** The polling interval, only while the job is running. */
  retryAfterSeconds?: number;
  /** Runs after the commit. It must not fail the request. */
  after?: () => void | Promise<void>;
}

/** Runs the work in one transaction together with its idempotency record. */
export type Commit = <Body>(work: (context: Context) => Promise<Reply<Body>>) => Promise<Reply<Body>>;

/** Returns a cached reply unless the job has changed. Only for replies that show data, never for decisions. */
export type ReadCached = <Body>(jobId: string, read: () => Promise<Reply<Body>>) => Promise<Reply<Body>>;

export interface Request<Id extends OperationId> {
  context: Context;
  web: Web;
  input: ParsedInput<Id>;
  caller: Caller;
  actor: Actor;
  commit: Commit;
  /** For work that is committed together with other requests. */
  record: KeyedRequest | undefined;
  /** For work that does not use `commit`: check it in the transaction of the work. */
  condition: Pick<Condition, 'require'> | undefined;
  cached: ReadCached;
  origin: string;
}

export type Handler<Id extends OperationId> = (
  request: Request<Id>,
) => Promise<Reply<OperationResult<Id>> | Response>;

export type Handlers = { [Id in OperationId]: Handler<Id> };

/** The path and query exactly as sent. */
export function rawTarget(web: Web): string {
  return web.env.incoming.url ?? '/';
}

/** Whether TRUST_PROXY lets a connection from this address state the address of its caller. */
export function isTrustedProxy(trustProxy: Config['trustProxy'], address: string): boolean {
  if (typeof trustProxy === 'boolean') return trustProxy;
  return trustProxy.length > 0 && addressAllowed(trustProxy, address);
}

/**
 * Each proxy appends the address of its peer to X-Forwarded-For. With a list of proxies, the caller is the last address
 * that is not in it; otherwise only one proxy is trusted.
 */
export function callerAddress(context: Pick<Context, 'config'>, web: Web): string {
  const { trustProxy } = context.config;
  const peer = peerAddress(web);
  if (!isTrustedProxy(trustProxy, peer)) return peer;
  const forwarded = (web.req.header('x-forwarded-for') ?? '').split(',').map((address) => address.trim());
  if (trustProxy === true) return forwarded.at(-1) || peer;
  let caller = peer;
  for (const previous of forwarded.toReversed()) {
    if (isIP(previous) === 0 || !isTrustedProxy(trustProxy, caller)) break;
    caller = previous;
  }
  return caller;
}

function peerAddress(web: Web): string {
  return web.env.incoming.socket.remoteAddress ?? '';
}

export function isBehindProxy(context: Pick<Context, 'config'>, web: Web): boolean {
  return isTrustedProxy(context.config.trustProxy, peerAddress(web));
}

export function originOf(context: Pick<Context, 'config'>, web: Web): string {
  if (context.config.publicUrl !== null) return context.config.publicUrl;
  const host = web.req.header('host') ?? '';
  const isValidHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/.test(host);
  const proto = isBehindProxy(context, web) ? web.req.header('x-forwarded-proto') : undefined;
  return `${proto === 'https' ? 'https' : 'http'}://${isValidHost ? host : 'localhost'}`;
}

/** Undefined for the whole file, also when If-Range does not match. */
export function requestedRange(
  web: Web,
  { etag, sizeBytes }: { etag: string; sizeBytes: number },
): ByteRange | 'unsatisfiable' | undefined {
  const condition = web.req.header('if-range');
  if (condition !== undefined && condition !== etag) return undefined;
  return byteRangeOf(web.req.header('range'), sizeBytes);
}

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
