/** Fetches one image of a page. The content is untrusted; callers check it. */
import { hostName, type EgressPolicy } from './addresses.ts';
import { fetchDocument } from './fetch.ts';

/** Short, because pages can be exported without the image. */
const limits = { bytes: 10_000_000, seconds: 10, answerSeconds: 3 };

export function fetchPicture(
  address: string,
  policy: EgressPolicy,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return fetchDocument(withoutPlainHttp(address, policy), policy, { signal, limits, accept: 'image/*' });
}

/**
 * Pages often contain http addresses of hosts that support https; plain http is used only for listed hosts.
 */
export function withoutPlainHttp(address: string, { allowedHosts }: EgressPolicy): string {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' || allowedHosts.includes(url.host) || allowedHosts.includes(hostName(url)))
    return address;
  url.protocol = 'https:';
  return url.href;
}
