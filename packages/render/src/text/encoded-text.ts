/**
 * Turns text into UTF-8 at the least cost, which differs with how V8 holds it. Nobody may write into what comes out: small
 * pieces are cut from large ones.
 */
import { transcode } from 'node:buffer';

const slabBytes = 1024 * 1024;
/** V8 holds text without these characters in one byte for each, and answers at once for such text. */
const beyondLatin = /[^\0-\xff]/;

/**
 * Text beyond Latin-1 goes through UTF-16, which is how V8 holds it: 27 instead of 107 µs for 30,000 characters. Other text is
 * written into slabs: 51 ms instead of 162 for 70 MB in 2,400 pieces, which is what memory for each of them costs.
 */
export function encodedText(text: string): Uint8Array {
  if (beyondLatin.test(text)) return fromWide(text);
  return text.length * bytesOfCharacter > slabBytes / 2 ? Buffer.from(text) : intoSlab(text);
}

/** A text that is made of parts, some of which came as bytes. */
export type Pieces = readonly (string | Uint8Array | SharedText | MarkedText)[];

/** A part of many texts: it is encoded once. */
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

/** Something that is put in at a place of a shared text, which is told in its bytes. */
export interface Mark {
  at: number;
  text: string;
}

/** A shared text with a few marks of one page, in their order. */
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

/** Bytes are copied once and never decoded. */
export function encodedPieces(pieces: Pieces): Uint8Array {
  return encodedWithPlaces(pieces).bytes;
}

/** With the place of each piece that came as bytes. */
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

/** A text with one character for each byte. */
export function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** What a text says that has one character for each byte. */
export function readableText(byteText: string): string {
  return beyondAscii.test(byteText) ? Buffer.from(byteText, 'latin1').toString() : byteText;
}

const beyondAscii = /[^\0-\x7f]/;

/** A byte order mark that an author wrote is text like any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** No character takes more. */
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
    // Half of a pair, which authors can write as an escape, becomes the sign for what cannot be shown.
    return Buffer.from(text);
  }
}
