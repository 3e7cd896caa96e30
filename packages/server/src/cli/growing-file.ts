/**
 * The hash of a file that another process is still writing. It is read as it grows, so that little is left to read when the
 * last byte is there: of 110 MB a twentieth of a second instead of two.
 */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

const lookEveryMs = 20;
const roomBytes = 1024 * 1024;

export class GrowingFile {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  readonly #room = Buffer.allocUnsafeSlow(roomBytes);
  readonly #timer: NodeJS.Timeout;
  #handle: FileHandle | undefined;
  #readBytes = 0;
  #reading: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
    // Whoever waits for the hash is told of what goes wrong.
    this.#timer = setInterval(() => void this.#readOn().catch(() => undefined), lookEveryMs);
  }

  /** Once all of it is there. */
  async sha256(sizeBytes: number): Promise<string> {
    try {
      await this.#reading;
      await this.#readOn();
    } finally {
      await this.close();
    }
    if (this.#readBytes !== sizeBytes)
      throw new Error(`The bundle has ${this.#readBytes} bytes where ${sizeBytes} were packed.`);
    return this.#hash.digest('hex');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    // It may be about to open the file.
    await this.#reading?.catch(() => undefined);
    await this.#handle?.close();
    this.#handle = undefined;
  }

  #readOn(): Promise<void> {
    return (this.#reading ??= this.#readToEnd().finally(() => (this.#reading = undefined)));
  }

  async #readToEnd(): Promise<void> {
    this.#handle ??= await open(this.#path);
    for (;;) {
      const { bytesRead } = await this.#handle.read(this.#room, 0, roomBytes, this.#readBytes);
      if (bytesRead === 0) return;
      this.#hash.update(this.#room.subarray(0, bytesRead));
      this.#readBytes += bytesRead;
    }
  }
}
