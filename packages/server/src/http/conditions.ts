/** Conditional requests (RFC 9110, section 13). */
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';
import { matchesEtag } from './serialized-reply.ts';

/** Undefined when the resource does not exist. */
type CurrentTag = string | undefined;

export function isConditional(web: Web): boolean {
  return web.req.header('if-match') !== undefined || web.req.header('if-none-match') !== undefined;
}

/** `If-None-Match` of a read is no precondition: it is answered with 304. */
export function requireConditions(web: Web, etag: CurrentTag, { isRead }: { isRead: boolean }): void {
  const ifMatch = web.req.header('if-match');
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag))
    throw preconditionFailed('If-Match', 'The resource has changed. Read it again.');
  const ifNoneMatch = web.req.header('if-none-match');
  if (!isRead && ifNoneMatch !== undefined && etag !== undefined && matchesEtag(ifNoneMatch, etag))
    throw preconditionFailed('If-None-Match', 'The resource already has this tag.');
}

function matchesStrongly(ifMatch: string, etag: CurrentTag): boolean {
  if (etag === undefined) return false;
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag);
}

function preconditionFailed(header: string, message: string): Problem {
  return new Problem('precondition_failed', `${header}: ${message}`);
}
