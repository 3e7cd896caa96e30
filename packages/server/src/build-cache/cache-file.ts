/**
 * A build cache in two files: a young one that values are appended to, and an old one that is only read. A value that is read
 * from the old file is copied to the young one, so unused values disappear when `cache-folder.ts` rotates the files. Every value
 * has a checksum: a killed process loses the last values it put, and a damaged value is missing. On a full disk nothing is kept.
 */
import { fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import type { BuildCache } from '@docyard/render';
import { AppendedFile } from '@docyard/bundle';
import { encodeIndex, readAt, readIndex } from './cache-file-index.ts';

/** The index of a larger site would not fit into the memory of an export; such a site is rendered anew each time. */
export const maxCachedPages = 20_000;

interface Place {
  handle: number;
  offset: number;
  length: number;
  checksum: number;
}

/** Length of the key, length of the value, checksum of both. */
const headBytes = 12;
const maxKeyBytes = 200;
/** Anything longer is no length that was written here. */
const maxValueBytes = 1024 ** 3;
const scanBytes = 256 * 1024;

export class CacheFile implements BuildCache {
  readonly #young: number;
  readonly #old: number | undefined;
  readonly #places = new Map<string, Place>();
  /** Keys of the young file whose value was read or put by this process, with its bytes. */
  readonly #used = new Map<string, number>();
  /** Where values were before this process put them. */
  readonly #before = new Map<string, Place | undefined>();
  readonly #begin: number;
  readonly #file: AppendedFile;
  #isFull = false;

  /** Open files; both may be empty, and the young one may end in the middle of a value. */
  constructor(young: number, old: number | undefined) {
    this.#young = young;
    this.#old = old;
    if (old !== undefined) this.#find(old);
    this.#begin = this.#find(young);
    this.#file = new AppendedFile(young, this.#begin);
    // What is put goes where the index was: until there is another one, the file is read through.
    if (this.#begin < fstatSync(young).size) this.#file.cut(this.#begin);
  }

  get(key: string): Uint8Array | undefined {
    const place = this.#placeOf(key);
    if (place === undefined) return undefined;
    return this.#found(key, place, readAt(place.handle, place.offset, place.length));
  }

  /** Where its value can be read: what waits to be written is written first. */
  #placeOf(key: string): Place | undefined {
    const place = this.#places.get(key);
    if (place?.handle !== this.#young || place.offset + place.length <= this.#file.writtenBytes) return place;
    this.flush();
    // Another place, or none, if the disk is full.
    return this.#places.get(key);
  }

  #found(key: string, { handle, length, checksum }: Place, value: Uint8Array | undefined) {
    if (value === undefined || crc32(value, crc32(key)) !== checksum) return this.#forget(key);
    if (handle === this.#old) this.put(key, value);
    else this.#used.set(key, length);
    return value;
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  put(key: string, ...parts: readonly Uint8Array[]): void {
    const name = Buffer.from(key);
    let checksum = crc32(name);
    let length = 0;
    for (const part of parts) {
      checksum = crc32(part, checksum);
      length += part.length;
    }
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(name.length, 0);
    head.writeUInt32LE(length, 4);
    head.writeUInt32LE(checksum, 8);
    const offset = this.#file.sizeBytes + headBytes + name.length;
    if (!this.#write(() => [head, name, ...parts].forEach((part) => this.#file.append(part)))) return;
    if (!this.#before.has(key)) this.#before.set(key, this.#places.get(key));
    this.#places.set(key, { handle: this.#young, offset, length, checksum });
    this.#used.set(key, length);
  }

  /** Leaves what was put to the next process, also when this one is killed. */
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
      this.#giveUp();
      return false;
    }
  }

  /** The bundle needs the room more than the next export needs a cache. */
  #giveUp(): void {
    this.#isFull = true;
    this.#file.cut(this.#begin);
    for (const [key, place] of this.#before) {
      if (place === undefined) this.#places.delete(key);
      else this.#places.set(key, place);
      if (place?.handle !== this.#young) this.#used.delete(key);
    }
    this.#before.clear();
  }

  /** Puts down where everything is, so that the next process need not look for it. Nothing can be put after that. */
  leaveIndex(): void {
    this.flush();
    const end = this.#file.sizeBytes;
    const places = [...this.#places].filter(([, { handle }]) => handle === this.#young);
    this.#isFull = true;
    try {
      this.#file.append(encodeIndex(places, end));
      this.#file.flush();
    } catch (error) {
      if (!isDiskFullOrLimited(error)) throw error;
      this.#file.cut(end);
    }
  }

  /** The bytes of the values that were read or put. */
  get usedBytes(): number {
    let bytes = 0;
    for (const length of this.#used.values()) bytes += length;
    return bytes;
  }

  #forget(key: string): undefined {
    this.#places.delete(key);
  }

  /** Returns where the last whole value ends. */
  #find(handle: number): number {
    const begin = readIndex(handle, fstatSync(handle).size, (key, { offset, length, checksum }) =>
      this.#places.set(key, { handle, offset, length, checksum }),
    );
    return begin ?? this.#scan(handle);
  }

  #scan(handle: number): number {
    const { size } = fstatSync(handle);
    const window = new ReadWindow(handle, size);
    let at = 0;
    while (at + headBytes <= size) {
      const head = window.at(at, headBytes + maxKeyBytes);
      const [keyBytes, length] = [head.readUInt32LE(0), head.readUInt32LE(4)];
      const offset = at + headBytes + keyBytes;
      if (keyBytes === 0 || keyBytes > maxKeyBytes || length > maxValueBytes || offset + length > size) break;
      const key = head.toString('utf8', headBytes, headBytes + keyBytes);
      this.#places.set(key, { handle, offset, length, checksum: head.readUInt32LE(8) });
      at = offset + length;
    }
    return at;
  }
}

/** Reads ahead, so that small values are not one system call each. */
class ReadWindow {
  readonly #handle: number;
  readonly #size: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(handle: number, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  /** Fewer bytes only where the file ends. */
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
