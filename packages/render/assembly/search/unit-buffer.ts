/**
 * Text as code units in a buffer that is used again for every page. Also how white space is made single and entities are
 * read. It knows nothing of HTML besides.
 */
import { Bytes } from '../memory';

export const space: u32 = 32;
const ampersand: u32 = 38;
const semicolon: u32 = 59;

@inline
export function unitAt(units: usize, at: i32): u32 {
  return load<u16>(units + ((<usize>at) << 1));
}

@inline
function setUnit(units: usize, at: i32, unit: u32): void {
  store<u16>(units + ((<usize>at) << 1), unit);
}

@unmanaged
export class UnitBuffer {
  length: i32 = 0;
  private bytes: Bytes = new Bytes(1 << 15);

  @inline
  get units(): usize {
    return this.bytes.place;
  }

  /** Makes room for so many more. */
  @inline
  reserve(count: i32): void {
    this.bytes.makeRoom((this.length + count) << 1);
  }

  /** Also from this buffer itself. Answers where they lie. */
  addAgain(from: i32, to: i32): i32 {
    const start = this.length;
    this.reserve(to - from);
    memory.copy(this.units + ((<usize>start) << 1), this.units + ((<usize>from) << 1), (to - from) << 1);
    this.length += to - from;
    return start;
  }

  /**
   * Adds text of HTML. Every run of white space becomes one space, and none at `start`. Tells how many units there were
   * with the white space.
   */
  addTidy(start: i32, source: usize, from: i32, to: i32): i32 {
    this.reserve(to - from);
    const units = this.units;
    let length = this.length;
    let afterSpace = length == start || unitAt(units, length - 1) == space;
    let read = to - from;
    for (let at = from; at < to; at++) {
      let unit = unitAt(source, at);
      if (unit > space && unit < 128 && unit != ampersand) {
        setUnit(units, length++, unit);
        afterSpace = false;
        continue;
      }
      const code = unit == ampersand ? readEntity(source, at, to) : none;
      if (code != none) {
        read -= entityEnd - at;
        at = entityEnd - 1;
        if (code == nothing) continue;
        read += code > 0xffff ? 2 : 1;
        unit = code;
      }
      if (!isWhiteSpace(unit)) {
        length = writeCode(units, length, unit);
        afterSpace = false;
      } else if (!afterSpace) {
        setUnit(units, length++, space);
        afterSpace = true;
      }
    }
    this.length = length;
    return read;
  }

  /** Adds text of HTML with its white space, and tells how many units that is. */
  addAsItIs(source: usize, from: i32, to: i32): i32 {
    this.reserve(to - from);
    const units = this.units;
    let length = this.length;
    for (let at = from; at < to; at++) {
      const unit = unitAt(source, at);
      const code = unit == ampersand ? readEntity(source, at, to) : none;
      if (code == none) setUnit(units, length++, unit);
      else {
        if (code != nothing) length = writeCode(units, length, code);
        at = entityEnd - 1;
      }
    }
    const added = length - this.length;
    this.length = length;
    return added;
  }

  addSpace(start: i32): void {
    if (this.length == start || unitAt(this.units, this.length - 1) == space) return;
    this.reserve(1);
    setUnit(this.units, this.length++, space);
  }
}

/** What `\s` matches, and the space without width. */
export function isWhiteSpace(unit: u32): bool {
  if (unit <= space) return unit == space || (unit >= 9 && unit <= 13);
  if (unit < 0x1680) return unit == 0xa0;
  if (unit < 0x2000) return unit == 0x1680;
  if (unit <= 0x200b) return true;
  if (unit < 0x3000) return unit == 0x2028 || unit == 0x2029 || unit == 0x202f || unit == 0x205f;
  return unit == 0x3000 || unit == 0xfeff;
}

/** An entity that stands for no character. */
const nothing: u32 = u32.MAX_VALUE - 1;
/** No entity at all. */
const none: u32 = u32.MAX_VALUE;
/** As `&#x10ffff;` has. */
const longestEntity = 10;
/** Where the entity read last ends. */
let entityEnd: i32 = 0;

/** The character an entity stands for. */
function readEntity(source: usize, start: i32, to: i32): u32 {
  const most = min(to, start + longestEntity);
  let end = start + 1;
  while (end < most && unitAt(source, end) != semicolon) end++;
  if (end >= most) return none;
  entityEnd = end + 1;
  return unitAt(source, start + 1) == 35 ? numbered(source, start + 2, end) : named(source, start + 1, end);
}

function named(source: usize, from: i32, end: i32): u32 {
  const second = unitAt(source, from + 1);
  switch (end - from) {
    case 2: {
      if (second != 116) return none;
      const first = unitAt(source, from);
      return first == 108 ? 60 : first == 103 ? 62 : none;
    }
    case 3:
      return isText(source, from, 'amp') ? ampersand : none;
    case 4:
      if (isText(source, from, 'quot')) return 34;
      if (isText(source, from, 'nbsp')) return space;
      return isText(source, from, 'apos') ? 39 : none;
    default:
      return none;
  }
}

/** Whether the letters of a text stand there. */
@inline
export function isText(source: usize, at: i32, text: string): bool {
  return memory.compare(source + ((<usize>at) << 1), changetype<usize>(text), text.length << 1) == 0;
}

function numbered(source: usize, from: i32, end: i32): u32 {
  const isHexadecimal = (unitAt(source, from) | 32) == 120;
  const start = from + i32(isHexadecimal);
  const digits = end - start;
  if (digits < 1 || digits > (isHexadecimal ? 6 : 7)) return none;
  let value: u32 = 0;
  for (let at = start; at < end; at++) {
    const unit = unitAt(source, at);
    const letter = unit | 32;
    if (unit >= 48 && unit <= 57) value = value * (isHexadecimal ? 16 : 10) + unit - 48;
    else if (isHexadecimal && letter >= 97 && letter <= 102) value = value * 16 + letter - 87;
    else return none;
  }
  return value > 0 && value <= 0x10ffff ? value : nothing;
}

function writeCode(units: usize, at: i32, code: u32): i32 {
  if (code <= 0xffff) {
    setUnit(units, at, code);
    return at + 1;
  }
  setUnit(units, at, 0xd7c0 + (code >> 10));
  setUnit(units, at + 1, 0xdc00 + (code & 0x3ff));
  return at + 2;
}
