/**
 * Finds the tags that a check wants to see: those with an id or an address, and pictures. It builds no tree and corrects nothing: it
 * reads what the renderer wrote, and copes with anything else without taking long.
 */
import { Numbers } from '../memory';
import {
  apostrophe,
  byteAt,
  equals,
  find,
  first,
  greater,
  isLetter,
  last,
  less,
  nameAt,
  nameOf,
  plainNameAt,
  quote,
  slash,
} from './source';

/** Kinds of attributes, as `src/check/scan-html.ts` numbers them. */
const noKind = 0;
const idKind = 1;
const hrefKind = 2;
const srcKind = 3;
const srcsetKind = 4;
const posterKind = 5;
const altKind = 6;
const relKind = 7;
const contentKind = 8;
const httpEquivKind = 9;
const nameKind = 10;

const id = nameOf('id');
const href = nameOf('href');
const src = nameOf('src');
const srcset = nameOf('srcset');
const poster = nameOf('poster');
const alt = nameOf('alt');
const rel = nameOf('rel');
const content = nameOf('content');
const named = nameOf('name');
const xlinkHref = nameOf('xlink:href');
const httpEquiv = nameOf('http-equiv');

const a = nameOf('a');
const img = nameOf('img');
const script = nameOf('script');
const style = nameOf('style');

/** The start of `span class="`. */
const plainSpan = nameOf('span cla');

/**
 * For each tag where its name starts and ends, the number of its attributes that matter, and for each of those its kind and where its
 * value starts and ends: all counted from the start of the HTML.
 */
const tags = new Numbers(1 << 10);

export function tagsPlace(): usize {
  return tags.place();
}

/** Answers how many numbers it found. */
export function scan(): i32 {
  tags.count = 0;
  for (let at = find(less, first, last); at < last; ) {
    let after = at + 1;
    if (isPlainSpan(after)) after = find(greater, after, last);
    else if (isLetter(byteAt(after))) after = readTag(after);
    else if ((load<u32>(after) & 0xff_ffff) == 0x2d_2d21) after = endOfComment(after);
    at = find(less, after, last);
  }
  return tags.count;
}

/**
 * Highlighted code is full of these, and nothing else stands in them: nine of ten tags on the pages of real manuals. Values
 * that the renderer writes hold no angle bracket.
 */
@inline
function isPlainSpan(at: usize): bool {
  return load<u64>(at) == plainSpan && load<u32>(at, 8) == 0x22_3d_73_73 && at + 12 <= last;
}

function endOfComment(from: usize): usize {
  for (let at = find(greater, from, last); at < last; at = find(greater, at + 1, last))
    if (byteAt(at - 1) == 45 && byteAt(at - 2) == 45) return at;
  return last;
}

/** Answers where to go on. */
function readTag(start: usize): usize {
  let at = endOfName(start);
  const length = at - start;
  const name = plainNameAt(start, at);
  const before = tags.count;
  noteStretch(start, at);
  tags.add(0);
  let matters = name == img && length == 3;
  for (;;) {
    while (at < last && (byteAt(at) <= 32 || byteAt(at) == slash)) at++;
    if (at >= last) break;
    if (byteAt(at) == greater) {
      at++;
      break;
    }
    const nameStart = at;
    at = endOfName(at);
    const kind = kindOf(nameStart, at, length == 1 && name == a);
    let valueStart = at;
    let valueEnd = at;
    if (at < last && byteAt(at) == equals) {
      const sign = <u8>byteAt(at + 1);
      const isQuoted = at + 1 < last && (sign == quote || sign == apostrophe);
      valueStart = at + (isQuoted ? 2 : 1);
      valueEnd = isQuoted ? find(sign, valueStart, last) : endOfBareValue(valueStart);
      at = isQuoted ? valueEnd + 1 : valueEnd;
    }
    if (kind == noKind) continue;
    matters = matters || kind < altKind || kind > contentKind;
    tags.set(before + 2, tags.get(before + 2) + 1);
    tags.add(kind);
    noteStretch(valueStart, valueEnd);
  }
  if (!matters) tags.count = before;
  const isCode = (length == 6 && name == script) || (length == 5 && name == style);
  return isCode ? endOfCode(at, name, length) : at;
}

@inline
function noteStretch(from: usize, to: usize): void {
  tags.add(<i32>(from - first));
  tags.add(<i32>(to - first));
}

function kindOf(from: usize, to: usize, isLink: bool): i32 {
  const name = nameAt(from, to);
  switch (<i32>(to - from)) {
    case 2:
      return name == id ? idKind : noKind;
    case 3:
      return name == src ? srcKind : name == alt ? altKind : name == rel ? relKind : noKind;
    case 4:
      return name == href ? hrefKind : name == named && isLink ? nameKind : noKind;
    case 6:
      return name == srcset ? srcsetKind : name == poster ? posterKind : noKind;
    case 7:
      return name == content ? contentKind : noKind;
    case 10:
      return name == xlinkHref ? hrefKind : name == httpEquiv ? httpEquivKind : noKind;
    default:
      return noKind;
  }
}

/** Scripts and styles end with a tag of the same name, and nothing in them is a tag. */
function endOfCode(from: usize, name: u64, length: usize): usize {
  for (let at = find(less, from, last); at < last; at = find(less, at + 1, last))
    if (byteAt(at + 1) == slash && nameAt(at + 2, at + 2 + length) == name) return at;
  return last;
}

function endOfName(from: usize): usize {
  let at = from;
  for (; at < last; at++) {
    const byte = byteAt(at);
    if (byte <= 32 || byte == equals || byte == greater || byte == slash) break;
  }
  return at;
}

/** An address without quotes may hold slashes. */
function endOfBareValue(from: usize): usize {
  let at = from;
  while (at < last && byteAt(at) > 32 && byteAt(at) != greater) at++;
  return at;
}
