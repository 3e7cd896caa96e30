/**
 * A streaming reader that accepts only what `archive.ts` writes: one gzip member, regular files, headers
 * equal to the byte, nothing after the end. It counts real bytes and holds only a few chunks in memory.
 */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { DistinctNames, requireValidName, maxSegments, quoted } from './names.ts';
import { BundleRefusedError } from './refusal.ts';
import { entryHeader, paddingBytes, recordBytes } from './tar.ts';

export interface Entry {
  path: string;
  sizeBytes: number;
  /** Read it before requesting the next entry; unread content is skipped. */
  content: AsyncIterable<Uint8Array>;
}

export interface ReadingLimits {
  entries: number;
  entryBytes: number;
  /** Of all entries together. */
  contentBytes: number;
}

/** Far above any real documentation site. */
export const defaultReadingLimits: ReadingLimits = {
  entries: 200_000,
  entryBytes: 1024 ** 3,
  contentBytes: 16 * 1024 ** 3,
};

/** Throws BundleRefusedError for an invalid file; read errors are passed through. */
export async function* readEntries(
  archive: AsyncIterable<Uint8Array>,
  limits: ReadingLimits = defaultReadingLimits,
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
      // A delta stores files in an additional folder.
      requireValidName(path, maxSegments + 1);
      names.require(path);
      entries += 1;
      contentBytes += sizeBytes;
      if (entries > limits.entries)
        throw new BundleRefusedError('too_large', `More than ${limits.entries} files.`);
      if (sizeBytes > limits.entryBytes || contentBytes > limits.contentBytes)
        throw new BundleRefusedError('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
      const content = new Content(bytes, sizeBytes);
      yield { path, sizeBytes, content };
      await content.skip();
      requireZeros(await bytes.take(paddingBytes(sizeBytes)));
    }
    requireZeros(await bytes.take(recordBytes));
    if (!(await bytes.isAtEnd())) throw foreign('Data follows the end of the archive.');
  } finally {
    await bytes.close();
  }
}

/** Undefined after the last entry. */
export async function nextEntry(entries: AsyncGenerator<Entry>): Promise<Entry | undefined> {
  const { value } = (await entries.next()) as { value: Entry | undefined };
  return value;
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

/** Undefined at the first of the two empty records at the end. */
async function readHeader(bytes: Bytes): Promise<{ path: string; sizeBytes: number } | undefined> {
  const plain = await bytes.take(recordBytes);
  if (plain.every((byte) => byte === 0)) return undefined;
  requireChecksum(plain);
  const type = String.fromCharCode(plain[156] ?? 0);
  if (type === 'x') return readExtendedHeader(bytes, plain);
  requireRegularFile(type, plain);
  const prefix = textAt(plain, 345, 155);
  const name = textAt(plain, 0, 100);
  return requireCanonicalHeader(
    { path: prefix === '' ? name : `${prefix}/${name}`, sizeBytes: sizeIn(plain) },
    plain,
  );
}

const maxExtendedBytes = 16 * 1024;

/** A long name is in a preceding record: `length path=…`, optionally followed by `length size=…`. */
async function readExtendedHeader(bytes: Bytes, first: Buffer): Promise<{ path: string; sizeBytes: number }> {
  const extendedBytes = sizeIn(first);
  if (extendedBytes > maxExtendedBytes) throw foreign('It contains a header that is too long.');
  const records = await bytes.take(extendedBytes);
  const padding = await bytes.take(paddingBytes(extendedBytes));
  const plain = await bytes.take(recordBytes);
  requireChecksum(plain);
  requireRegularFile(String.fromCharCode(plain[156] ?? 0), plain);
  const [, path, size] =
    /^\d+ path=([^\n]*)\n(?:\d+ size=(\d{1,15})\n)?$/.exec(records.toString('utf8')) ?? [];
  if (path === undefined) throw foreign('It contains a header that Docyard does not write.');
  const sizeBytes = size === undefined ? sizeIn(plain) : Number(size);
  return requireCanonicalHeader({ path, sizeBytes }, Buffer.concat([first, records, padding, plain]));
}

/** The header must equal the one that we would write, so that it has only one interpretation. */
function requireCanonicalHeader<Header extends { path: string; sizeBytes: number }>(
  header: Header,
  found: Buffer,
): Header {
  // Checked first for a more specific error.
  requireValidName(header.path, maxSegments + 1);
  if (!found.equals(entryHeader(header.path, header.sizeBytes)))
    throw foreign('It contains a header that Docyard does not write.');
  return header;
}

function requireChecksum(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (textAt(header, 148, 8) !== sum.toString(8).padStart(6, '0'))
    throw foreign('The checksum of a header is wrong.');
}

function requireRegularFile(type: string, header: Buffer): void {
  if (type === '0') return;
  const name = quoted(textAt(header, 0, 100));
  if (type === '1' || type === '2') throw new BundleRefusedError('link', name);
  if (/[3-7]/.test(type)) throw new BundleRefusedError('special_file', name);
  throw foreign('It contains a header that Docyard does not write.');
}

function requireZeros(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw foreign('Padding contains data.');
}

function sizeIn(header: Buffer): number {
  const [, digits] = /^([0-7]{11})\0$/.exec(header.toString('latin1', 124, 136)) ?? [];
  if (digits === undefined) throw foreign('It contains a header that Docyard does not write.');
  return Number.parseInt(digits, 8);
}

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
}

function foreign(detail: string): BundleRefusedError {
  return new BundleRefusedError('not_a_bundle', detail);
}

const gzipHeaderBytes = 10;
const gzipTrailerBytes = 8;

/** Node's gunzip accepts several members and ignores trailing data, so header and trailer are read here. */
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

/** Resolves with the trailer. Refuses trailing data. */
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
    if (!(await source.isAtEnd())) throw foreign('Data follows the end of the compressed stream.');
    return trailer;
  }
  inflate.end();
  throw new BundleRefusedError('truncated');
}

/** Magic number and method, without optional fields. */
const gzipMagic = [0x1f, 0x8b, 8, 0];

async function readGzipHeader(source: Bytes): Promise<void> {
  // Byte by byte, so that a short file is reported as foreign rather than truncated.
  for (const byte of gzipMagic)
    if ((await source.take(1))[0] !== byte) throw foreign('It has no gzip header.');
  await source.take(gzipHeaderBytes - gzipMagic.length);
}

function explainInflating(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return new BundleRefusedError('truncated');
  return code?.startsWith('Z_') ? foreign('The compressed data is damaged.') : error;
}

/** Reads parts of a known length from a stream. */
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

  /** Returns at least one and at most `maxBytes` bytes. */
  async some(maxBytes: number): Promise<Buffer> {
    if (await this.isAtEnd()) throw new BundleRefusedError('truncated');
    const part = this.#rest.subarray(0, maxBytes);
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
