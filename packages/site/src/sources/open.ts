/** Opens the source that an address names. */
import { fileURLToPath } from 'node:url';
import { disableMetadataService, OfflineError, peerFetch, refuseDistantPeer } from '../network/peers.ts';
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
  if (/^s3:/i.test(address)) return bucketSource(address, checkedBucket(openBucket, offline));
  return folderSource(/^file:/i.test(address) ? fileURLToPath(address) : address);
}

/** The address is checked before the library is loaded, because the library connects to buckets itself. */
function checkedBucket(openBucket: OpenBucket, offline: boolean): OpenBucket {
  return async (address) => {
    try {
      refuseDistantPeer(address, { offline });
    } catch (error) {
      if (error instanceof OfflineError) throw new SourceError('unreachable', error.message);
      throw error;
    }
    disableMetadataService({ offline });
    return openBucket(address);
  };
}

/** The AWS SDK is an optional dependency. */
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
