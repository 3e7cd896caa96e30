/**
 * Reads an archive as it streams in. It knows only what `archive.ts` writes and refuses everything else: one gzip member,
 * regular files, headers exactly as ours, nothing after the end. It counts the bytes that are really there and holds no more
 * than a few chunks of them.
 */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { DistinctNames, insistOnName, mostSegments, quoted } from './names.ts';
import { BundleRefused } from './refusal.ts';
import { entryHeader, paddingBytes, recordBytes } from './tar.ts';

export interface Entry {
  path: string;
  sizeBytes: number;
  /** To be read to its end before the next entry is asked for; what is not read is skipped. */
  content: AsyncIterable<Uint8Array>;
}

export interface ReadingLimits {
  entries: number;
  entryBytes: number;
  /** Of all entries together. */
  contentBytes: number;
}

/** Far above any documentation site that we know: the largest has 3,600 files, and a video has a few hundred megabytes. */
export const usualLimits: ReadingLimits = {
  entries: 200_000,
  entryBytes: 1024 ** 3,
  contentBytes: 16 * 1024 ** 3,
};

/** Throws BundleRefused for what is wrong with the file, and passes on what goes wrong with reading it. */
export async function* readEntries(
  archive: AsyncIterable<Uint8Array>,
  limits: ReadingLimits = usualLimits,
): AsyncGenerator<Entry> {
  const bytes = new Bytes(inflated(archive));
  const names = new DistinctNames();
  let entries = 0;
  let contentBytes = 0;
  try {
    for (;;) {
      const header = await readHeader(bytes);
      if (header === undefined) break;
      const { path, sizeBytes } = header;
      // A delta keeps the files of a site in a folder of its own.
      insistOnName(path, mostSegments + 1);
      names.insist(path);
      entries += 1;
      contentBytes += sizeBytes;
      if (entries > limits.entries)
        throw new BundleRefused('too_large', `More than ${limits.entries} files.`);
      if (sizeBytes > limits.entryBytes || contentBytes > limits.contentBytes)
        throw new BundleRefused('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
      const content = new Content(bytes, sizeBytes);
      yield { path, sizeBytes, content };
      await content.skip();
      insistOnZeros(await bytes.take(paddingBytes(sizeBytes)));
    }
    insistOnZeros(await bytes.take(recordBytes));
    if (!(await bytes.isAtEnd())) throw foreign('There is more after the end of the archive.');
  } finally {
    await bytes.close();
  }
}

class Content implements AsyncIterable<Uint8Array> {
  readonly #bytes: Bytes;
  #leftBytes: number;

  constructor(bytes: Bytes, sizeBytes: number) {
    this.#bytes = bytes;
    this.#leftBytes = sizeBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.#leftBytes > 0) {
      const chunk = await this.#bytes.some(this.#leftBytes);
      this.#leftBytes -= chunk.length;
      yield chunk;
    }
  }

  async skip(): Promise<void> {
    for await (const _ of this);
  }
}

/* Tar */

/** Undefined at the first of the two empty records that end an archive. */
async function readHeader(bytes: Bytes): Promise<{ path: string; sizeBytes: number } | undefined> {
  const plain = await bytes.take(recordBytes);
  if (plain.every((byte) => byte === 0)) return undefined;
  insistOnChecksum(plain);
  const type = String.fromCharCode(plain[156] ?? 0);
  if (type === 'x') return readExtendedHeader(bytes, plain);
  insistOnRegularFile(type, plain);
  const prefix = textAt(plain, 345, 155);
  const name = textAt(plain, 0, 100);
  return asWritten({ path: prefix === '' ? name : `${prefix}/${name}`, sizeBytes: sizeIn(plain) }, plain);
}

const mostExtendedBytes = 16 * 1024;

/** A name that does not fit the plain header comes in a record before it: `length path=…`, and perhaps `length size=…`. */
async function readExtendedHeader(bytes: Bytes, first: Buffer): Promise<{ path: string; sizeBytes: number }> {
  const extendedBytes = sizeIn(first);
  if (extendedBytes > mostExtendedBytes) throw foreign('It holds a header that is too long.');
  const records = await bytes.take(extendedBytes);
  const padding = await bytes.take(paddingBytes(extendedBytes));
  const plain = await bytes.take(recordBytes);
  insistOnChecksum(plain);
  insistOnRegularFile(String.fromCharCode(plain[156] ?? 0), plain);
  const [, path, size] =
    /^\d+ path=([^\n]*)\n(?:\d+ size=(\d{1,15})\n)?$/.exec(records.toString('utf8')) ?? [];
  if (path === undefined) throw foreign('It holds a header that Docyard does not write.');
  const sizeBytes = size === undefined ? sizeIn(plain) : Number(size);
  return asWritten({ path, sizeBytes }, Buffer.concat([first, records, padding, plain]));
}

