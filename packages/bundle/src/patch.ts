/**
 * The difference between two versions of one file: which ranges of the old one to copy and which bytes to insert. Matching
 * works on bytes, so that a word that changed in the middle of 4 MB of text costs a few dozen bytes. Pure: no files, and
 * the same two versions always give the same patch. `applyPatch` believes nothing that it reads.
 *
 * A patch is the size of the new version, then pairs of an insertion (length, bytes) and a copy (length, and unless that is
 * 0 the offset, told as the distance from the end of the copy before). Numbers have seven bits a byte, the lowest first.
 */
import { BundleRefused } from './refusal.ts';

/** Both versions are held in memory, so larger files travel whole. */
export const patchableBytes = 64 * 1024 * 1024;

/** The old version is known by pieces of this size. Of 16, 24, 32, 48 and 64, this one gave the smallest deltas of a site. */
const blockBytes = 48;
/**
 * Of pieces that look equal only the first few are remembered: in a file of zeros there would be millions. It also bounds
 * what a file that was written to collide can cost, to 384 comparisons for each of its bytes.
 */
const mostEqualBlocks = 8;
/** A match that saves less than it costs to write down is not one. */
const leastCopyBytes = 12;

/** Undefined when there is nothing to gain, or the versions are too large to be compared. */
export function makePatch(base: Uint8Array, target: Uint8Array): Uint8Array | undefined {
  if (base.length > patchableBytes || target.length > patchableBytes) return undefined;
  const patch = writePatch(target, findCopies(base, target));
  return patch.length < target.length ? patch : undefined;
}

/** `targetBytes` is what the result must have, known from elsewhere: a patch does not decide how much memory it takes. */
export function applyPatch(base: Uint8Array, patch: Uint8Array, targetBytes: number): Uint8Array {
  const reader = new PatchReader(patch);
  if (targetBytes > patchableBytes || reader.number() !== targetBytes)
    throw new BundleRefused('delta_invalid', 'A patch is for a file of another size.');
  const target = Buffer.allocUnsafe(targetBytes);
  let filled = 0;
  let copiedTo = 0;
  while (filled < targetBytes) {
    const inserted = reader.bytes(reader.number());
    if (inserted.length > targetBytes - filled) throw tooLong();
    target.set(inserted, filled);
    filled += inserted.length;
    const copyBytes = reader.number();
    if (copyBytes === 0) {
      // Each pair brings something, so a short patch cannot keep anybody busy for long.
      if (inserted.length === 0) throw new BundleRefused('delta_invalid', 'A patch has an empty step.');
      continue;
    }
    const from = copiedTo + reader.distance();
    if (from < 0 || from + copyBytes > base.length)
      throw new BundleRefused('delta_invalid', 'A patch copies what the old file does not have.');
    if (copyBytes > targetBytes - filled) throw tooLong();
    target.set(base.subarray(from, from + copyBytes), filled);
    filled += copyBytes;
    copiedTo = from + copyBytes;
  }
  if (!reader.isAtEnd) throw new BundleRefused('delta_invalid', 'A patch goes on after its end.');
  return target;
}

function tooLong(): BundleRefused {
  return new BundleRefused('delta_invalid', 'A patch makes more than the file has.');
}

interface Copy {
  from: number;
  to: number;
  length: number;
}

/** Greedy, from front to back. Most edits leave both ends of a file alone, so those are taken first. */
function findCopies(base: Uint8Array, target: Uint8Array): Copy[] {
  const shorter = Math.min(base.length, target.length);
  const prefix = commonPrefix(base, 0, target, 0, shorter);
  const suffix = commonSuffix(base, base.length, target, target.length, shorter - prefix);
  const copies: Copy[] = prefix >= leastCopyBytes ? [{ from: 0, to: 0, length: prefix }] : [];
  const start = prefix >= leastCopyBytes ? prefix : 0;
  const end = suffix >= leastCopyBytes ? target.length - suffix : target.length;
  const middle = end - start >= blockBytes ? findInMiddle(base, target, start, end) : [];
  copies.push(...middle);
  if (end < target.length) copies.push({ from: base.length - suffix, to: end, length: suffix });
  return copies;
}

function findInMiddle(base: Uint8Array, target: Uint8Array, start: number, end: number): Copy[] {
  const blocks = new BlockTable(base);
  const copies: Copy[] = [];
  let unmatchedFrom = start;
  let position = start;
  let hash = hashOf(target, position);
  while (position + blockBytes <= end) {
    let best: Copy | undefined;
    for (let block = blocks.first(hash); block !== -1; block = blocks.next(block)) {
      const from = block * blockBytes;
      const length = commonPrefix(base, from, target, position, Math.min(base.length - from, end - position));
      if (length < blockBytes) continue;
      if (best === undefined || length > best.length) best = { from, to: position, length };
    }
    if (best === undefined) {
      const leaving = target[position] as number;
      position += 1;
      if (position + blockBytes <= end)
        hash = rolled(hash, leaving, target[position + blockBytes - 1] as number);
      continue;
    }
    const before = commonSuffix(
      base,
      best.from,
      target,
      position,
      Math.min(best.from, position - unmatchedFrom),
    );
    copies.push({ from: best.from - before, to: position - before, length: best.length + before });
    position += best.length;
    unmatchedFrom = position;
    if (position + blockBytes <= end) hash = hashOf(target, position);
  }
  return copies;
}

