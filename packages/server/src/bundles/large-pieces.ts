/**
 * Where a file that is larger than a block is cut. The text around a place decides whether it is one, so that whoever adds a
 * sentence to llms-full.txt, 50 MB of 10,000 pages, changes one piece of it and leaves the others as they were.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A piece of a large file: where it ends, and what names its bytes in the archive. */
export interface LargePiece {
  end: number;
  key: string;
}

export const largestPieceBytes = 1024 * 1024;
const leastPieceBytes = 768 * 1024;
/** A line ends a piece by its last characters, every 64th; a file of nothing but line ends must not take longer than others. */
const decidingBytes = 32;
const mostLines = 4096;
const newline = 0x0a;
const recordBytes = 512;

/** `read` gives the bytes of the file from `start` on, as many as there are up to `length`. */
export function intoLargePieces(
  { path, sizeBytes }: { path: string; sizeBytes: number },
  read: (start: number, length: number) => Uint8Array,
  rules: string,
): LargePiece[] {
  const pieces: LargePiece[] = [];
  for (let start = 0; start < sizeBytes;) {
    const window = read(start, Math.min(largestPieceBytes, sizeBytes - start));
    const isRest = start + window.length === sizeBytes && window.length < largestPieceBytes;
    const length = isRest ? window.length : cutIn(window);
    const end = start + length;
    const hash = createHash('sha256').update(rules);
    // What stands around the content: the header that names file and size, and what fills up the last record.
    hash.update(start === 0 ? `\n${path}\0${sizeBytes}` : '\n');
    hash.update(end === sizeBytes ? `\0${sizeBytes % recordBytes}\0` : '\0\0');
    hash.update(window.subarray(0, length));
    pieces.push({ end, key: `piece:${hash.digest('hex').slice(0, 40)}` });
    start = end;
  }
  return pieces;
}

function cutIn(window: Uint8Array): number {
  let at = window.indexOf(newline, leastPieceBytes);
  for (let lines = 0; at !== -1 && lines < mostLines; lines += 1) {
    if (crc32(window.subarray(at - decidingBytes, at)) % 64 === 0) return at + 1;
    at = window.indexOf(newline, at + 1);
  }
  return window.length;
}
