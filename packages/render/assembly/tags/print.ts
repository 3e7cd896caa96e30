/**
 * Writes the content of a page as a part of one long document: ids are made its own, headings go one level down, and everything that
 * opens or loads later is open and loaded. Addresses inside of the site are left open, with a mark in their place.
 */
import { Bytes, Numbers } from '../memory';
import {
  byteAt,
  equals,
  find,
  first,
  greater,
  hyphen,
  isBlank,
  isDigit,
  isLetter,
  last,
  less,
  nameAt,
  nameOf,
  plainNameAt,
  quote,
  slash,
} from './source';

const space: u8 = 32;
const numberSign: u8 = 35;
const plus: u8 = 43;
const comma: u8 = 44;
const dot: u8 = 46;
const colon: u8 = 58;

const idStart = new Bytes(1 << 8);
let idStartBytes: i32 = 0;
const printed = new Bytes(1 << 16);
/** Where the next byte goes. */
let printedEnd: usize = 0;
/** Everything before it is printed. */
let done: usize = 0;
/** Where each address that is left open starts and ends, counted from the start of the HTML. */
const addresses = new Numbers(1 << 8);

/** Where the bytes are to be written that come before every id. */
export function roomForIdStart(bytes: i32): usize {
  idStart.makeRoom(bytes);
  idStartBytes = bytes;
  return idStart.place;
}

export function printedPlace(): usize {
  return printed.place;
}

export function addressesPlace(): usize {
  return addresses.place();
}

export function addressCount(): i32 {
  return addresses.count >> 1;
}

/** Answers how many bytes it has printed. */
export function print(): i32 {
  addresses.count = 0;
  printedEnd = 0;
  done = first;
  for (let at = find(less, first, last); at < last; ) {
    let end = at + 1;
    if (!isOfCode(at)) {
      end = find(greater, at, last);
      if (end == last) break;
      printTag(at + 1, end);
    }
    at = find(less, end, last);
  }
  copyUntil(last);
  return <i32>printedEnd;
}

const sevenBytes: u64 = 0xff_ffff_ffff_ffff;
const spanStart = nameOf('<span cl');
const classStart = nameOf('ass="dy-');
const spanEnd = nameOf('</span>');

/** `<span class="dy-k">` or its end: two of three tags, since code has colours. */
@inline
function isOfCode(at: usize): bool {
  const start = load<u64>(at);
  if (start == spanStart) return load<u64>(at, 8) == classStart && load<u16>(at, 17) == 0x3e22;
  return (start & sevenBytes) == spanEnd;
}

const section = nameOf('section');
const aside = nameOf('aside');
const nav = nameOf('nav');
const header = nameOf('header');
const footer = nameOf('footer');
const details = nameOf('details');
const open = nameOf(' open');

/** From after the opening angle bracket to the closing one. Values are written by the renderer: quoted, without angle brackets. */
function printTag(start: usize, end: usize): void {
  const closes = byteAt(start) == slash;
  const nameStart = closes ? start + 1 : start;
  if (!isLetter(byteAt(nameStart)) || find(less, nameStart, end) < end) return;
  const nameEnd = endOfTagName(nameStart + 1);
  const name = nameAt(nameStart, nameEnd);
  const length = nameEnd - nameStart;
  const isLandmark = isLandmarkName(name, length);
  if (isLandmark) {
    copyUntil(nameStart);
    writeText('div');
    done = closes ? end : nameEnd;
  } else if (length == 2 && isHeading(nameStart)) {
    copyUntil(nameStart + 1);
    writeByte(min(54, byteAt(nameStart + 1) + 1));
    done = closes ? end : nameEnd;
  }
  if (closes) return;
  if (name == details && length == 7 && !isOpen(nameEnd, end)) {
    copyUntil(nameEnd);
    writeText(' open');
  }
  printAttributes(nameEnd, end, isLandmark);
}

function endOfTagName(from: usize): usize {
  let at = from;
  while (isLetter(byteAt(at)) || isDigit(byteAt(at)) || byteAt(at) == hyphen) at++;
  return at;
}

/** One page has few landmarks with names of their own; a hundred pages in a row have the same ones again and again. */
function isLandmarkName(name: u64, length: usize): bool {
  switch (<i32>length) {
    case 3:
      return name == nav;
    case 5:
      return name == aside;
    case 6:
      return name == header || name == footer;
    case 7:
      return name == section;
    default:
      return false;
  }
}

@inline
function isHeading(nameStart: usize): bool {
  return byteAt(nameStart) == 104 && byteAt(nameStart + 1) - 49 < 6;
}

/** Whether details say that they are open. */
function isOpen(from: usize, end: usize): bool {
  for (let at = find(space, from, end); at < end; at = find(space, at + 1, end)) {
    if (nameAt(at, at + 5) != open || at + 5 > end) continue;
    const after = byteAt(at + 5);
    if (at + 5 == end || after == space || after == equals) return true;
  }
  return false;
}

/** Each that has the form ` name="value"`; what is between them stays as it is. */
function printAttributes(from: usize, end: usize, isLandmark: bool): void {
  for (let at = find(space, from, end); at < end; at = find(space, at, end)) {
    const nameStart = at + 1;
    let nameEnd = nameStart;
    while (isLetter(byteAt(nameEnd)) || byteAt(nameEnd) == colon || byteAt(nameEnd) == hyphen) nameEnd++;
    const valueStart = nameEnd + 2;
    const isWritten = nameEnd > nameStart && valueStart <= end && load<u16>(nameEnd) == 0x223d;
    const valueEnd = isWritten ? find(quote, valueStart, end) : end;
    if (valueEnd == end) {
      at++;
      continue;
    }
    printValue(at, nameEnd, valueEnd, isLandmark);
    at = valueEnd + 1;
  }
}

