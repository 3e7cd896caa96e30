/**
 * Fetches one picture that a page of a stranger shows. It goes the way of all documents, with limits of its own; what came
 * back may be anything, and whoever uses it looks.
 */
import { hostName, type EgressPolicy } from './addresses.ts';
import { fetchDocument } from './fetch.ts';

/** Somebody waits for the export, and pages can do without a picture. */
const limits = { bytes: 10_000_000, seconds: 10, answerSeconds: 3 };

/** Throws an EgressError that says what is wrong. */
export function fetchPicture(
  address: string,
  policy: EgressPolicy,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return fetchDocument(withoutPlainHttp(address, policy), policy, { signal, limits, accept: 'image/*' });
}

/** Old pages write http where every host has https by now; only for a listed host is it meant. */
function withoutPlainHttp(address: string, { allowedHosts }: EgressPolicy): string {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' || allowedHosts.includes(url.host) || allowedHosts.includes(hostName(url)))
    return address;
  url.protocol = 'https:';
  return url.href;
}
