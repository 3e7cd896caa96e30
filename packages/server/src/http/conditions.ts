/** The conditional requests of RFC 9110, section 13: when a request is not carried out, or its answer is not sent again. */
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';
import { isKnown } from './serialized-reply.ts';

/** Undefined stands for a resource that does not exist. */
type CurrentTag = string | undefined;

export function isConditional(web: Web): boolean {
  return web.req.header('if-match') !== undefined || web.req.header('if-none-match') !== undefined;
}

/** `If-None-Match` of a read is no precondition: it is answered 304. */
export function requireConditions(web: Web, etag: CurrentTag, { isRead }: { isRead: boolean }): void {
  const ifMatch = web.req.header('if-match');
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag))
    throw failed('If-Match', 'The resource is not the one that this tag names. Read it again.');
  const ifNoneMatch = web.req.header('if-none-match');
  if (!isRead && ifNoneMatch !== undefined && etag !== undefined && isKnown(ifNoneMatch, etag))
    throw failed('If-None-Match', 'The resource exists already with this tag.');
}

function matchesStrongly(ifMatch: string, etag: CurrentTag): boolean {
  if (etag === undefined) return false;
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag);
}

function failed(header: string, message: string): Problem {
  return new Problem('precondition_failed', `${header} does not hold: ${message}`);
}
