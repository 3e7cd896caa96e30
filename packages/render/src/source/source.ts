/**
 * Reads a source file as text the way authors mean it: byte-order mark dropped, line ends as `\n`, control characters
 * removed, size limited. It does not look inside the text.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { shortHash } from '../text/short-hash.ts';
import type { SourceMark } from '../model/page.ts';

export const maximumSourceBytes = 1_000_000;

/** The bytes of a file; of one that is too large only enough to see that it is. */
export function readSource(path: string): Buffer {
  return readWhole(path).bytes;
}

/** With a mark of just these bytes, whatever becomes of the file meanwhile. */
export function readMarkedSource(path: string): { bytes: Buffer; mark: SourceMark | undefined } {
  const { bytes, found } = readWhole(path);
  const { size, mtimeMs, ctimeMs, ino } = found;
  const mark: SourceMark = [size, mtimeMs, ctimeMs, ino, shortHash(bytes)];
  return { bytes, mark: bytes.length === size ? mark : undefined };
}

function readWhole(path: string): { bytes: Buffer; found: Stats } {
  const file = openSync(path, 'r');
  try {
    const found = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(found.size, maximumSourceBytes + 1));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return { bytes: bytes.subarray(0, length), found };
  } finally {
    closeSync(file);
  }
}

const decoder = new TextDecoder('utf-8');

export function decodeSource(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  // Looking is cheaper than replacing what hardly any file has.
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const kept = lines.includes('\0') ? lines.replaceAll('\0', '') : lines;
  return kept.includes('\u2028') || kept.includes('\u2029') ? kept.replaceAll(/[\u2028\u2029]/g, ' ') : kept;
}
