/** A web server with one bundle, like an object store with ETags and ranges. It injects failures and records requests. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class BundleOrigin {
  #bytes = Buffer.alloc(0);
  #etag = '';
  /** Responds to every request with this status. */
  status: number | undefined;
  /** Cuts every response off after so many bytes. */
  cutAfterBytes: number | undefined;
  /** Sends neither ETag nor date. */
  isNameless = false;
  /** Content bytes sent per request; a check requests one byte. */
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

  /** Number of requests for the content. */
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
    // Closed, not reset, and after a delay: a reset would discard bytes that the client has not read.
    response.write(part.subarray(0, this.cutAfterBytes), () => {
      setTimeout(() => response.socket?.end(), 200);
    });
  }
}
