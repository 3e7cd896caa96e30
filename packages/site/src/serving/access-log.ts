/**
 * Writes the access log in batches without waiting for the disk. Memory is bounded: while the destination is
 * slower than the requests, lines are dropped and counted.
 */
import { close, open, write } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { fileErrorReason } from '../disk/file-error.ts';
import { type AccessLogFormat, accessLogLine, type LoggedRequest } from './access-log-line.ts';

export interface AccessLogOptions {
  format: AccessLogFormat;
  /** Null for standard output. */
  file: string | null;
  log: Pick<Logger, 'error' | 'info' | 'warn'>;
  maxPendingBytes?: number;
  /** How long a line may wait for others. */
  flushMs?: number;
}

const defaultMaxPendingBytes = 4 * 1024 * 1024;
const batchBytes = 64 * 1024;
const defaultFlushMs = 500;
/** A full pipe that does not block, or a full disk. */
const retryMs = 100;
const standardOutput = 1;
/** Readable by the group, as the logs of other servers. */
const fileMode = 0o640;

const openFile = promisify(open);
const closeFile = promisify(close);
const writeTo = promisify(write) as (fd: number, bytes: Uint8Array) => Promise<{ bytesWritten: number }>;

export class AccessLog {
  readonly #options: AccessLogOptions;
  #fd: number;
  #lines: string[] = [];
  #waitingBytes = 0;
  #writingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #lastError = '';
  /** Lines that were not written. */
  dropped = 0;

  private constructor(options: AccessLogOptions, fd: number) {
    this.#options = options;
    this.#fd = fd;
  }

  static async open(options: AccessLogOptions): Promise<AccessLog> {
    const fd = options.file === null ? standardOutput : await openFile(options.file, 'a', fileMode);
    return new AccessLog(options, fd);
  }

  record(request: LoggedRequest): void {
    const line = accessLogLine(this.#options.format, request);
    const { maxPendingBytes = defaultMaxPendingBytes, flushMs = defaultFlushMs } = this.#options;
    if (this.#isClosed || this.#waitingBytes + this.#writingBytes + line.length > maxPendingBytes) {
      if (this.dropped === 0) this.#options.log.warn('the access log is too slow: lines are dropped');
      this.dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes >= batchBytes) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), flushMs);
  }

  /** Lines of earlier requests may still reach the former file. */
  async reopen(): Promise<void> {
    const { file, log } = this.#options;
    if (file === null) return;
    try {
      const fd = await openFile(file, 'a', fileMode);
      await this.#writing;
      const former = this.#fd;
      this.#fd = fd;
      // A batch may have started after the one above.
      await this.#writing;
      await closeFile(former);
      log.info({ file }, 'the access log was reopened');
    } catch (error) {
      log.error(`${file} cannot be reopened: ${fileErrorReason(error)}. The former file stays in use.`);
    }
  }

  /** Writes what is waiting, for at most `seconds`. */
  async close(seconds = 2): Promise<void> {
    if (this.#isClosed) return;
    this.#flush();
    const deadline = Date.now() + seconds * 1000;
    while (this.#writing !== undefined && Date.now() < deadline)
      await Promise.race([this.#writing, pause(retryMs)]);
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#options.file !== null && this.#writing === undefined) await closeFile(this.#fd);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing !== undefined || this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.splice(0).join(''));
    this.#writingBytes = bytes.length;
    this.#waitingBytes = 0;
    this.#writing = this.#write(bytes, this.#fd).finally(() => {
      this.#writing = undefined;
      this.#writingBytes = 0;
      if (!this.#isClosed) this.#flush();
    });
  }

  async #write(bytes: Uint8Array, fd: number): Promise<void> {
    let rest = bytes;
    while (rest.length > 0 && !this.#isClosed) {
      try {
        const { bytesWritten } = await writeTo(fd, rest);
        rest = rest.subarray(bytesWritten);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.#reportOnce(error);
        await pause(retryMs);
      }
    }
    this.#lastError = '';
  }

  #reportOnce(error: unknown): void {
    const reason = fileErrorReason(error);
    if (reason === this.#lastError) return;
    this.#lastError = reason;
    this.#options.log.error(`The access log cannot be written: ${reason}.`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