/** Where in the old version a piece of a given hash begins; pieces do not overlap, which keeps the table small. */
class BlockTable {
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #shift: number;

  constructor(base: Uint8Array) {
    const count = Math.floor(base.length / blockBytes);
    const bits = Math.max(4, Math.ceil(Math.log2(count + 1)) + 1);
    this.#shift = 32 - bits;
    this.#heads = new Int32Array(2 ** bits).fill(-1);
    this.#next = new Int32Array(count).fill(-1);
    const chained = new Uint8Array(2 ** bits);
    // From back to front, so that a chain begins with the first piece.
    for (let block = count - 1; block >= 0; block -= 1) {
      const slot = this.#slot(hashOf(base, block * blockBytes));
      const head = this.#heads[slot] as number;
      const length = chained[slot] as number;
      // The last one in the chain is forgotten for the new one once there are too many.
      if (length >= mostEqualBlocks) this.#cutLast(head);
      else chained[slot] = length + 1;
      this.#next[block] = head;
      this.#heads[slot] = block;
    }
  }

  first(hash: number): number {
    return this.#heads[this.#slot(hash)] as number;
  }

  next(block: number): number {
    return this.#next[block] as number;
  }

  #slot(hash: number): number {
    return Math.imul(hash, 0x9e3779b1) >>> this.#shift;
  }

  #cutLast(head: number): void {
    let block = head;
    for (let following = this.next(block); this.next(following) !== -1; following = this.next(block))
      block = following;
    this.#next[block] = -1;
  }
}

/** A polynomial over the bytes, modulo 2^32, that can be moved on by one byte in two multiplications. */
const multiplier = 0x2c1b3c6d;
const leavingFactor = Array.from({ length: blockBytes - 1 }).reduce<number>(
  (product) => Math.imul(product, multiplier),
  1,
);

function hashOf(bytes: Uint8Array, start: number): number {
  const end = Math.min(start + blockBytes, bytes.length);
  let hash = 0;
  for (let index = start; index < end; index += 1)
    hash = (Math.imul(hash, multiplier) + (bytes[index] as number) + 1) | 0;
  return hash;
}

function rolled(hash: number, leaving: number, coming: number): number {
  const without = (hash - Math.imul(leaving + 1, leavingFactor)) | 0;
  return (Math.imul(without, multiplier) + coming + 1) | 0;
}

function commonPrefix(a: Uint8Array, fromA: number, b: Uint8Array, fromB: number, most: number): number {
  let length = 0;
  while (length < most && a[fromA + length] === b[fromB + length]) length += 1;
  return length;
}

/** How much is the same before the two ends. */
function commonSuffix(a: Uint8Array, endA: number, b: Uint8Array, endB: number, most: number): number {
  let length = 0;
  while (length < most && a[endA - length - 1] === b[endB - length - 1]) length += 1;
  return length;
}

function writePatch(target: Uint8Array, copies: readonly Copy[]): Uint8Array {
  const parts: Uint8Array[] = [numberBytes(target.length)];
  let written = 0;
  let copiedTo = 0;
  for (const { from, to, length } of copies) {
    parts.push(numberBytes(to - written), target.subarray(written, to));
    parts.push(numberBytes(length), distanceBytes(from - copiedTo));
    written = to + length;
    copiedTo = from + length;
  }
  if (written < target.length)
    parts.push(numberBytes(target.length - written), target.subarray(written), numberBytes(0));
  return Buffer.concat(parts);
}

function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Small distances in both directions are small numbers: 0, -1, 1, -2, … */
function distanceBytes(distance: number): Uint8Array {
  return numberBytes(distance < 0 ? -2 * distance - 1 : 2 * distance);
}

class PatchReader {
  readonly #patch: Uint8Array;
  #position = 0;

  constructor(patch: Uint8Array) {
    this.#patch = patch;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#patch.length;
  }

  /** Five bytes hold every size that a patch may have to do with. */
  number(): number {
    let value = 0;
    for (let scale = 1; scale <= 0x80 ** 4; scale *= 0x80) {
      const byte = this.#patch[this.#position];
      if (byte === undefined) throw new BundleRefused('delta_invalid', 'A patch ends too early.');
      this.#position += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
    }
    throw new BundleRefused('delta_invalid', 'A patch holds a number that is too large.');
  }

  distance(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#patch.length) throw new BundleRefused('delta_invalid', 'A patch ends too early.');
    const bytes = this.#patch.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }
}