const id = nameOf('id');
const src = nameOf('src');
const href = nameOf('href');
const poster = nameOf('poster');
const srcset = nameOf('srcset');
const xlinkHref = nameOf('xlink:href');
const named = nameOf('name');
const role = nameOf('role');
const label = nameOf('aria-label');
const labelledBy = nameOf('aria-labelledby');
const describedBy = nameOf('aria-describedby');
const controls = nameOf('aria-controls');
const labelFor = nameOf('for');
const headers = nameOf('headers');
const loading = nameOf('loading');
const decoding = nameOf('decoding');
const fetchPriority = nameOf('fetchpriority');

/** The attribute begins with a space and ends with a quotation mark. */
function printValue(start: usize, nameEnd: usize, end: usize, isLandmark: bool): void {
  const name = plainNameAt(start + 1, nameEnd);
  const from = nameEnd + 2;
  switch (<i32>(nameEnd - start - 1)) {
    case 2:
      if (name == id) return prefixId(from);
      break;
    case 3:
      if (name == src) return leaveOpen(from, end);
      if (name == labelFor) return prefixIds(from, end);
      break;
    case 4:
      if (name == href) return leaveOpen(from, end);
      if (name == named) return;
      if (name == role && isLandmark) return leaveOut(start, end);
      break;
    case 6:
      if (name == poster) return leaveOpen(from, end);
      if (name == srcset) return leaveEachOpen(from, end);
      break;
    case 7:
      if (name == headers) return prefixIds(from, end);
      if (name == loading) return leaveOut(start, end);
      break;
    case 8:
      if (name == decoding) return leaveOut(start, end);
      break;
    case 10:
      if (name == xlinkHref) return leaveOpen(from, end);
      if (name == label && isLandmark) return leaveOut(start, end);
      break;
    case 13:
      if (name == fetchPriority) return leaveOut(start, end);
      if (name == controls) return prefixIds(from, end);
      break;
    case 15:
      if (name == labelledBy) return prefixIds(from, end);
      break;
    case 16:
      if (name == describedBy) return prefixIds(from, end);
      break;
  }
  prefixReferences(from, end);
}

function leaveOut(start: usize, end: usize): void {
  copyUntil(start);
  done = end + 1;
}

function prefixId(at: usize): void {
  copyUntil(at);
  write(idStart.place, idStartBytes);
}

/** Ids with blanks between them. */
function prefixIds(from: usize, end: usize): void {
  for (let at = from; at < end; at++)
    if (!isBlank(byteAt(at)) && (at == from || isBlank(byteAt(at - 1)))) prefixId(at);
}

const urlStart = nameOf('url(#');

/** `url(#id)` in the styles of drawings. */
function prefixReferences(from: usize, end: usize): void {
  for (let at = find(numberSign, from, end); at < end; at = find(numberSign, at + 1, end))
    if (at >= from + 4 && nameAt(at - 4, at + 1) == urlStart) prefixId(at + 1);
}

/** With a scheme or a host of its own, an address stays as it is. */
function leaveOpen(from: usize, end: usize): void {
  if (byteAt(from) == numberSign && from < end) {
    if (end > from + 1) prefixId(from + 1);
    return;
  }
  if (isAbsolute(from, end)) return;
  copyUntil(from);
  writeByte(0);
  addresses.add(<i32>(from - first));
  addresses.add(<i32>(end - first));
  done = end;
}

/** Addresses with commas between them, each of which may be followed by the size it is for. */
function leaveEachOpen(from: usize, end: usize): void {
  let begins = true;
  for (let at = from; at < end; at++) {
    const byte = byteAt(at);
    if (begins && !isBlank(byte)) {
      const start = at;
      while (at < end && !isBlank(byteAt(at))) at++;
      let last = at;
      while (last > start && byteAt(last - 1) == comma) last--;
      leaveOpen(start, last);
      begins = last < at;
    } else if (byte == comma) begins = true;
    else if (!isBlank(byte)) begins = false;
  }
}

function isAbsolute(from: usize, end: usize): bool {
  if (end >= from + 2 && load<u16>(from) == 0x2f2f) return true;
  if (!isLetter(byteAt(from))) return false;
  let at = from + 1;
  for (; at < end; at++) {
    const byte = byteAt(at);
    if (!isLetter(byte) && !isDigit(byte) && byte != plus && byte != hyphen && byte != dot) break;
  }
  return at < end && byteAt(at) == colon;
}

function copyUntil(end: usize): void {
  write(done, <i32>(end - done));
  done = end;
}

function write(from: usize, bytes: i32): void {
  printed.makeRoom(<i32>printedEnd + bytes);
  memory.copy(printed.place + printedEnd, from, bytes);
  printedEnd += <usize>bytes;
}

/** Of plain letters. */
function writeText(text: string): void {
  for (let at = 0; at < text.length; at++) writeByte(text.charCodeAt(at));
}

function writeByte(byte: u32): void {
  printed.makeRoom(<i32>printedEnd + 1);
  store<u8>(printed.place + printedEnd++, byte);
}
