/**
 * Storage for bundles. Objects are written once, atomically, and read by range; names are generated and never contain
 * input from a request. An unreachable store throws `storage_unavailable`.
 */
import type { Readable } from 'node:stream';

export interface BlobInfo {
  sizeBytes: number;
}

export interface BlobLink {
  url: string;
  /** May be earlier than requested. */
  expiresAt: Date;
}

export interface Blobs {
  putBytes(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<BlobInfo>;
  /** Applies backpressure. When the stream fails or the signal is aborted, no object is created. */
  putStream(name: string, stream: Readable, signal?: AbortSignal): Promise<BlobInfo>;
  /**
   * Only for stores on the local disk: the file that `write` creates at the path becomes the object. When `write`
   * fails, no object is created.
   */
  putFile?(name: string, write: (path: string) => Promise<void>): Promise<BlobInfo>;
  stat(name: string): Promise<BlobInfo | undefined>;
  /** `end` is inclusive, as in an HTTP range. */
  read(name: string, range?: { start: number; end: number }): Readable;
  readBytes(name: string): Promise<Uint8Array>;
  /** Removes every object below `prefix` and its unfinished uploads. Missing objects are no error. */
  removeAll(prefix: string): Promise<void>;
  /**
   * The first two segments of every object name, for finding orphaned objects. Includes unfinished uploads; an owner
   * may be yielded twice.
   */
  listOwners(): AsyncIterable<{ owner: string; generations: string[] }>;
  /** A URL from which the store serves the object; null when only this server can serve it. */
  link(
    name: string,
    options: { seconds: number; fileName: string; method: 'GET' | 'HEAD' },
  ): Promise<BlobLink | null>;
  /** Throws `storage_unavailable` with the reason when the store cannot be reached. */
  check(): Promise<void>;
}

const namePattern = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Every store rejects the same names, so that no name escapes the store. */
export function checkBlobName(name: string): string {
  if (!namePattern.test(name)) throw new Error(`Not an object name: ${name}`);
  return name;
}
