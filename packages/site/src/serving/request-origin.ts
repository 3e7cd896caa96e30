/** Where a request comes from, with the headers of a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { addressAllowed } from '../network/address-ranges.ts';

export interface PublicAddress {
  /** The public URL of the site; null for the host of each request. */
  url: string | null;
  /** Their X-Forwarded-For and X-Forwarded-Proto are believed. */
  trustedProxies: readonly string[];
}

export function originOf(request: IncomingMessage, { url, trustedProxies }: PublicAddress): string {
  if (url !== null) return new URL(url).origin;
  const { headers, socket } = request;
  const forwarded = isForwarded(request, trustedProxies)
    ? headers['x-forwarded-proto']?.toString()
    : undefined;
  const isSecure =
    forwarded === undefined ? (socket as Partial<TLSSocket>).encrypted === true : forwarded === 'https';
  const host = URL.parse(`http://${headers.host ?? ''}`)?.host ?? 'localhost';
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

/** Browsers send these headers with every POST. A client without them has no cookies of a victim. */
export function isSameOrigin(request: IncomingMessage, address: PublicAddress): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || URL.parse(origin)?.host === new URL(originOf(request, address)).host;
}

export function clientAddressOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const { headers, socket } = request;
  const own = socket.remoteAddress ?? '';
  if (!isForwarded(request, trustedProxies)) return own;
  const chain = (headers['x-forwarded-for']?.toString() ?? '').split(',').map((each) => each.trim());
  return chain.findLast((address) => address !== '' && !addressAllowed(trustedProxies, address)) ?? own;
}

function isForwarded({ socket }: IncomingMessage, trustedProxies: readonly string[]): boolean {
  return trustedProxies.length > 0 && addressAllowed(trustedProxies, socket.remoteAddress ?? '');
}
