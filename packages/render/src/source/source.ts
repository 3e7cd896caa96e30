/**
 * Decodes source files: removes the byte-order mark and control characters, normalizes line ends, limits the
 * size.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export const maxSourceBytes = 1_000_000;

/** Of an oversized file it reads only enough to detect the excess. */
export function readSource(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, maxSourceBytes + 1));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

const decoder = new TextDecoder('utf-8');

export function decodeSource(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const kept = lines.includes('\0') ? lines.replaceAll('\0', '') : lines;
  return kept.includes('\u2028') || kept.includes('\u2029') ? kept.replaceAll(/[\u2028\u2029]/g, ' ') : kept;
}
