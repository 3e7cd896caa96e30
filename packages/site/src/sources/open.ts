/** Which kind of source an address names. */
import { fileURLToPath } from 'node:url';
import { keepLibrariesHome, OfflineError, peerFetch, refuseDistantPeer } from '../network/peers.ts';
import { ConfigError } from '../errors.ts';
import { bucketSource, type OpenBucket } from './bucket.ts';
import { folderSource } from './folder.ts';
import { linkSource } from './link.ts';
import { isStableAddress, serverSource } from './docyard-server.ts';
import { SourceError, type Source } from './source.ts';

export function openSource(
  address: string,
  {
    apiKey,
    offline,
    openBucket = openS3,
  }: { apiKey: string | null; offline: boolean; openBucket?: OpenBucket },
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
      if (error instanceof OfflineError) throw new SourceError('unreachable', error.message);
      throw error;
    }
    keepLibrariesHome({ offline });
    return openBucket(address);
  };
}

/** The library of the object store is an optional dependency. */
const openS3: OpenBucket = async (address) => {
  try {
    const { openS3Bucket } = await import('./s3-bucket.ts');
    return await openS3Bucket(address);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes('@aws-sdk/'))
      throw new ConfigError(
        's3:// addresses need the package @aws-sdk/client-s3, which is not installed. Run npm install @aws-sdk/client-s3.',
      );
    throw new ConfigError(`The bucket cannot be used: ${message}`);
  }
};
