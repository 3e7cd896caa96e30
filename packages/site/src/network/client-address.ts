/** The address of a client, behind proxies that the operator trusts. */
import type { IncomingMessage } from 'node:http';
import { addressAllowed } from './address-ranges.ts';

export function clientAddress(
  { headers, socket }: IncomingMessage,
  trustedProxies: readonly string[],
): string {
  const own = socket.remoteAddress ?? '';
  if (trustedProxies.length === 0 || !addressAllowed(trustedProxies, own)) return own;
  const chain = (headers['x-forwarded-for']?.toString() ?? '').split(',').map((each) => each.trim());
  return chain.findLast((address) => address !== '' && !addressAllowed(trustedProxies, address)) ?? own;
}
