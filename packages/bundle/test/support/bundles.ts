/** Builds valid and invalid bundles byte by byte. */
import { hash } from 'node:crypto';
import { crc32, constants, deflateRawSync } from 'node:zlib';
import { manifestBytes, manifestName, signatureName } from '../../src/manifest.ts';
import { sign, type SigningKey } from '../../src/signature.ts';
import { endOfArchive, entryHeader, entryPadding } from '../../src/tar.ts';

export type Files = Record<string, string | Uint8Array>;

export function entry(path: string, content: string | Uint8Array = ''): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([entryHeader(path, bytes.length), bytes, entryPadding(bytes.length)]);
}

/** A header with arbitrary fields and a valid checksum. */
export function header(fields: {
  name?: string;
  type?: string;
  /** Up to twelve characters of the field. */
  size?: string;
  link?: string;
  mode?: string;
}): Buffer {
  const block = Buffer.from(entryHeader('x', 0));
  if (fields.name !== undefined) {
    block.fill(0, 0, 100);
    block.write(fields.name, 0, 100, 'latin1');
  }
  if (fields.size !== undefined) block.write(fields.size.padEnd(12, '\0'), 124, 12, 'latin1');
  if (fields.type !== undefined) block.write(fields.type, 156, 1, 'latin1');
  if (fields.link !== undefined) block.write(fields.link, 157, 100, 'latin1');
  if (fields.mode !== undefined) block.write(fields.mode, 100, 7, 'latin1');
  block.write(' '.repeat(8), 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** An extended header with these records. */
export function extended(records: string, type = 'x'): Buffer {
  const bytes = Buffer.from(records);
  const size = `${bytes.length.toString(8).padStart(11, '0')}\0`;
  return Buffer.concat([header({ name: 'extended-header', type, size }), bytes, entryPadding(bytes.length)]);
}

/** `length key=value\n`, where the length includes itself. */
export function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length += 1;
  return `${length}${rest}`;
}

export const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

export function gzip(raw: Uint8Array): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(raw), 0);
  trailer.writeUInt32LE(raw.length % 2 ** 32, 4);
  return Buffer.concat([gzipHeader, deflateRawSync(raw), trailer]);
}

export function archiveOf(...entries: Uint8Array[]): Buffer {
  return gzip(Buffer.concat([...entries, endOfArchive]));
}

/** Compressed zeros after `before`, one megabyte per chunk, without a trailer. */
export function* zerosAfter(before: Uint8Array, megabytes: number): Generator<Uint8Array> {
  const flushed = { finishFlush: constants.Z_FULL_FLUSH };
  yield Buffer.concat([gzipHeader, deflateRawSync(before, flushed)]);
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024), flushed);
  for (let done = 0; done < megabytes; done += 1) yield megabyte;
}

export function manifestOf(files: Files, version: string | null = '2.1'): Buffer {
  return manifestBytes({
    isolation: 3,
    engineVersion: '0.1.0',
    version,
    commit: 'c'.repeat(40),
    committedAt: '2026-11-10T09:00:00.000Z',
    pages: 1,
    files: Object.entries(files).map(([path, content]) => ({
      path,
      sizeBytes: Buffer.byteLength(content),
      sha256: hash('sha256', content),
    })),
  });
}

/** The entries before the files. */
export function opening(manifest: Uint8Array, key?: SigningKey): Buffer {
  const signature = key === undefined ? [] : [entry(signatureName, sign(key, manifest, 'docyard test'))];
  return Buffer.concat([entry(manifestName, manifest), ...signature]);
}

/** As an export writes it. */
export function bundleOf(files: Files, key?: SigningKey, version?: string | null): Buffer {
  const paths = Object.keys(files).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const entries = paths.map((path) => entry(path, files[path]));
  return archiveOf(opening(manifestOf(files, version), key), ...entries);
}

export async function* inChunks(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
