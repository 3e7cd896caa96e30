/**
 * A bundle at a plain URL: a signed link, or a file on any web server. A request for the first byte detects
 * changes.
 */
import { join } from 'node:path';
import { answered, download, unreachable, type Remote } from './download.ts';
import { SourceError, type Fetch, type Offer, type Source } from './source.ts';

const answerSeconds = 30;

const spent =
  'Create a new one with POST /v1/static-export/jobs/{jobId}/bundle and set it as staticExport.bundleUrl, or set ' +
  'staticExport.refreshFrom to the stable address, which does not expire: …/v1/static-export/latest/bundle?domain=….';

export function linkSource(address: string, fetch: Fetch): Source {
  const origin = withoutQuery(address);
  const remote: Remote = {
    origin,
    spent,
    fetch,
    link: async (renew) => (renew ? undefined : address),
  };
  return {
    origin,
    async look(known, signal) {
      const found = await firstByte(address, remote, known, signal);
      return found === 'unchanged' ? found : offerOf(found, remote);
    },
  };
}

/** The query contains the signature, which is secret and changes each time. */
function withoutQuery(address: string): string {
  const url = new URL(address);
  return url.origin + url.pathname;
}

interface Found {
  fingerprint: string | null;
  sha256: string | null;
}

/** Links of a Docyard server contain the export id, against which a delta can be requested. */
function exportIn(address: string): string | null {
  return /\/(se_[0-9a-f]{16})\//.exec(address)?.[1] ?? null;
}

/** Not HEAD, because links of object stores are signed for one method. */
async function firstByte(
  address: string,
  { origin, fetch }: Remote,
  known: string | null,
  signal: AbortSignal,
): Promise<Found | 'unchanged'> {
  const etag = known?.startsWith('etag:') ? known.slice('etag:'.length) : undefined;
  const response = await fetch(address, {
    headers: {
      'accept-encoding': 'identity',
      range: 'bytes=0-0',
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerSeconds * 1000)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(origin, error);
  });
  await response.body?.cancel();
  if (response.status === 304) return 'unchanged';
  if (response.status === 403 || response.status === 410) throw new SourceError('link_expired', spent);
  if (response.status !== 200 && response.status !== 206) throw answered(origin, response.status);
  const fingerprint = fingerprintOf(response.headers);
  if (fingerprint !== null && fingerprint === known) return 'unchanged';
  const [, sha256 = null] = /^"sha256-([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '') ?? [];
  return { fingerprint, sha256 };
}

function fingerprintOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  if (etag !== null) return `etag:${etag}`;
  const modified = headers.get('last-modified');
  const size = headers.get('content-range')?.split('/')[1] ?? headers.get('content-length');
  return modified === null ? null : `modified:${modified}, ${size ?? 'any'} bytes`;
}

function offerOf(found: Found, remote: Remote): Offer {
  return {
    ...found,
    version: undefined,
    jobId: exportIn(remote.origin),
    async fetch(folder, signal) {
      const file = join(folder, 'bundle.tar.gz');
      await download(remote, file, { signal });
      return file;
    },
  };
}
