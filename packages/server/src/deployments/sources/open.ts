/** Which kind of source an address names. */
import { fileURLToPath } from 'node:url';
import { EgressError } from '../../egress/addresses.ts';
import { keepLibrariesHome, peerFetch, refuseDistantPeer } from '../../egress/peers.ts';
import { bucketSource, type OpenBucket } from './bucket.ts';
import { folderSource } from './folder.ts';
import { linkSource } from './link.ts';
import { isStableAddress, serverSource } from './server.ts';
import { SourceError, type Source } from './source.ts';

export function openSource(
  address: string,
  { apiKey, offline, openBucket }: { apiKey: string | null; offline: boolean; openBucket: OpenBucket },
): Source {
  const fetch = peerFetch({ offline });
  if (isStableAddress(address)) return serverSource(address, apiKey, fetch);
  if (/^https?:/i.test(address)) return linkSource(address, fetch);
  if (/^s3:/i.test(address)) return bucketSource(address, atHome(openBucket, offline));
  return folderSource(/^file:/i.test(address) ? fileURLToPath(address) : address);
}

/** A library connects to buckets, so the address is looked at before that is loaded. */
function atHome(openBucket: OpenBucket, offline: boolean): OpenBucket {
  return async (address) => {
    try {
      refuseDistantPeer(address, { offline });
    } catch (error) {
      if (error instanceof EgressError) throw new SourceError('unreachable', error.message);
      throw error;
    }
    keepLibrariesHome({ offline });
    return openBucket(address);
  };
}
