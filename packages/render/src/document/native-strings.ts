import { isAscii } from 'node:buffer';

/** The concatenated strings of a tree; positions are in bytes. */
export class NativeStrings {
  readonly #text: string;
  readonly #offsets: CharacterOffsets | undefined;

  constructor(bytes: Uint8Array, start: number, length: number) {
    const encoded = Buffer.from(bytes.buffer, bytes.byteOffset + start, length);
    // Decoding ASCII is much faster.
    const isPlain = isAscii(encoded);
    this.#text = encoded.toString(isPlain ? 'latin1' : 'utf8');
    if (!isPlain) this.#offsets = new CharacterOffsets(this.#text);
  }

  slice(byte: number, bytes: number): string {
    const offsets = this.#offsets;
    if (bytes === 0) return '';
    if (!offsets) return this.#text.slice(byte, byte + bytes);
    return this.#text.slice(offsets.of(byte), offsets.of(byte + bytes));
  }
}

const wide = /[^\0-\x7f]+/g;

/** Maps byte positions to UTF-16 positions by the multi-byte characters. */
class CharacterOffsets {
  /** The start of each multi-byte character, and the surplus of bytes over units up to its end. */
  readonly #starts: number[] = [];
  readonly #shifts: number[] = [];
  #last = 0;

  constructor(text: string) {
    let shift = 0;
    wide.lastIndex = 0;
    for (let run = wide.exec(text); run; run = wide.exec(text))
      for (let at = run.index; at < wide.lastIndex; at++) {
        const unit = text.charCodeAt(at);
        this.#starts.push(at + shift);
        const isPair = unit >= 0xd8_00 && unit < 0xdc_00;
        if (isPair) at++;
        shift += unit < 0x8_00 ? 1 : 2;
        this.#shifts.push(shift);
      }
  }

  of(byte: number): number {
    const before = this.#countBefore(byte);
    return before === 0 ? byte : byte - (this.#shifts[before - 1] ?? 0);
  }

  /** The number of multi-byte characters before a byte. Consecutive calls are usually close together. */
  #countBefore(byte: number): number {
    const starts = this.#starts;
    const last = this.#last;
    const isFirst = last === 0 || (starts[last - 1] ?? 0) < byte;
    if (isFirst && (last === starts.length || (starts[last] ?? 0) >= byte)) return last;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < byte) low = middle + 1;
      else high = middle;
    }
    return (this.#last = low);
  }
}
