/** Fetches a font or its stylesheet. The content is untrusted; callers check it. */
import type { EgressPolicy } from './addresses.ts';
import { fetchDocument } from './fetch.ts';
import { withoutPlainHttp } from './picture.ts';

/** Short, because pages can be exported with the bundled font. */
const limits = { bytes: 2_000_000, seconds: 10, answerSeconds: 3 };

/** Google Fonts sends compressed fonts, in parts by writing system, only to browsers that it knows. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

export function fetchFont(address: string, policy: EgressPolicy, signal?: AbortSignal): Promise<Uint8Array> {
  const accept = 'text/css, font/*, */*';
  return fetchDocument(withoutPlainHttp(address, policy), policy, { signal, limits, accept, userAgent });
}
