/** A reply as it is sent: JSON, ETag and default headers. */
import { hash, randomUUID } from 'node:crypto';
import type { Reply } from './request.ts';

export const defaultHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Accepts the caller's id only when it is safe in a log line. */
export function requestIdFrom(given: string | undefined): string {
  return given !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : `req_${randomUUID()}`;
}

interface SerializedReply {
  json: string;
  etag: string;
  sizeBytes: number;
}

const serialized = new WeakMap<Reply<unknown>, SerializedReply>();

/** Serialized once per reply, because a cached reply is sent many times. */
export function serialize(reply: Reply<unknown>): SerializedReply {
  const known = serialized.get(reply);
  if (known !== undefined) return known;
  const json = JSON.stringify(reply.body);
  const shown = reply.text === undefined ? json : JSON.stringify(reply.text);
  const etag = `"${hash('sha1', shown, 'base64url')}"`;
  const result = { json, etag, sizeBytes: Buffer.byteLength(json) };
  serialized.set(reply, result);
  return result;
}

export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch
    .split(',')
    .some((entry) => entry.trim().replace(/^W\//, '') === etag || entry.trim() === '*');
}
