/**
 * Where bundles live. An object is written once, whole or not at all, and read by range; its name is chosen by
 * us and never taken from a request.
 */
import type { Readable } from 'node:stream';

export interface BlobInfo {
  sizeBytes: number;
}

export interface Blobs {
  /** Takes the file over: afterwards it is durable under `name` and gone from where it was. */
  putFile(name: string, file: string): Promise<BlobInfo>;
  putBytes(name: string, bytes: Uint8Array): Promise<BlobInfo>;
  stat(name: string): Promise<BlobInfo | undefined>;
  /** `end` is inclusive, as in an HTTP range. */
  read(name: string, range?: { start: number; end: number }): Readable;
  readBytes(name: string): Promise<Uint8Array>;
  /** Removes every object whose name begins with `prefix`; none is no error. */
  removeAll(prefix: string): Promise<void>;
  /** The first segment of every name, for finding what no row speaks of. */
  listOwners(): Promise<string[]>;
  /** The second segment of every name that begins with this owner. */
  listGenerations(owner: string): Promise<string[]>;
}
