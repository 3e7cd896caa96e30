/** Which kind of source an address names. */
import { fileURLToPath } from 'node:url';
import { bucketSource, type OpenBucket } from './bucket.ts';
import { folderSource } from './folder.ts';
import { linkSource } from './link.ts';
import { isStableAddress, serverSource } from './server.ts';
import type { Source } from './source.ts';

export function openSource(
  address: string,
  { apiKey, openBucket }: { apiKey: string | null; openBucket: OpenBucket },
): Source {
  if (isStableAddress(address)) return serverSource(address, apiKey);
  if (/^https?:/i.test(address)) return linkSource(address);
  if (/^s3:/i.test(address)) return bucketSource(address, openBucket);
  return folderSource(/^file:/i.test(address) ? fileURLToPath(address) : address);
}
