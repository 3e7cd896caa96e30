/**
 * Where bundles live. An object is written once, whole or not at all, and read by range; its name is chosen by
 * us and never taken from a request. A store that cannot be reached throws `storage_unavailable`.
 */
import type { Readable } from 'node:stream';

export interface BlobInfo {
  sizeBytes: number;
}

export interface BlobLink {
  url: string;
  /** When the address stops working, which may be sooner than was asked for. */
  expiresAt: Date;
}

export interface Blobs {
  putBytes(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<BlobInfo>;
  /** Reads no faster than it writes. When the stream fails or the signal is aborted, there is no object. */
  putStream(name: string, stream: Readable, signal?: AbortSignal): Promise<BlobInfo>;
  /**
   * Where objects are files of this machine: what `write` leaves at the path that it is given becomes the object. When it
   * fails, there is none.
   */
  putFile?(name: string, write: (path: string) => Promise<void>): Promise<BlobInfo>;
  stat(name: string): Promise<BlobInfo | undefined>;
  /** `end` is inclusive, as in an HTTP range. */
  read(name: string, range?: { start: number; end: number }): Readable;
  readBytes(name: string): Promise<Uint8Array>;
  /** Removes every object below `prefix`, and what uploads that never ended left there; none is no error. */
  removeAll(prefix: string): Promise<void>;
  /**
   * The first segment of every name with the second ones below it, for finding what no row speaks of. Uploads that
   * never ended count as objects here; an owner of both may come twice.
   */
  listOwners(): AsyncIterable<{ owner: string; generations: string[] }>;
  /** An address at which the store itself hands the object out; null when only this server can. */
  link(
    name: string,
    options: { seconds: number; fileName: string; method: 'GET' | 'HEAD' },
  ): Promise<BlobLink | null>;
  /** Throws `storage_unavailable` with the reason when objects cannot be reached now. */
  check(): Promise<void>;
}

const namePattern = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Every store refuses the same names, so that none can lead elsewhere. */
export function checkBlobName(name: string): string {
  if (!namePattern.test(name)) throw new Error(`Not an object name: ${name}`);
  return name;
}
