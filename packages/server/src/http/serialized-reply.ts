/**
 * A reply as it goes over the wire: its JSON, its ETag, the headers that every answer has. Both ways to an answer, through
 * the app and past it, write it here.
 */
import { hash, randomUUID } from 'node:crypto';
import type { Reply } from './request.ts';

export const usualHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** The one that the caller gave, if it can be told apart from the rest of a line in the log. */
export function requestIdFrom(given: string | undefined): string {
  return given !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : `req_${randomUUID()}`;
}

interface Written {
  json: string;
  etag: string;
  sizeBytes: number;
}

const written = new WeakMap<Reply<unknown>, Written>();

/** Once for each reply, however often it is given: one that is remembered goes to many. */
export function writtenOf(reply: Reply<unknown>): Written {
  const known = written.get(reply);
  if (known !== undefined) return known;
  const json = JSON.stringify(reply.body);
  const shown = reply.text === undefined ? json : JSON.stringify(reply.text);
  const etag = `"${hash('sha1', shown, 'base64url')}"`;
  const made = { json, etag, sizeBytes: Buffer.byteLength(json) };
  written.set(reply, made);
  return made;
}

export function isKnown(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch
    .split(',')
    .some((entry) => entry.trim().replace(/^W\//, '') === etag || entry.trim() === '*');
}
