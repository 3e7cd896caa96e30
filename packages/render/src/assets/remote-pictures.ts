/**
 * Stores pictures of other hosts as files of the output, named by their content hash. The caller downloads;
 * this file decides what to request and what is a picture.
 */
import { hash } from 'node:crypto';
import { pictureSizeOf } from './picture-size.ts';
import { RemoteHosts } from './remote-hosts.ts';
import { safeSvg } from './safe-svg.ts';
import type { RemotePicture } from '../model/site-plan.ts';

/** Rejects with a sentence that explains the failure. It enforces its own limits of time and hosts. */
export type FetchPicture = (address: string) => Promise<Uint8Array>;

export interface PictureLimits {
  pictures: number;
  bytes: number;
  totalBytes: number;
  atOnce: number;
  /** No download starts later than this after the first one. */
  seconds: number;
}

const usualLimits: PictureLimits = {
  pictures: 500,
  bytes: 10_000_000,
  totalBytes: 100_000_000,
  atOnce: 12,
  seconds: 30,
};

/** Reserved for generated files, so authors' files never collide with it. */
const folder = '_docyard/remote';

export class RemotePictures {
  /** By requested address. Holders of the map see it grow. */
  readonly table = new Map<string, RemotePicture>();
  readonly #fetch: FetchPicture | undefined;
  readonly #limits: PictureLimits;
  readonly #files = new Set<string>();
  #totalBytes = 0;
  #beganAtMs: number | undefined;

  constructor(
    fetch: FetchPicture | undefined,
    limits: Partial<PictureLimits> = {},
    hosts: RemoteHosts = new RemoteHosts(),
  ) {
    this.#fetch = fetch && hosts.bounded(fetch);
    this.#limits = { ...usualLimits, ...limits };
  }

  get isFetching(): boolean {
    return this.#fetch !== undefined;
  }

  /**
   * Downloads unknown pictures and yields each new file. Hosts alternate, so that a slow one delays no other;
   * the order depends only on the addresses, so that limits drop the same ones in every build.
   */
  async *settle(addresses: Iterable<string>): AsyncGenerator<{ path: string; content: Uint8Array }> {
    const fetch = this.#fetch;
    if (!fetch) return;
    const unknown = new Set([...addresses].filter((address) => !this.table.has(address)));
    const waiting = inTurns([...unknown].toSorted()).toReversed();
    const underWay: { address: string; content: Promise<Uint8Array | string> }[] = [];
    while (waiting.length > 0 || underWay.length > 0) {
      while (waiting.length > 0 && underWay.length < this.#limits.atOnce) {
        const address = waiting.pop() ?? '';
        underWay.push({ address, content: this.#request(fetch, address, underWay.length) });
      }
      const next = underWay.shift();
      if (next) yield* this.#take(next.address, await next.content);
    }
  }

  /** Returns the bytes, or the reason for the failure. */
  #request(fetch: FetchPicture, address: string, ahead: number): Promise<Uint8Array | string> {
    const { pictures, seconds } = this.#limits;
    const nowMs = performance.now();
    this.#beganAtMs ??= nowMs;
    if (this.table.size + ahead >= pictures)
      return Promise.resolve(`the site shows more than ${pictures} images of other hosts`);
    if (nowMs - this.#beganAtMs > seconds * 1000)
      return Promise.resolve(`the images of the site took longer than ${seconds} seconds`);
    return fetch(address).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  }

  *#take(address: string, content: Uint8Array | string): Generator<{ path: string; content: Uint8Array }> {
    const picture = typeof content === 'string' ? content : this.#classify(content);
    if (typeof picture === 'string') {
      this.table.set(address, { problem: picture });
      return;
    }
    const path = `${folder}/${hash('sha256', picture.content).slice(0, 16)}.${picture.kind}`;
    this.table.set(address, { file: path, size: pictureSizeOf(picture.content, picture.kind === 'svg') });
    if (this.#files.has(path)) return;
    this.#files.add(path);
    yield { path, content: picture.content };
  }

  #classify(content: Uint8Array): KnownPicture | string {
    const { bytes, totalBytes } = this.#limits;
    if (content.length > bytes) return `it is larger than ${bytes / 1e6} MB`;
    this.#totalBytes += content.length;
    if (this.#totalBytes > totalBytes)
      return `the images of the site are larger than ${totalBytes / 1e6} MB together`;
    return knownPicture(content) ?? 'the file is not in an image format that browsers show';
  }
}

function inTurns(addresses: readonly string[]): string[] {
  const byHost = [...Map.groupBy(addresses, (address) => URL.parse(address)?.host ?? '').values()];
  const maxLength = Math.max(0, ...byHost.map((ofHost) => ofHost.length));
  return Array.from({ length: maxLength }, (_, turn) =>
    byHost.flatMap((ofHost) => ofHost[turn] ?? []),
  ).flat();
}

interface KnownPicture {
  kind: 'png' | 'jpg' | 'gif' | 'webp' | 'avif' | 'ico' | 'svg';
  content: Uint8Array;
}

/** Security: detects the format by content, because a host's content type and file name are untrusted. */
function knownPicture(content: Uint8Array): KnownPicture | undefined {
  const head = Buffer.from(content.subarray(0, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return { kind: 'png', content };
  if (head.startsWith('\xff\xd8\xff')) return { kind: 'jpg', content };
  if (/^GIF8[79]a/.test(head)) return { kind: 'gif', content };
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return { kind: 'webp', content };
  if (/^[\s\S]{4}ftypavi[fs]/.test(head)) return { kind: 'avif', content };
  if (head.startsWith('\0\0\x01\0')) return { kind: 'ico', content };
  return svgPicture(content);
}

function svgPicture(content: Uint8Array): KnownPicture | undefined {
  if (!/^(?:\xef\xbb\xbf)?\s*</.test(Buffer.from(content.subarray(0, 64)).toString('latin1')))
    return undefined;
  const svg = safeSvg(new TextDecoder().decode(content));
  return svg === undefined ? undefined : { kind: 'svg', content: new TextEncoder().encode(svg) };
}
