/**
 * Text as code units in a buffer that is used again for every page, since strings made by adding are slow to read. Also
 * how white space is made single and entities are read. It knows nothing of HTML besides.
 */
const space = 32;
const ampersand = 38;
const semicolon = 59;
const keptLength = 1 << 19;

export class UnitBuffer {
  units = new Uint16Array(16);
  length = 0;
  #bytes = Buffer.from(this.units.buffer);

  constructor() {
    this.reserve(1 << 14);
  }

  /** For the next page. Room for a page of unusual size is not kept. */
  clear(): void {
    this.length = 0;
    if (this.units.length <= keptLength) return;
    this.units = new Uint16Array(keptLength);
    this.#bytes = Buffer.from(this.units.buffer);
  }

  /** Makes room for so many more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.units.length) return;
    const larger = new Uint16Array(Math.max(needed, this.units.length * 2));
    larger.set(this.units.subarray(0, this.length));
    this.units = larger;
    this.#bytes = Buffer.from(larger.buffer);
  }

  addText(text: string): void {
    this.reserve(text.length);
    this.#bytes.write(text, this.length * 2, 'utf16le');
    this.length += text.length;
  }

  /** Also from this buffer itself. Answers where they lie. */
  addUnits(units: Uint16Array, from: number, to: number): number {
    const start = this.length;
    this.reserve(to - from);
    this.units.set(units.subarray(from, to), start);
    this.length += to - from;
    return start;
  }

  slice(from: number, to: number): string {
    return from === to ? '' : this.#bytes.toString('utf16le', from * 2, to * 2);
  }

  /**
   * Adds text of HTML. Every run of white space becomes one space, and none at `start`. Tells how many units there were
   * with the white space.
   */
  addTidy(start: number, source: Uint16Array, from: number, to: number): number {
    this.reserve(to - from);
    const { units } = this;
    let length = this.length;
    let afterSpace = length === start || units[length - 1] === space;
    let read = to - from;
    for (let at = from; at < to; at++) {
      let unit = source[at] as number;
      if (unit > space && unit < 128 && unit !== ampersand) {
        units[length++] = unit;
        afterSpace = false;
        continue;
      }
      const code = unit === ampersand ? readEntity(source, at, to) : none;
      if (code !== none) {
        read -= entityEnd - at - (code > 0xff_ff ? 2 : 1);
        at = entityEnd - 1;
        unit = code;
        if (code === nothing) {
          read--;
          continue;
        }
      }
      if (!isWhiteSpace(unit)) {
        length = writeCode(units, length, unit);
        afterSpace = false;
      } else if (!afterSpace) {
        units[length++] = space;
        afterSpace = true;
      }
    }
    this.length = length;
    return read;
  }

  /** Adds text of HTML with its white space, and tells how many units that is. */
  addAsItIs(source: Uint16Array, from: number, to: number): number {
    this.reserve(to - from);
    const { units } = this;
    let length = this.length;
    for (let at = from; at < to; at++) {
      const unit = source[at] as number;
      const code = unit === ampersand ? readEntity(source, at, to) : none;
      if (code === none) units[length++] = unit;
      else {
        length = writeCode(units, length, code);
        at = entityEnd - 1;
      }
    }
    const added = length - this.length;
    this.length = length;
    return added;
  }

  addSpace(start: number): void {
    if (this.length === start || this.units[this.length - 1] === space) return;
    this.reserve(1);
    this.units[this.length++] = space;
  }
}

/** What `\s` matches, and the space without width. */
function isWhiteSpace(unit: number): boolean {
  if (unit <= space) return unit === space || (unit >= 9 && unit <= 13);
  if (unit < 0x16_80) return unit === 0xa0;
  if (unit < 0x20_00) return unit === 0x16_80;
  if (unit <= 0x20_0b) return true;
  if (unit < 0x30_00) return unit === 0x20_28 || unit === 0x20_29 || unit === 0x20_2f || unit === 0x20_5f;
  return unit === 0x30_00 || unit === 0xfe_ff;
}

/** An entity that stands for no character. */
const nothing = -2;
/** No entity at all. */
const none = -1;
const longestEntity = '&#x10ffff;'.length;
const named: ReadonlyMap<string, number> = new Map(
  Object.entries({ lt: 60, gt: 62, quot: 34, amp: 38, nbsp: 32, apos: 39 }),
);
/** Where the entity read last ends. */
let entityEnd = 0;

/** The character an entity stands for. */
function readEntity(source: Uint16Array, start: number, to: number): number {
  const most = Math.min(to, start + longestEntity);
  let end = start + 1;
  while (end < most && source[end] !== semicolon) end++;
  if (end >= most) return none;
  entityEnd = end + 1;
  const length = end - start;
  /** `&lt;` and `&gt;`, which code is full of. */
  if (length === 3 && source[start + 2] === 116) {
    if (source[start + 1] === 108) return 60;
    if (source[start + 1] === 103) return 62;
  }
  const text = String.fromCharCode(...source.subarray(start + 1, end));
  if (!text.startsWith('#')) return named.get(text) ?? none;
  const number = /^#(\d{1,7})$/.test(text) ? Number(text.slice(1)) : hexadecimal(text);
  if (number === none) return none;
  return number > 0 && number <= 0x10_ff_ff ? number : nothing;
}

function hexadecimal(text: string): number {
  return /^#x[\da-f]{1,6}$/i.test(text) ? Number.parseInt(text.slice(2), 16) : none;
}

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const source = new UnitBuffer();
  source.addText(text);
  const decoded = new UnitBuffer();
  decoded.addAsItIs(source.units, 0, source.length);
  return decoded.slice(0, decoded.length);
}

function writeCode(units: Uint16Array, at: number, code: number): number {
  if (code > 0xff_ff) {
    units[at++] = 0xd7_c0 + (code >> 10);
    units[at++] = 0xdc_00 + (code & 0x3_ff);
  } else if (code >= 0) units[at++] = code;
  return at;
}
