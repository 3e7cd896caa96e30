/** Reads a small form of a request. */
import type { IncomingMessage } from 'node:http';
import { readBody } from '../serving/request-body.ts';

const maxBytes = 16 * 1024;

/** Undefined for a body that is too large or not a form. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  const body = await readBody(request, maxBytes);
  return body && new URLSearchParams(body.toString());
}
