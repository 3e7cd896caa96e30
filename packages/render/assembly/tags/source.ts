/** The HTML that is read, in UTF-8, and how things are found in it. */
import { Bytes } from '../memory';

export const bytesAtOnce = 16;
/** So much is read at once, also where less is left, and must not be of the page before. */
const bytesAfter = 32;

export const quote: u8 = 34;
export const apostrophe: u8 = 39;
export const hyphen: u8 = 45;
export const slash: u8 = 47;
export const less: u8 = 60;
export const equals: u8 = 61;
export const greater: u8 = 62;

const source = new Bytes(1 << 16);
/** Where it begins and ends. */
export let first: usize = 0;
export let last: usize = 0;

/** Where so many bytes are to be written. */
export function roomForHtml(length: i32): usize {
  source.makeRoom(length + bytesAfter);
  first = source.place;
  last = first + <usize>length;
  memory.fill(last, 0, bytesAfter);
  return first;
}

/** The next place of a byte, or the end. */
export function find(byte: u8, from: usize, end: usize): usize {
  const wanted = i8x16.splat(byte);
  for (let at = from; at < end; at += bytesAtOnce) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found != 0) return min(at + <usize>ctz(found), end);
  }
  return end;
}

@inline
export function byteAt(at: usize): u32 {
  return load<u8>(at);
}

@inline
export function isBlank(byte: u32): bool {
  return byte == 32 || (byte >= 9 && byte <= 13 && byte != 11);
}

@inline
export function isLetter(byte: u32): bool {
  return (byte | 32) - 97 < 26;
}

@inline
export function isDigit(byte: u32): bool {
  return byte - 48 < 10;
}

/**
 * A name as one number: its first eight letters. Those that the program knows differ in them or in their length.
 */
@inline
export function nameAt(from: usize, to: usize): u64 {
  const bytes = to - from;
  const letters = load<u64>(from);
  return bytes >= 8 ? letters : letters & ((<u64>1 << (bytes << 3)) - 1);
}

/** The same without regard to case. Signs that change by it stand in no name. */
@inline
export function plainNameAt(from: usize, to: usize): u64 {
  const bytes = to - from;
  const letters = load<u64>(from) | 0x2020_2020_2020_2020;
  return bytes >= 8 ? letters : letters & ((<u64>1 << (bytes << 3)) - 1);
}

/** Of a name that is written here. */
export function nameOf(text: string): u64 {
  let name: u64 = 0;
  for (let at = min(text.length, 8) - 1; at >= 0; at--) name = (name << 8) | text.charCodeAt(at);
  return name;
}

