/**
 * An open file that grows at its end by many small parts. They are written together: the system takes twice as long for 64 MB in parts
 * of 28 kB as in parts of this size. What was appended can be read at once; a process that is killed loses what still waits.
 */
import { ftruncateSync, writeSync } from 'node:fs';
import { readInto } from './positioned-reads.ts';

/** Fits into the cache of a core; in parts of twice the size, 64 MB took longer again. */
const waitingBytes = 256 * 1024;

export class AppendedFile {
  readonly #handle: number;
  readonly #waiting = Buffer.allocUnsafeSlow(waitingBytes);
  /** Where what waits belongs. */
  #from: number;
  #used = 0;

  constructor(handle: number, sizeBytes: number) {
    this.#handle = handle;
    this.#from = sizeBytes;
  }

  get sizeBytes(): number {
    return this.#from + this.#used;
  }

  /** Up to here whoever reads the file by itself finds everything. */
  get writtenBytes(): number {
    return this.#from;
  }

  /** Copies what it gets, or has written it when it returns. Returns where it lies. */
  append(bytes: Uint8Array): number {
    const place = this.sizeBytes;
    const isLarge = bytes.length > waitingBytes / 2;
    if (isLarge || bytes.length > waitingBytes - this.#used) this.flush();
    if (isLarge) this.#write(bytes);
    else {
      this.#waiting.set(bytes, this.#used);
      this.#used += bytes.length;
    }
    return place;
  }

  /** Where that fails, everything that waits goes on waiting. */
  flush(): void {
    if (this.#used === 0) return;
    this.#write(this.#waiting.subarray(0, this.#used));
    this.#used = 0;
  }

  /** Forgets what came after this size. */
  cut(sizeBytes: number): void {
    this.#used = 0;
    this.#from = sizeBytes;
    ftruncateSync(this.#handle, sizeBytes);
  }

  /** Fills `target`; false when the file ends before. */
  read(target: Uint8Array, position: number): boolean {
    this.#flushFor(target, position);
    return readInto(target, this.#handle, position);
  }

  #flushFor({ length }: Uint8Array, position: number): void {
    if (position + length > this.#from) this.flush();
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#handle, bytes, done, bytes.length - done, this.#from + done);
    this.#from += bytes.length;
  }
}
