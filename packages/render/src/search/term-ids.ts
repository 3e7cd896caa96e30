/** Numbers the terms of all pages by the bytes of their text, without creating a string per occurrence. */
import { growArray } from './grow-array.ts';

export class TermIds {
  count = 0;
  #texts = Buffer.alloc(1 << 8);
  /** The end and the hash of each text. */
  #ends = new Uint32Array(1 << 6);
  #hashes = new Int32Array(1 << 6);
  #slots = new Int32Array(1 << 8).fill(-1);

  /** `bytes` from `from` to `to` is the term in UTF-8. */
  idOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01_00_01_93);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    for (let next = hash; ;) {
      const slot = next++ & mask;
      const id = this.#slots[slot] as number;
      if (id < 0) return this.#add(slot, hash, bytes, from, to);
      if (this.#hashes[id] === hash && this.#isText(id, bytes, from, to)) return id;
    }
  }

  text(id: number): string {
    return this.#texts.toString('utf8', id === 0 ? 0 : this.#ends[id - 1], this.#ends[id]);
  }

  #isText(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = id === 0 ? 0 : (this.#ends[id - 1] as number);
    if ((this.#ends[id] as number) - start !== to - from) return false;
    const texts = this.#texts;
    for (let at = from, own = start; at < to; at++, own++) if (texts[own] !== bytes[at]) return false;
    return true;
  }

  #add(slot: number, hash: number, bytes: Uint8Array, from: number, to: number): number {
    const id = this.count++;
    if (id === this.#ends.length) {
      this.#ends = growArray(this.#ends, id + 1);
      this.#hashes = growArray(this.#hashes, id + 1);
    }
    const start = id === 0 ? 0 : (this.#ends[id - 1] as number);
    const end = start + to - from;
    if (end > this.#texts.length)
      this.#texts = Buffer.concat([this.#texts], Math.max(end, this.#texts.length * 2));
    this.#texts.set(bytes.subarray(from, to), start);
    this.#ends[id] = end;
    this.#hashes[id] = hash;
    this.#slots[slot] = id;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1);
    const mask = slots.length - 1;
    for (let id = 0; id < this.count; id++) {
      let slot = (this.#hashes[id] as number) & mask;
      while ((slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
  }
}
