/**
 * Cuts the HTML of a rendered page into the sections that search finds: the start of the page, each heading, each
 * accordion. It reads the finished HTML and not the source, so that whatever a component shows can be found. One pass
 * over code units into buffers that every page uses again: a page of 20 kB has a thousand tags, most of them in code.
 */
import { Numbers } from '../memory';
import { UnitBuffer, isText, isWhiteSpace, space, unitAt } from './unit-buffer';

/** What belongs to it lies in the buffers below, from `textStart` to `textEnd`, and so on. */
@unmanaged
export class Section {
  /** The id to link to; none at the start of the page. */
  idStart: i32;
  idEnd: i32;
  titleStart: i32;
  titleEnd: i32;
  textStart: i32;
  textEnd: i32;
  /** Code blocks, kept apart because only their names are of use. */
  codeStart: i32;
  codeEnd: i32;
  /** How much was read, white space included. */
  textRead: i32;
  codeRead: i32;
}

/** A page has at most this many; what follows belongs to the last one. */
const maximumSections = 88;
/** More of one section is not read. */
const maximumText = 20_000;
const maximumCode = 1500;

const exclamationMark: u32 = 33;
const quote: u32 = 34;
const apostrophe: u32 = 39;
const slash: u32 = 47;
const less: u32 = 60;
const greater: u32 = 62;

/** Every run of white space in titles and text is one space. */
export const titles = new UnitBuffer();
export const text = new UnitBuffer();
/** As they are written. */
export const code = new UnitBuffer();
export const ids = new UnitBuffer();
export const source = new UnitBuffer();
export let sectionCount: i32 = 0;
export const sections: usize = memory.data(88 * 40);
/** The sections that accordions interrupt, to be continued when they end; -1 for ones without an id. */
const interrupted = new Numbers(16);
let current: Section = sectionAt(0);
let skipping: u64 = 0;
let skippingDepth: i32 = 0;
let titleEnds: u64 = 0;
let inCode: bool = false;
/** What is not there is looked for once, not from every place: else many open quotes would take the square of time. */
let noQuoteFrom: i32 = 0;
let noApostropheFrom: i32 = 0;
let noCommentEndFrom: i32 = 0;

export function sectionAt(index: i32): Section {
  return changetype<Section>(sections + <usize>index * offsetof<Section>());
}

/** The sections of the page in `source`, of which so many units are HTML; zeros follow, so that looking ahead needs no care. */
export function readSections(length: i32): void {
  titles.length = 0;
  text.length = 0;
  code.length = 0;
  ids.length = 0;
  interrupted.count = 0;
  noQuoteFrom = noApostropheFrom = noCommentEndFrom = i32.MAX_VALUE;
  skipping = titleEnds = noName;
  inCode = false;
  sectionCount = 0;
  current = newSection(0, 0);
  readAll(length);
  for (let index = 0; index < sectionCount; index++) trimEnd(sectionAt(index));
}

function readAll(length: i32): void {
  const units = source.units;
  let from = 0;
  for (let at = 0; at < length; at++) {
    if (unitAt(units, at) != less) continue;
    const spanEnd = skipping == spanName ? 0 : plainSpanEnd(units, at);
    const end = spanEnd > 0 ? spanEnd : tagEnd(units, at, length);
    if (end < 0) continue;
    if (at > from && skipping == noName) addText(units, from, at);
    from = end;
    if (spanEnd == 0 && unitAt(units, at + 1) != exclamationMark) readTag(units, at, end);
    at = end - 1;
  }
  if (length > from && skipping == noName) addText(units, from, length);
}

/** Where a tag or comment that starts here ends, or -1 when none does. */
function tagEnd(units: usize, start: i32, length: i32): i32 {
  if (unitAt(units, start + 1) == exclamationMark && isText(units, start + 2, '--'))
    return commentEnd(units, start + 4, length);
  if (!isLetter(unitAt(units, start + (unitAt(units, start + 1) == slash ? 2 : 1)))) return -1;
  for (let at = start + 2; at < length; at++) {
    const unit = unitAt(units, at);
    if (unit == greater) return at + 1;
    if (unit == less) return -1;
    if (unit != quote && unit != apostrophe) continue;
    at = unit == quote ? closingQuote(units, at + 1, length) : closingApostrophe(units, at + 1, length);
    if (at < 0) return -1;
  }
  return -1;
}

function closingQuote(units: usize, from: i32, length: i32): i32 {
  if (from >= noQuoteFrom) return -1;
  for (let at = from; at < length; at++) if (unitAt(units, at) == quote) return at;
  noQuoteFrom = from;
  return -1;
}

function closingApostrophe(units: usize, from: i32, length: i32): i32 {
  if (from >= noApostropheFrom) return -1;
  for (let at = from; at < length; at++) if (unitAt(units, at) == apostrophe) return at;
  noApostropheFrom = from;
  return -1;
}

