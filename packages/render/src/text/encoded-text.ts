/**
 * Encodes text as UTF-8 by the fastest way for V8's string representation. Results are read-only: small ones
 * are views of shared slabs.
 */
import { transcode } from 'node:buffer';

const slabBytes = 1024 * 1024;
/** V8 stores text without these characters as Latin-1, for which the test is immediate. */
const beyondLatin = /[^\0-\xff]/;

/**
 * Two-byte strings are transcoded from UTF-16. Other text is written into slabs, which avoids an allocation
 * per text.
 */
export function encodedText(text: string): Uint8Array {
  if (beyondLatin.test(text)) return fromWide(text);
  return text.length * bytesOfCharacter > slabBytes / 2 ? Buffer.from(text) : intoSlab(text);
}

/** The parts of a text, some already encoded. */
export type Pieces = readonly (string | Uint8Array | SharedText | MarkedText)[];

export class SharedText {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= Buffer.from(this.text));
  }
}

/** An insertion into a shared text, by byte position. */
export interface Mark {
  at: number;
  text: string;
}

export class MarkedText {
  readonly shared: SharedText;
  readonly #marks: readonly Mark[];

  constructor(shared: SharedText, marks: readonly Mark[]) {
    this.shared = shared;
    this.#marks = marks;
  }

  *parts(): Generator<Uint8Array> {
    const { bytes } = this.shared;
    let done = 0;
    for (const { at, text } of this.#marks) {
      yield bytes.subarray(done, at);
      yield encodedText(text);
      done = at;
    }
    yield bytes.subarray(done);
  }

  get text(): string {
    return decodedText(Buffer.concat([...this.parts()]));
  }
}

/** Encoded parts are copied once and never decoded. */
export function encodedPieces(pieces: Pieces): Uint8Array {
  return encodedWithPlaces(pieces).bytes;
}

export function encodedWithPlaces(pieces: Pieces): {
  bytes: Uint8Array;
  places: ReadonlyMap<Uint8Array, readonly [start: number, end: number]>;
} {
  const parts: Uint8Array[] = [];
  const places = new Map<Uint8Array, readonly [start: number, end: number]>();
  let length = 0;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      places.set(piece, [length, length + piece.length]);
      add(piece);
    } else if (typeof piece === 'string') add(encodedText(piece));
    else if (piece instanceof MarkedText) for (const part of piece.parts()) add(part);
    else add(piece.bytes);
  }
  return { bytes: Buffer.concat(parts, length), places };
}

export function decodedText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** A Latin-1 string with one character per byte. */
export function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

export function readableText(byteText: string): string {
  return beyondAscii.test(byteText) ? Buffer.from(byteText, 'latin1').toString() : byteText;
}

const beyondAscii = /[^\0-\x7f]/;

/** An author's byte order mark is ordinary text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const bytesOfCharacter = 3;
let slab = Buffer.allocUnsafeSlow(slabBytes);
let used = 0;

function intoSlab(text: string): Uint8Array {
  if (used + text.length * bytesOfCharacter > slabBytes) {
    slab = Buffer.allocUnsafeSlow(slabBytes);
    used = 0;
  }
  const start = used;
  used += slab.write(text, start);
  return slab.subarray(start, used);
}

const scratch = Buffer.allocUnsafeSlow(slabBytes);

function fromWide(text: string): Uint8Array {
  const wide =
    text.length * 2 > slabBytes
      ? Buffer.from(text, 'utf16le')
      : scratch.subarray(0, scratch.write(text, 'utf16le'));
  try {
    return transcode(wide, 'utf16le', 'utf8');
  } catch {
    // Lone surrogates, which authors can write as escapes, become U+FFFD.
    return Buffer.from(text);
  }
}
