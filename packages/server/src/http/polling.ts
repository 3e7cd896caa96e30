/**
 * Answers a plain status request straight on node:http: polling is most of what a service is asked, and the app takes
 * 45 µs of processor time for it where this takes 10. It has no rules of its own. It shows what the app would show, to a
 * caller whom the app has let in within the last minute; whatever is new, odd or refused is left to the app.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { operation } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/keys.ts';
import type { Reach } from '../reach.ts';
import { requireRights, type Callers } from './auth.ts';
import { vouchFor } from './connections.ts';
import type { ReadStatus } from './handlers/exports.ts';
import type { RateLimits } from './limits.ts';
import { isPreviewHost } from './preview-host.ts';
import { observed } from './observing.ts';
import type { Remembered } from './remembered.ts';
import type { AnswerPoll, Reply } from './request.ts';
import { isKnown, requestIdFrom, usualHeaders, writtenOf } from './written.ts';

interface Memory {
  context: Context;
  callers: Callers;
  limits: RateLimits;
  statuses: Remembered<Reply<unknown>>;
  readStatus: ReadStatus;
}

interface Poll {
  path: string;
  jobId: string;
  headers: ReadonlyMap<string, string>;
}

const statusPath = /^\/v1\/static-export\/jobs\/(se_[0-9a-f]{16})$/;
const plainHost = /^[A-Za-z0-9.-]+(?::\d{1,5})?$/;
const described = operation('readExport');

/** Under which name a reply is remembered: what one was shown is shown only to those who reach as far. */
export function rememberedName(id: string, reach: Reach | undefined, params: object): string {
  const names = Object.values(params).map((value) => encodeURIComponent(String(value)));
  return `${id}/${reach?.organizationId ?? ''}/${reach?.projectId ?? ''}/${names.join('/')}`;
}

export function answerPolls(memory: Memory): AnswerPoll {
  const { context } = memory;
  const begin = observed(context);
  return (incoming, outgoing) => {
    // Without announcements nothing is remembered, and a database that is away is the app's to tell of.
    const isOurs = context.changes.isLive && !isPreviewHost(context, incoming.headers.host);
    const poll = isOurs ? plainPoll(incoming) : undefined;
    if (poll === undefined) return undefined;
    const end = begin('GET', poll.headers.get('traceparent'));
    const answering = answerPoll(memory, poll, outgoing).catch(() => undefined);
    return answering.then((answered) => {
      if (answered === undefined) return false;
      vouchFor(incoming.socket);
      end({ operation: 'readExport', path: poll.path, jobId: poll.jobId, ...answered });
      return true;
    });
  };
}

/**
 * Like the app it asks for the caller, the rate and the status one after the other. All who wait for the same of these share
 * one query: when it is time to read a status again, thousands may ask for it before PostgreSQL has answered.
 */
async function answerPoll(
  { callers, limits, statuses, readStatus }: Memory,
  { jobId, headers }: Poll,
  outgoing: ServerResponse,
): Promise<{ status: number; requestId: string; caller: Caller } | undefined> {
  const caller = await callers.recall(headers.get('authorization') ?? '');
  if (caller === undefined || !mayRead(caller)) return undefined;
  const read = await limits.takeRead(caller.id);
  if (read === undefined) return undefined;
  const name = rememberedName('readExport', caller, { jobId });
  const reply = await statuses.read(name, jobId, () => readStatus(jobId, caller)).catch(() => undefined);
  const written = reply && writtenOf(reply);
  const isUnchanged = written !== undefined && isKnown(headers.get('if-none-match') ?? '', written.etag);
  if (written === undefined || isUnchanged) read.giveBack();
  if (reply === undefined || written === undefined) return undefined;
  const requestId = requestIdFrom(headers.get('x-request-id'));
  const { policy, state } = read.headers();
  const { json, etag, sizeBytes } = written;
  const status = isUnchanged ? 304 : 200;
  const about = isUnchanged ? {} : { 'content-type': 'application/json', 'content-length': sizeBytes };
  const own = { 'ratelimit-policy': policy, ratelimit: state, 'x-request-id': requestId, ...about, etag };
  outgoing.writeHead(status, { ...usualHeaders, ...reply.headers, ...own });
  outgoing.end(isUnchanged ? undefined : json);
  return { status, requestId, caller };
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
  'if-match',
  'prefer',
  'content-length',
  'transfer-encoding',
  'expect',
]);

/** Undefined when it is something else, or when there is something to decide about it. */
function plainPoll({ url: path = '', method, rawHeaders }: IncomingMessage): Poll | undefined {
  const jobId = method === 'GET' ? statusPath.exec(path)?.[1] : undefined;
  const headers = jobId === undefined ? undefined : plainHeaders(rawHeaders);
  return jobId === undefined || headers === undefined ? undefined : { path, jobId, headers };
}

/** One that comes twice is something to decide about. */
function plainHeaders(raw: readonly string[]): Map<string, string> | undefined {
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