function commentEnd(units: usize, from: i32, length: i32): i32 {
  if (from >= noCommentEndFrom) return -1;
  for (let at = from; at + 3 <= length; at++) if (isText(units, at, '-->')) return at + 3;
  noCommentEndFrom = from;
  return -1;
}

function readTag(units: usize, start: i32, end: i32): void {
  const closes = unitAt(units, start + 1) == slash;
  let nameEnd = start + (closes ? 2 : 1);
  let name: u64 = 0;
  for (let unit = unitAt(units, nameEnd); isNamePart(unit); unit = unitAt(units, ++nameEnd))
    name = (name << 6) + nameDigit(unit);
  const isVoid = unitAt(units, end - 2) == slash && end - 2 >= nameEnd;
  if (skipping != noName) skip(name, closes, isVoid);
  else if (closes) close(name);
  else open(name, isVoid, nameEnd, end - 1);
  if (!inCode && !isInline(name)) addSpace();
}

function skip(name: u64, closes: bool, isVoid: bool): void {
  if (name != skipping || isVoid) return;
  skippingDepth += closes ? -1 : 1;
  if (skippingDepth == 0) skipping = noName;
}

/** Its attributes stand between the last two. */
function open(name: u64, closesItself: bool, from: i32, to: i32): void {
  const isVoid = closesItself || name == imgName || name == brName || name == inputName;
  if (!isVoid && (isSkipped(name) || isHidden(from, to))) {
    skipping = name;
    skippingDepth = 1;
  } else if (name == h2Name || name == h3Name || name == h4Name) startSection(from, to, name);
  else if (name == detailsName) {
    const before = <i32>((changetype<usize>(current) - sections) / offsetof<Section>());
    interrupted.add(startSection(from, to, summaryName) ? before : -1);
  } else if (name == preName) inCode = true;
}

function close(name: u64): void {
  if (name == titleEnds) titleEnds = noName;
  if (name == preName) {
    addText(lineEnd, 0, 1);
    inCode = false;
  }
  if (name != detailsName) return;
  titleEnds = noName;
  if (interrupted.count == 0) return;
  const continued = interrupted.get(--interrupted.count);
  if (continued >= 0) goOnWith(sectionAt(continued));
}

function startSection(from: i32, to: i32, endsWith: u64): bool {
  if (sectionCount >= maximumSections || !findId(from, to)) return false;
  current = newSection(foundFrom, foundTo);
  titleEnds = endsWith;
  return true;
}

/** With the id that stands there in the HTML. */
function newSection(idFrom: i32, idTo: i32): Section {
  const section = sectionAt(sectionCount++);
  section.idStart = ids.length;
  ids.addAsItIs(source.units, idFrom, idTo);
  section.idEnd = ids.length;
  section.titleStart = section.titleEnd = titles.length;
  section.textStart = section.textEnd = text.length;
  section.codeStart = section.codeEnd = code.length;
  section.textRead = section.codeRead = 0;
  return section;
}

/** Other text lies behind that of the section: what it has is moved, so that it stays in one piece. */
function goOnWith(section: Section): void {
  current = section;
  if (section.textEnd < text.length) {
    section.textStart = text.addAgain(section.textStart, section.textEnd);
    section.textEnd = text.length;
  }
  if (section.codeEnd < code.length) {
    section.codeStart = code.addAgain(section.codeStart, section.codeEnd);
    section.codeEnd = code.length;
  }
}

function addText(units: usize, from: i32, to: i32): void {
  const section = current;
  if (titleEnds != noName) {
    titles.addTidy(section.titleStart, units, from, to);
    section.titleEnd = titles.length;
  } else if (!inCode) {
    if (section.textRead >= maximumText) return;
    section.textRead += text.addTidy(section.textStart, units, from, to);
    section.textEnd = text.length;
  } else if (section.codeRead < maximumCode) {
    section.codeRead += code.addAsItIs(units, from, to);
    section.codeEnd = code.length;
  }
}

/** Between what does not stand in one line. */
function addSpace(): void {
  const section = current;
  if (titleEnds != noName) {
    titles.addSpace(section.titleStart);
    section.titleEnd = titles.length;
  } else if (section.textRead < maximumText) {
    section.textRead++;
    text.addSpace(section.textStart);
    section.textEnd = text.length;
  }
}

function trimEnd(section: Section): void {
  if (section.textEnd > section.textStart && unitAt(text.units, section.textEnd - 1) == space)
    section.textEnd--;
  if (section.titleEnd > section.titleStart && unitAt(titles.units, section.titleEnd - 1) == space)
    section.titleEnd--;
}

/** One unit, a line feed. */
const lineEnd: usize = memory.data<u16>([10]);

/**
 * The end of a `</span>` or `<span class="…">` that says nothing about what is in it, or 0. Most tags are of this kind,
 * from code in colours.
 */
