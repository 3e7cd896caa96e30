/**
 * An open file that grows by many small appends, which are buffered. Appended bytes can be read immediately;
 * a killed process loses the buffer.
 */
import { ftruncateSync, readSync, writeSync } from 'node:fs';

const bufferBytes = 256 * 1024;

export class AppendedFile {
  readonly #handle: number;
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  /** Position of the buffer in the file. */
  #from: number;
  #used = 0;

  constructor(handle: number, sizeBytes: number) {
    this.#handle = handle;
    this.#from = sizeBytes;
  }

  get sizeBytes(): number {
    return this.#from + this.#used;
  }

  /** The size that other readers of the file see. */
  get writtenBytes(): number {
    return this.#from;
  }

  /** Copies the bytes or writes them before it returns. Returns their position. */
  append(bytes: Uint8Array): number {
    const position = this.sizeBytes;
    const isLarge = bytes.length > bufferBytes / 2;
    if (isLarge || bytes.length > bufferBytes - this.#used) this.flush();
    if (isLarge) this.#write(bytes);
    else {
      this.#buffer.set(bytes, this.#used);
      this.#used += bytes.length;
    }
    return position;
  }

  /** On failure the buffer is kept. */
  flush(): void {
    if (this.#used === 0) return;
    this.#write(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  /** Truncates the file. */
  cut(sizeBytes: number): void {
    this.#used = 0;
    this.#from = sizeBytes;
    ftruncateSync(this.#handle, sizeBytes);
  }

  /** Fills `target`; false beyond the end of the file. */
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

/** Fills `target`; false beyond the end of the file. A read may return fewer bytes than requested. */
export function readInto(target: Uint8Array, handle: number, position: number): boolean {
  for (let done = 0; done < target.length;) {
    const got = readSync(handle, target, done, target.length - done, position + done);
    if (got === 0) return false;
    done += got;
  }
  return true;
}
