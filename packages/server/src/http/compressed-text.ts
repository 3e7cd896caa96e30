/** A text that is created once and served with an ETag, compressed as the client accepts it. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { acceptedEncodings } from '@docyard/site/serving';
import type { Encoding } from '@docyard/site/serving';
import { requireConditions } from './conditions.ts';
import type { Web } from './request.ts';
import { matchesEtag } from './serialized-reply.ts';

const compress: Record<Encoding, (text: Buffer) => Promise<Buffer>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
};

export class CompressedText {
  readonly #make: () => string;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  #text: { plain: Buffer; tag: string } | undefined;

  constructor(make: () => string) {
    this.#make = make;
  }

  async answer(web: Web, type: string): Promise<Response> {
    const { plain, tag } = (this.#text ??= withTag(this.#make()));
    const [encoding] = acceptedEncodings(web.req.header('accept-encoding'));
    const etag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
    web.header('etag', etag);
    web.header('vary', 'accept-encoding');
    web.header('cache-control', 'no-cache');
    requireConditions(web, etag, { isRead: true });
    if (matchesEtag(web.req.header('if-none-match') ?? '', etag)) return web.body(null, 304);
    if (encoding !== undefined) web.header('content-encoding', encoding);
    const bytes = encoding === undefined ? plain : await this.#compress(encoding, plain);
    return web.body(new Uint8Array(bytes), 200, { 'content-type': type });
  }

  #compress(encoding: Encoding, plain: Buffer): Promise<Buffer> {
    const known = this.#compressed.get(encoding);
    if (known !== undefined) return known;
    const compressed = compress[encoding](plain);
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}

function withTag(text: string): { plain: Buffer; tag: string } {
  const plain = Buffer.from(text);
  return { plain, tag: createHash('sha256').update(plain).digest('base64url').slice(0, 22) };
}