function plainSpanEnd(units: usize, start: i32): i32 {
  const closes = i32(unitAt(units, start + 1) == slash);
  let at = start + closes;
  if (load<u64>(units + ((<usize>at) << 1), 2) != spanLetters) return 0;
  if (closes) return unitAt(units, at + 5) == greater ? at + 6 : 0;
  const attribute = units + ((<usize>at) << 1);
  if (load<u64>(attribute, 10) != classLetters || load<u64>(attribute, 18) != classEndLetters) return 0;
  at += 13;
  /** `dy-when-…` and `hidden` are for the general way to judge. */
  if (unitAt(units, at + 3) == 119) return 0;
  let before: u32 = 0;
  for (let unit = unitAt(units, at); unit != quote; unit = unitAt(units, ++at)) {
    if (unit == less || unit < space || (unit == 104 && before == space)) return 0;
    before = unit;
  }
  return unitAt(units, at + 1) == greater ? at + 2 : 0;
}

/** Four letters at a time: `span`, ` cla`, `ss="`. */
const spanLetters: u64 = 0x006e_0061_0070_0073;
const classLetters: u64 = 0x0061_006c_0063_0020;
const classEndLetters: u64 = 0x0022_003d_0073_0073;

@inline
function isLetter(unit: u32): bool {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122;
}

/** Letters, digits, `-`, `:` and `_`. */
@inline
function isNamePart(unit: u32): bool {
  return isLetter(unit) || (unit >= 48 && unit <= 58) || unit == 45 || unit == 95;
}

/** Upper and lower case are the same. Names of more than ten letters may come out alike, which does no harm. */
@inline
function nameDigit(unit: u32): u32 {
  if (unit >= 97) return unit - 96;
  if (unit == 95) return 62;
  if (unit >= 65) return unit - 64;
  return unit - 18;
}

function tagName(name: string): u64 {
  let number: u64 = 0;
  for (let at = 0; at < name.length; at++) number = (number << 6) + nameDigit(name.charCodeAt(at));
  return number;
}

const noName: u64 = u64.MAX_VALUE;
const spanName = tagName('span');
const preName = tagName('pre');
const detailsName = tagName('details');
const summaryName = tagName('summary');
const h2Name = tagName('h2');
const h3Name = tagName('h3');
const h4Name = tagName('h4');
const imgName = tagName('img');
const brName = tagName('br');
const inputName = tagName('input');
const skippedNames = 'svg script style math template button iframe noscript';
const inlineNames =
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr';
const skipped = namesIn(skippedNames);
const inline = namesIn(inlineNames);

/** Where names end a zero follows. */
function namesIn(names: string): usize {
  const place = heap.alloc((names.length + 2) << 3);
  let at = place;
  let number: u64 = 0;
  for (let letter = 0; letter <= names.length; letter++) {
    const unit = letter < names.length ? names.charCodeAt(letter) : space;
    if (unit != space) number = (number << 6) + nameDigit(unit);
    else {
      store<u64>(at, number);
      at += 8;
      number = 0;
    }
  }
  store<u64>(at, 0);
  return place;
}

function isAmong(names: usize, name: u64): bool {
  let at = names;
  while (load<u64>(at) != 0 && load<u64>(at) != name) at += 8;
  return load<u64>(at) == name;
}

function isSkipped(name: u64): bool {
  return isAmong(skipped, name);
}

function isInline(name: u64): bool {
  return isAmong(inline, name);
}

/** Where the id was found. */
let foundFrom: i32 = 0;
let foundTo: i32 = 0;

/** The first `id="…"` that is not empty. */
function findId(from: i32, to: i32): bool {
  const units = source.units;
  for (let at = from; at + 6 < to; at++) {
    if (!isSpace(unitAt(units, at)) || !isText(units, at + 1, 'id="')) continue;
    foundFrom = foundTo = at + 5;
    while (foundTo < to && unitAt(units, foundTo) != quote) foundTo++;
    if (foundTo < to && foundTo > foundFrom) return true;
  }
  return false;
}

/** Also the words that only say what a click does, such as the two of which an expandable shows one. */
function isHidden(from: i32, to: i32): bool {
  const units = source.units;
  for (let at = from; at < to; at++) {
    const unit = unitAt(units, at);
    if (unit == 99) {
      if (at + 15 <= to && isText(units, at, 'class="dy-when-')) return true;
    } else if (isSpace(unit)) {
      if (at + 19 <= to && isText(units, at + 1, 'aria-hidden="true"')) return true;
      if (at + 7 <= to && isText(units, at + 1, 'hidden')) {
        const next = at + 7 == to ? space : unitAt(units, at + 7);
        if (next == equals || isSpace(next)) return true;
      }
    }
  }
  return false;
}

const equals: u32 = 61;

/** What `\s` matches. */
function isSpace(unit: u32): bool {
  return unit != 0x200b && isWhiteSpace(unit);
}
