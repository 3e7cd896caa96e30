/**
 * A place in somebody else's object store that is only read: objects that others put there, under names that they chose.
 * A store that cannot be reached throws `storage_unavailable`.
 */
import type { Readable } from 'node:stream';

export interface BucketObject {
  name: string;
  /** Another one for other content. */
  etag: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export interface Bucket {
  /** Everything below the address, or the one object that it names. */
  objects(signal: AbortSignal): AsyncIterable<BucketObject>;
  /** Fails when the object is another by now. */
  read(object: BucketObject, signal: AbortSignal): Readable;
}
