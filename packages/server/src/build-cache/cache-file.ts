/**
 * A build cache in two files: values are appended to the young one, and the old one is only read. A value
 * read from the old file is copied to the young one, so that unused values disappear when `cache-folder.ts`
 * rotates the files. Every value has a checksum. On a full disk no more values are added.
 */
import { fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import type { BuildCache } from '@docyard/render';
import { AppendedFile } from '@docyard/bundle/writer';
import { encodeIndex, readAt, readIndex } from './cache-file-index.ts';

/** The index of a larger site would not fit into the memory of an export. */
export const maxCachedPages = 20_000;

interface Place {
  offset: number;
  length: number;
  checksum: number;
}

/** Length of the key, length of the value, checksum of both. */
const headBytes = 12;
const maxKeyBytes = 200;
/** A larger length means a damaged file. */
const maxValueBytes = 1024 ** 3;
const scanBytes = 256 * 1024;

export class CacheFile implements BuildCache {
  readonly #young: number;
  readonly #old: number | undefined;
  readonly #youngPlaces = new Map<string, Place>();
  readonly #oldPlaces = new Map<string, Place>();
  /** Keys of the young file that this process has read or written, with the size of the value. */
  readonly #used = new Map<string, number>();
  readonly #file: AppendedFile;
  #isFull = false;

  /** Open files. Both may be empty, and the young one may end in the middle of a value. */
  constructor(young: number, old: number | undefined) {
    this.#young = young;
    this.#old = old;
    if (old !== undefined) findValues(old, this.#oldPlaces);
    const end = findValues(young, this.#youngPlaces);
    this.#file = new AppendedFile(young, end);
    // New values overwrite the index; until it is written again, the file is scanned.
    if (end < fstatSync(young).size) this.#file.cut(end);
  }

  get(key: string): Uint8Array | undefined {
    const place = this.#youngPlaces.get(key);
    // A value in the write buffer is written first; on a full disk it is lost.
    if (place && place.offset + place.length > this.#file.writtenBytes) this.flush();
    const young = this.#youngPlaces.get(key);
    if (young) return this.#fromYoung(key, young);
    const old = this.#oldPlaces.get(key);
    return old && this.#fromOld(key, old);
  }

  #fromYoung(key: string, place: Place): Uint8Array | undefined {
    const value = intactValue(this.#young, key, place);
    if (value) this.#used.set(key, place.length);
    else this.#youngPlaces.delete(key);
    return value;
  }

  #fromOld(key: string, place: Place): Uint8Array | undefined {
    const value = this.#old === undefined ? undefined : intactValue(this.#old, key, place);
    if (value) this.put(key, value);
    else this.#oldPlaces.delete(key);
    return value;
  }

  keep(key: string): number | undefined {
    const place = this.#youngPlaces.get(key);
    if (!place) return this.get(key)?.length;
    this.#used.set(key, place.length);
    return place.length;
  }

  put(key: string, ...parts: readonly Uint8Array[]): void {
    const name = Buffer.from(key);
    let checksum = crc32(name);
    let length = 0;
    for (const part of parts) {
      checksum = crc32(part, checksum);
      length += part.length;
    }
    const known = this.#youngPlaces.get(key);
    if (known?.length === length && known.checksum === checksum) {
      this.#used.set(key, length);
      return;
    }
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(name.length, 0);
    head.writeUInt32LE(length, 4);
    head.writeUInt32LE(checksum, 8);
    const offset = this.#file.sizeBytes + headBytes + name.length;
    if (!this.#write(() => [head, name, ...parts].forEach((part) => this.#file.append(part)))) return;
    this.#youngPlaces.set(key, { offset, length, checksum });
    this.#used.set(key, length);
  }

  /** Makes all values available to the next process, even if this one is killed. */
  flush(): void {
    this.#write(() => this.#file.flush());
  }

  #write(work: () => void): boolean {
    if (this.#isFull) return false;
    try {
      work();
      return true;
    } catch (error) {
      if (!isDiskFullOrLimited(error)) throw error;
      this.#stop();
      return false;
    }
  }

  /** The files of this build are read from here, so the values that are on the disk stay. */
  #stop(): void {
    this.#isFull = true;
    const end = this.#file.writtenBytes;
    this.#file.cut(end);
    for (const [key, { offset, length }] of this.#youngPlaces) {
      if (offset + length <= end) continue;
      this.#youngPlaces.delete(key);
      this.#used.delete(key);
    }
  }

  /** Writes the index. No values can be added afterwards. */
  writeIndex(): void {
    this.flush();
    const end = this.#file.sizeBytes;
    this.#isFull = true;
    try {
      this.#file.append(encodeIndex([...this.#youngPlaces], end));
      this.#file.flush();
    } catch (error) {
      if (!isDiskFullOrLimited(error)) throw error;
      this.#file.cut(end);
    }
  }

  /** Size of the values that were read or written. */
  get usedBytes(): number {
    let bytes = 0;
    for (const length of this.#used.values()) bytes += length;
    return bytes;
  }
}

function intactValue(handle: number, key: string, { offset, length, checksum }: Place): Buffer | undefined {
  const value = readAt(handle, offset, length);
  return value && crc32(value, crc32(key)) === checksum ? value : undefined;
}

/** Returns the end of the last complete value. */
function findValues(handle: number, places: Map<string, Place>): number {
  const { size } = fstatSync(handle);
  const end = readIndex(handle, size, (key, { offset, length, checksum }) =>
    places.set(key, { offset, length, checksum }),
  );
  return end ?? scan(handle, size, places);
}

function scan(handle: number, size: number, places: Map<string, Place>): number {
  const window = new ReadWindow(handle, size);
  let at = 0;
  while (at + headBytes <= size) {
    const head = window.at(at, headBytes + maxKeyBytes);
    const [keyBytes, length] = [head.readUInt32LE(0), head.readUInt32LE(4)];
    const offset = at + headBytes + keyBytes;
    if (keyBytes === 0 || keyBytes > maxKeyBytes || length > maxValueBytes || offset + length > size) break;
    const key = head.toString('utf8', headBytes, headBytes + keyBytes);
    places.set(key, { offset, length, checksum: head.readUInt32LE(8) });
    at = offset + length;
  }
  return at;
}

/** Reads ahead to save system calls for small values. */
class ReadWindow {
  readonly #handle: number;
  readonly #size: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(handle: number, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  /** Returns fewer bytes only at the end of the file. */
  at(position: number, length: number): Buffer {
    const wanted = Math.min(length, this.#size - position);
    if (position < this.#start || position + wanted > this.#start + this.#bytes.length) {
      const next = Buffer.allocUnsafe(Math.min(scanBytes, this.#size - position));
      const got = readSync(this.#handle, next, 0, next.length, position);
      this.#bytes = next.subarray(0, got);
      this.#start = position;
    }
    return this.#bytes.subarray(position - this.#start, position - this.#start + wanted);
  }
}
