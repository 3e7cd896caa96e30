/**
 * Binary patches between two versions of a file. The same two versions always yield the same patch.
 *
 * A patch is the size of the new version, then pairs of an insertion (length, bytes) and a copy (length, and unless
 * that is 0 the offset, relative to the end of the previous copy). Numbers are LEB128.
 */
import { BundleRefusedError } from './refusal.ts';

/** Both versions are held in memory, so larger files are not patched. */
export const patchableBytes = 64 * 1024 * 1024;

/** Blocks of the old version that are indexed. This size yields the smallest deltas for typical sites. */
const blockBytes = 48;
/** Limits the chain of blocks with equal hashes, and thereby the cost of hostile files. */
const maxEqualBlocks = 8;
/** Shorter matches cost more than they save. */
const minCopyBytes = 12;

/** Undefined when a patch would not be smaller or the versions are too large. */
export function makePatch(base: Uint8Array, target: Uint8Array): Uint8Array | undefined {
  if (base.length > patchableBytes || target.length > patchableBytes) return undefined;
  const patch = writePatch(target, findCopies(base, target));
  return patch.length < target.length ? patch : undefined;
}

/** `targetBytes` comes from the manifest, so that a patch cannot decide how much memory is allocated. */
export function applyPatch(base: Uint8Array, patch: Uint8Array, targetBytes: number): Uint8Array {
  const reader = new PatchReader(patch);
  if (targetBytes > patchableBytes || reader.number() !== targetBytes)
    throw new BundleRefusedError('delta_invalid', 'A patch is for a file of another size.');
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
      // Every step makes progress, so a short patch cannot cause much work.
      if (inserted.length === 0) throw new BundleRefusedError('delta_invalid', 'A patch has an empty step.');
      continue;
    }
    const from = copiedTo + reader.distance();
    if (from < 0 || from + copyBytes > base.length)
      throw new BundleRefusedError('delta_invalid', 'A patch copies bytes beyond the end of the old file.');
    if (copyBytes > targetBytes - filled) throw tooLong();
    target.set(base.subarray(from, from + copyBytes), filled);
    filled += copyBytes;
    copiedTo = from + copyBytes;
  }
  if (!reader.isAtEnd) throw new BundleRefusedError('delta_invalid', 'A patch continues after its end.');
  return target;
}

function tooLong(): BundleRefusedError {
  return new BundleRefusedError('delta_invalid', 'A patch produces more bytes than the file has.');
}

interface Copy {
  from: number;
  to: number;
  length: number;
}

/** Greedy. Most edits leave both ends of a file unchanged, so common prefix and suffix are matched first. */
function findCopies(base: Uint8Array, target: Uint8Array): Copy[] {
  const shorter = Math.min(base.length, target.length);
  const prefix = commonPrefix(base, 0, target, 0, shorter);
  const suffix = commonSuffix(base, base.length, target, target.length, shorter - prefix);
  const copies: Copy[] = prefix >= minCopyBytes ? [{ from: 0, to: 0, length: prefix }] : [];
  const start = prefix >= minCopyBytes ? prefix : 0;
  const end = suffix >= minCopyBytes ? target.length - suffix : target.length;
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
        hash = roll(hash, leaving, target[position + blockBytes - 1] as number);
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

/** Index of non-overlapping blocks of the old version by hash. */
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
    // From back to front, so that a chain starts with the first block.
    for (let block = count - 1; block >= 0; block -= 1) {
      const slot = this.#slot(hashOf(base, block * blockBytes));
      const head = this.#heads[slot] as number;
      const length = chained[slot] as number;
      // The last block of a full chain is dropped.
      if (length >= maxEqualBlocks) this.#cutLast(head);
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

/** A rolling polynomial hash modulo 2^32. */
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

function roll(hash: number, leaving: number, coming: number): number {
  const without = (hash - Math.imul(leaving + 1, leavingFactor)) | 0;
  return (Math.imul(without, multiplier) + coming + 1) | 0;
}

function commonPrefix(a: Uint8Array, fromA: number, b: Uint8Array, fromB: number, maxLength: number): number {
  let length = 0;
  while (length < maxLength && a[fromA + length] === b[fromB + length]) length += 1;
  return length;
}

/** Length of the common suffix. */
function commonSuffix(a: Uint8Array, endA: number, b: Uint8Array, endB: number, maxLength: number): number {
  let length = 0;
  while (length < maxLength && a[endA - length - 1] === b[endB - length - 1]) length += 1;
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

/** Zigzag encoding: 0, -1, 1, -2, … */
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

  /** Five bytes are enough for every valid size. */
  number(): number {
    let value = 0;
    for (let scale = 1; scale <= 0x80 ** 4; scale *= 0x80) {
      const byte = this.#patch[this.#position];
      if (byte === undefined) throw new BundleRefusedError('delta_invalid', 'A patch ends too early.');
      this.#position += 1;
      value += (byte % 0x80) * scale;
      if (byte < 0x80) return value;
    }
    throw new BundleRefusedError('delta_invalid', 'A patch holds a number that is too large.');
  }

  distance(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#patch.length) throw new BundleRefusedError('delta_invalid', 'A patch ends too early.');
    const bytes = this.#patch.subarray(this.#position, end);
    this.#position = end;
    return bytes;
  }
}
