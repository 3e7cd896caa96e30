/**
 * Answers a plain status request whose answer is remembered straight on node:http: polling is most of what a service is asked,
 * and the app takes 45 µs of processor time for it where this takes 10. It has no rules of its own. It repeats what the app
 * has just answered, to a caller whom the app has just let in; whatever is new, odd or refused is left to the app.
 */
import { operation } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/keys.ts';
import type { Reach } from '../reach.ts';
import { requireRights, type Callers } from './auth.ts';
import { vouchFor } from './connections.ts';
import type { RateLimits } from './limits.ts';
import { observed } from './observing.ts';
import type { Remembered } from './remembered.ts';
import type { AnswerAgain, Reply } from './request.ts';
import { isKnown, requestIdFrom, usualHeaders, writtenOf } from './written.ts';

interface Memory {
  context: Context;
  callers: Callers;
  limits: RateLimits;
  statuses: Remembered<Reply<unknown>>;
}

const statusPath = /^\/v1\/static-export\/jobs\/(se_[0-9a-f]{16})$/;
const plainHost = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/;
const described = operation('readExport');

/** Under which name a reply is remembered: what one was shown is shown only to those who reach as far. */
export function rememberedName(id: string, reach: Reach | undefined, params: object): string {
  const names = Object.values(params).map((value) => encodeURIComponent(String(value)));
  return `${id}/${reach?.organizationId ?? ''}/${reach?.projectId ?? ''}/${names.join('/')}`;
}

export function repeatStatuses({ context, callers, limits, statuses }: Memory): AnswerAgain {
  const begin = observed(context);
  return (incoming, outgoing) => {
    const path = incoming.url ?? '';
    const jobId = incoming.method === 'GET' ? statusPath.exec(path)?.[1] : undefined;
    const asked = jobId === undefined ? undefined : readPlainHeaders(incoming.rawHeaders);
    const authorization = asked?.get('authorization');
    if (asked === undefined || authorization === undefined) return false;
    const caller = callers.recall(authorization);
    if (caller === undefined || !mayRead(caller)) return false;
    const reply = statuses.recall(rememberedName('readExport', caller, { jobId }));
    if (reply === undefined) return false;
    const { json, etag, sizeBytes } = writtenOf(reply);
    const isUnchanged = isKnown(asked.get('if-none-match') ?? '', etag);
    const rate = limits.takeReadInHand(caller.id, isUnchanged);
    if (rate === undefined) return false;
    const end = begin('GET', asked.get('traceparent'));
    vouchFor(incoming.socket);
    const requestId = requestIdFrom(asked.get('x-request-id'));
    const status = isUnchanged ? 304 : 200;
    const about = isUnchanged ? {} : { 'content-type': 'application/json', 'content-length': sizeBytes };
    const rated = { 'ratelimit-policy': rate.policy, ratelimit: rate.state };
    const own = { ...rated, 'x-request-id': requestId, ...about, etag };
    outgoing.writeHead(status, { ...usualHeaders, ...reply.headers, ...own });
    if (isUnchanged) outgoing.end();
    else outgoing.end(json);
    end({ operation: 'readExport', status, requestId, path, caller, jobId });
    return true;
  };
}

/** What has a meaning for a status request. Nothing is said here of those that the app does not look at either. */
const notable: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'if-none-match',
  'x-request-id',
  'traceparent',
]);
const leftToTheApp: ReadonlySet<string> = new Set([
  'prefer',
  'content-length',
  'transfer-encoding',
  'expect',
]);

/** Undefined when there is something to decide about them. One that comes twice is such a thing. */
function readPlainHeaders(raw: readonly string[]): Map<string, string> | undefined {
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (leftToTheApp.has(name)) return undefined;
    if (!notable.has(name)) continue;
    if (found.has(name)) return undefined;
    found.set(name, raw[index + 1] as string);
  }
  return plainHost.test(found.get('host') ?? '') ? found : undefined;
}

function mayRead(caller: Caller): boolean {
  try {
    requireRights(caller, described);
    return true;
  } catch {
    return false;
  }
}
