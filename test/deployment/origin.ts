/**
 * A web server that hands out one bundle, as an object store would: with an ETag and by range. It can be told to misbehave,
 * and remembers what it was asked.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class BundleOrigin {
  #bytes = Buffer.alloc(0);
  #etag = '';
  /** Answers nothing but this status. */
  status: number | undefined;
  /** Breaks every answer off after so many bytes of it. */
  cutAfterBytes: number | undefined;
  /** Tells neither ETag nor date. */
  isNameless = false;
  /** How many bytes of content were sent, by request; looks send one. */
  readonly sentBytes: number[] = [];
  readonly #server = createServer((request, response) => this.#answer(request, response));

  static async start(): Promise<BundleOrigin> {
    const origin = new BundleOrigin();
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/bundle.tar.gz`;
  }

  offer(bytes: Uint8Array): void {
    this.#bytes = Buffer.from(bytes);
    this.#etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
  }

  /** Times that the content itself was asked for. */
  get downloads(): number {
    return this.sentBytes.filter((bytes) => bytes > 1).length;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.status !== undefined) return void response.writeHead(this.status).end();
    const etag = this.isNameless ? {} : { etag: this.#etag };
    if (!this.isNameless && request.headers['if-none-match'] === this.#etag)
      return void response.writeHead(304, etag).end();
    const ifRange = request.headers['if-range'];
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const isPart = first !== undefined && (ifRange === undefined || ifRange === this.#etag);
    const start = isPart ? Number(first) : 0;
    const end = isPart && last ? Number(last) : this.#bytes.length - 1;
    const part = this.#bytes.subarray(start, end + 1);
    const total = this.#bytes.length;
    response.writeHead(isPart ? 206 : 200, {
      ...etag,
      'content-length': part.length,
      ...(isPart ? { 'content-range': `bytes ${start}-${end}/${total}` } : {}),
    });
    if (this.cutAfterBytes === undefined || part.length <= this.cutAfterBytes) {
      this.sentBytes.push(part.length);
      return void response.end(part);
    }
    this.sentBytes.push(this.cutAfterBytes);
    // Closed, not reset, and after a moment: whoever has not begun to read when a connection ends loses what came.
    response.write(part.subarray(0, this.cutAfterBytes), () => {
      setTimeout(() => response.socket?.end(), 200);
    });
  }
}
