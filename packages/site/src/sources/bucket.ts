/**
 * Bundles in an object store: one object, or the newest archive below a prefix. Objects are atomic, so no
 * settling time is needed.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { diskFull, defaultLimits } from './download.ts';
import { SourceError, type Source } from './source.ts';

export interface BucketObject {
  name: string;
  /** Identifies the content. */
  etag: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export interface Bucket {
  /** All objects below the address, or the object it names. */
  objects(signal: AbortSignal): AsyncIterable<BucketObject>;
  /** Fails when the object was replaced. */
  read(object: BucketObject, signal: AbortSignal): Readable;
}

/** The object store is unreachable or refuses the request. */
export class BucketError extends Error {
  override name = 'BucketError';
}

export type OpenBucket = (address: string) => Promise<Bucket>;

export function bucketSource(address: string, openBucket: OpenBucket): Source {
  const origin = address.split('?', 1)[0] ?? address;
  let opened: Promise<Bucket> | undefined;
  return {
    origin,
    async look(known, signal) {
      const bucket = await (opened ??= openBucket(address));
      const newest = await newestIn(bucket, origin, signal);
      const fingerprint = `object:${newest.name} ${newest.etag}`;
      if (fingerprint === known) return 'unchanged';
      return {
        fingerprint,
        sha256: null,
        version: undefined,
        jobId: null,
        async fetch(folder, signal) {
          const file = join(folder, 'bundle.tar.gz');
          await fetchObject(bucket, newest, file, signal);
          return file;
        },
      };
    },
  };
}

async function newestIn(bucket: Bucket, origin: string, signal: AbortSignal): Promise<BucketObject> {
  let newest: BucketObject | undefined;
  try {
    for await (const object of bucket.objects(signal)) {
      if (!/\.(tar\.gz|tgz)$/.test(object.name)) continue;
      if (newest === undefined || object.modifiedAt >= newest.modifiedAt) newest = object;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BucketError) throw new SourceError('unreachable', `${origin}: ${error.message}`);
    throw error;
  }
  if (newest === undefined) throw new SourceError('not_found', `${origin} contains no .tar.gz yet.`);
  return newest;
}

async function fetchObject(
  bucket: Bucket,
  object: BucketObject,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  if (object.sizeBytes > defaultLimits.bytes)
    throw new SourceError('too_large', `${object.name} has more than ${defaultLimits.bytes / 1e9} GB.`);
  try {
    await pipeline(bucket.read(object, signal), createWriteStream(file, { flags: 'wx' }), { signal });
  } catch (error) {
    await rm(file, { force: true });
    signal.throwIfAborted();
    if (error instanceof BucketError) throw new SourceError('broken_off', error.message);
    throw diskFull(error);
  }
}