/** Leaves no room for two readings of one header: it is what we would have written, to the byte, or it is refused. */
function asWritten<Header extends { path: string; sizeBytes: number }>(
  header: Header,
  found: Buffer,
): Header {
  // First, so that the reason is told.
  insistOnName(header.path, mostSegments + 1);
  if (!found.equals(entryHeader(header.path, header.sizeBytes)))
    throw foreign('It holds a header that Docyard does not write.');
  return header;
}

function insistOnChecksum(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (textAt(header, 148, 8) !== sum.toString(8).padStart(6, '0'))
    throw foreign('The checksum of a header is wrong.');
}

function insistOnRegularFile(type: string, header: Buffer): void {
  if (type === '0') return;
  const name = quoted(textAt(header, 0, 100));
  if (type === '1' || type === '2') throw new BundleRefused('link', name);
  if (/[3-7]/.test(type)) throw new BundleRefused('special_file', name);
  throw foreign('It holds a header that Docyard does not write.');
}

function insistOnZeros(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw foreign('There is something where nothing should be.');
}

function sizeIn(header: Buffer): number {
  const [, digits] = /^([0-7]{11})\0$/.exec(header.toString('latin1', 124, 136)) ?? [];
  if (digits === undefined) throw foreign('It holds a header that Docyard does not write.');
  return Number.parseInt(digits, 8);
}

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
}

function foreign(detail: string): BundleRefused {
  return new BundleRefused('not_a_bundle', detail);
}

/* Gzip */

const gzipHeaderBytes = 10;
const gzipTrailerBytes = 8;

/**
 * Node's own gunzip goes on with further members and overlooks what follows the last one, so header and trailer are read
 * here, and only what lies between is inflated by it.
 */
async function* inflated(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const source = new Bytes(archive);
  await readGzipHeader(source);
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 });
  const feeding = feed(source, inflate);
  feeding.catch((error: Error) => inflate.destroy(error));
  let checksum = 0;
  let rawBytes = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      rawBytes += chunk.length;
      yield chunk;
    }
    const trailer = await feeding;
    if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== rawBytes % 2 ** 32)
      throw foreign('The checksum of the compressed data is wrong.');
  } catch (error) {
    throw explainInflating(error);
  } finally {
    inflate.destroy();
    await source.close();
  }
}

/** Resolves with the trailer: the eight bytes after the compressed data, when nothing follows them. */
async function feed(source: Bytes, inflate: InflateRaw): Promise<Buffer> {
  let fedBytes = 0;
  while (!(await source.isAtEnd())) {
    const chunk = await source.some(64 * 1024);
    await new Promise<void>((resolve, reject) => {
      inflate.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    fedBytes += chunk.length;
    const unusedBytes = fedBytes - inflate.bytesWritten;
    if (unusedBytes === 0) continue;
    inflate.end();
    source.giveBack(Buffer.from(chunk.subarray(chunk.length - unusedBytes)));
    const trailer = await source.take(gzipTrailerBytes);
    if (!(await source.isAtEnd())) throw foreign('There is more after the end of the compressed data.');
    return trailer;
  }
  inflate.end();
  throw new BundleRefused('truncated');
}

/** The three bytes of the format, and no optional fields. */
const gzipMagic = [0x1f, 0x8b, 8, 0];

async function readGzipHeader(source: Bytes): Promise<void> {
  // One after another, so that a short text is called foreign and not cut off.
  for (const byte of gzipMagic)
    if ((await source.take(1))[0] !== byte) throw foreign('It does not begin as one.');
  await source.take(gzipHeaderBytes - gzipMagic.length);
}

function explainInflating(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return new BundleRefused('truncated');
  return code?.startsWith('Z_') ? foreign('The compressed data is damaged.') : error;
}

/** A stream as something to take pieces of a known length from. */
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #isEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0 && !this.#isEnded) {
      const { done, value } = await this.#source.next();
      if (done === true) this.#isEnded = true;
      else this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return this.#rest.length === 0;
  }

  /** At least one byte, at most so many. */
  async some(mostBytes: number): Promise<Buffer> {
    if (await this.isAtEnd()) throw new BundleRefused('truncated');
    const part = this.#rest.subarray(0, mostBytes);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0;) {
      const part = await this.some(left);
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  giveBack(bytes: Buffer): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }

  async close(): Promise<void> {
    if (!this.#isEnded) await this.#source.return?.();
  }
}
