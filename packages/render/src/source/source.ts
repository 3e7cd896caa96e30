/**
 * Reads a source file as text the way authors mean it: byte-order mark dropped, line ends as `\n`, control characters
 * removed, size limited. It does not look inside the text.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export const maximumSourceBytes = 1_000_000;

/** The bytes of a file; of one that is too large only enough to see that it is. */
export function readSource(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, maximumSourceBytes + 1));
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
  // Looking is cheaper than replacing what hardly any file has.
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const kept = lines.includes('\0') ? lines.replaceAll('\0', '') : lines;
  return kept.includes('\u2028') || kept.includes('\u2029') ? kept.replaceAll(/[\u2028\u2029]/g, ' ') : kept;
}
