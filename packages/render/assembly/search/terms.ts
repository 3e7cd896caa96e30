/**
 * Counts the terms of a page, section by section: how much each says about each. What is known about a term lies in one
 * place, since a page touches several hundred of them.
 */
import { Bytes, Numbers, Slots } from '../memory';
import { Section, code, sectionAt, sectionCount, text, titles } from './sections';
import { UnitBuffer, unitAt } from './unit-buffer';
import { findTerms, found, wordCount } from './words';

/** The step of a weight in the index, as the search in the browser reads it. */
@external('env', 'stepOf')
declare function stepOf(weight: f64): i32;
/** Whether a term, whose text in UTF-8 lies there, is too common to look for. */
@external('env', 'isCommon')
declare function isCommon(place: usize, bytes: i32): bool;

/** Has 64 bytes. */
@unmanaged
class Term {
  times: f64;
  weight: f64;
  /** The part of the weight of a field that the term has. */
  share: f64;
  /** The best of what keywords give it. */
  best: f64;
  /** Which section the first two are about, and which field the third: all are numbered through the life of the process. */
  section: i32;
  field: i32;
  keywords: i32;
  page: i32;
  /** The posting before, on the same page, or -1. */
  lastPosting: i32;
  hash: u32;
  /** Its text in UTF-8, among those of all. */
  textStart: i32;
  textLength: u16;
  /** Too common to look for. */
  isCommon: bool;
}

/**
 * A word in the title of a page counts ten times as much as one in its text, and a word of a short title more than one
 * of a long title. These are the ones of what stands in the HTML; those of the fields are told.
 */
const headingWeight: f64 = 5;
const textWeight: f64 = 1;
const codeWeight: f64 = 0.35;
/** Of words inside an identifier. */
const partWeight: f64 = 0.6;
/** The length of a section that is neither long nor short. A constant, so that pages need not know of each other. */
const usualLength: f64 = 60;
const namesInCode = 40;
/** Code is read in pieces of about so many units: often the names of the first ones are enough. */
const codeAtOnce = 300;
const lineFeed: u32 = 10;

const terms = new Bytes(1 << 16);
export let termCount: i32 = 0;
/** One more than the number of a term, found by its text. */
const slots = new Slots(4, (slot) => termAt(load<i32>(slot) - 1).hash);
const texts = new Bytes(1 << 16);
let textsEnd: i32 = 0;

let lastNumber: i32 = 0;
let page: i32 = 0;
let section: i32 = 0;
let boost: f64 = 1;
const ofSection = new Numbers(1 << 8);
const ofPage = new Numbers(1 << 10);
/** Section and step of each posting, and the posting of the same term after it. */
const postings = new Numbers(1 << 12);
const keywordTerms = new Numbers(1 << 6);
/** Text of the page that is not in its HTML. */
export const field = new UnitBuffer();
export const packed = new Bytes(1 << 16);

@inline
function termAt(number: i32): Term {
  return changetype<Term>(terms.place + ((<usize>number) << 6));
}

export function forgetTerms(): void {
  termCount = 0;
  textsEnd = 0;
  slots.clear();
}

/** Where the text of a term is to be written, which has at most so many bytes. */
export function roomForTerm(bytes: i32): usize {
  texts.makeRoom(textsEnd + bytes);
  return texts.place + <usize>textsEnd;
}

/** The number of the term whose text was written there, which is kept if it is new. */
export function termNumber(bytes: i32): i32 {
  const text = texts.place + <usize>textsEnd;
  let hash: u32 = bytes;
  for (let at = 0; at < bytes; at++) hash = (hash ^ load<u8>(text + at)) * 0x0100_0193;
  hash ^= hash >> 15;
  let slot = slots.first(hash);
  for (; !slots.isEmpty(slot); slot = slots.next(slot)) {
    const number = load<i32>(slot) - 1;
    const term = termAt(number);
    if (term.hash != hash || term.textLength != bytes) continue;
    if (memory.compare(texts.place + <usize>term.textStart, text, bytes) == 0) return number;
  }
  const number = addTerm(hash, bytes);
  store<i32>(slot, number + 1);
  slots.noteFilled();
  return number;
}

function addTerm(hash: u32, bytes: i32): i32 {
  terms.makeRoom((termCount + 1) << 6);
  const term = termAt(termCount);
  term.hash = hash;
  term.textStart = textsEnd;
  term.textLength = <u16>bytes;
  term.isCommon = bytes < 6 && isCommon(texts.place + <usize>textsEnd, bytes);
  term.section = term.field = term.keywords = term.page = 0;
  textsEnd += bytes;
  return termCount++;
}

/** Whether it can be a name in code: it is worth looking for, and is no number. */
export function isName(number: i32): bool {
  const term = termAt(number);
  const first = load<u8>(texts.place + <usize>term.textStart);
  return !term.isCommon && (first < 48 || first > 57);
}

/** Begins with the first section of a page, to which its fields belong. */
export function beginPage(multiplier: f64): void {
  boost = multiplier;
  page = ++lastNumber;
  section = ++lastNumber;
  ofPage.count = postings.count = ofSection.count = keywordTerms.count = 0;
}

export function addField(weight: f64): void {
  addWeighted(field.units, 0, field.length, weight);
}

function addWeighted(units: usize, from: i32, to: i32, weight: f64): void {
  if (from == to) return;
  const count = sharesOf(units, from, to);
  const each = weight / (1.0 + 0.12 * <f64>max(0, wordCount - 1));
  for (let at = 0; at < count; at++) {
    const term = meet(found.get(at));
    term.weight += each * term.share;
  }
}

/** However many keywords hold a word, it counts once. */
export function addKeyword(weight: f64): void {
  const count = sharesOf(field.units, 0, field.length);
  const each = weight / (1.0 + 0.12 * <f64>max(0, wordCount - 1));
  for (let at = 0; at < count; at++) {
    const number = found.get(at);
    const term = termAt(number);
    if (term.keywords != page) {
      term.keywords = page;
      term.best = 0;
      keywordTerms.add(number);
    }
    term.best = max(each * term.share, term.best);
  }
}

export function endKeywords(): void {
  for (let at = 0; at < keywordTerms.count; at++) {
    const term = meet(keywordTerms.get(at));
    term.weight += term.best;
  }
}

/** Leaves each term of a text once at the start of `found`, with its share. */
function sharesOf(units: usize, from: i32, to: i32): i32 {
  findTerms(units, from, to, false);
  const number = ++lastNumber;
  let distinct = 0;
  for (let at = 0; at < found.count; at++) {
    const entry = found.get(at);
    const term = termAt(entry >> 1);
    const share: f64 = entry & 1 ? partWeight : 1;
    if (term.field != number) {
      term.field = number;
      term.share = share;
      found.set(distinct++, entry >> 1);
    } else if (share > term.share) term.share = share;
  }
  return distinct;
}

export function countSections(): void {
  for (let index = 0; index < sectionCount; index++) {
    const read = sectionAt(index);
    if (index > 0) {
      section = ++lastNumber;
      ofSection.count = 0;
      addWeighted(titles.units, read.titleStart, read.titleEnd, headingWeight);
    }
    addText(text.units, read.textStart, read.textEnd);
    addNames(code.units, read);
    endSection(index);
  }
}

function addText(units: usize, from: i32, to: i32): void {
  if (from == to) return;
  findTerms(units, from, to, false);
  for (let at = 0; at < found.count; at++) {
    const entry = found.get(at);
    const term = meet(entry >> 1);
    term.times += entry & 1 ? partWeight : 1;
  }
  const shortness = 1.2 * (0.25 + (0.75 * <f64>wordCount) / usualLength);
  for (let at = 0; at < ofSection.count; at++) {
    const term = termAt(ofSection.get(at));
    const often = term.times;
    if (often > 0 && !term.isCommon) term.weight += (textWeight * often * 2.2) / (often + shortness);
  }
}

/** Each name once, however often it is there. */
function addNames(units: usize, read: Section): void {
  const number = ++lastNumber;
  let names = 0;
  for (let start = read.codeStart; start < read.codeEnd && names < namesInCode; ) {
    const end = lineEndAfter(units, start + codeAtOnce, read.codeEnd);
    findTerms(units, start, end, true);
    start = end;
    for (let at = 0; at < found.count && names < namesInCode; at++) {
      const term = termAt(found.get(at) >> 1);
      if (term.field == number) continue;
      term.field = number;
      names++;
      meet(found.get(at) >> 1).weight += codeWeight;
    }
  }
}

/** No word goes on after the end of a line. */
function lineEndAfter(units: usize, from: i32, to: i32): i32 {
  let at = from;
  while (at < to && unitAt(units, at) != lineFeed) at++;
  return min(at, to);
}

@inline
function meet(number: i32): Term {
  const term = termAt(number);
  if (term.section != section) {
    term.section = section;
    term.times = 0;
    term.weight = 0;
    ofSection.add(number);
  }
  return term;
}

function endSection(index: i32): void {
  let sameWeight: f64 = 0;
  let sameStep: i32 = 0;
  for (let at = 0; at < ofSection.count; at++) {
    const number = ofSection.get(at);
    const term = termAt(number);
    if (term.weight == 0) continue;
    /** Most words are there once, and weigh the same. */
    if (term.weight != sameWeight) {
      sameWeight = term.weight;
      sameStep = knownStep(sameWeight * boost);
    }
    if (term.page != page) {
      term.page = page;
      term.lastPosting = -1;
      ofPage.add(number);
    }
    const posting = postings.count;
    postings.add((index << 7) | sameStep);
    postings.add(term.lastPosting);
    term.lastPosting = posting;
  }
}

/** Steps that were asked for, by weight: most sections have the same few hundred. */
const steps: usize = memory.data(1024 << 4);

function knownStep(weight: f64): i32 {
  const bits = reinterpret<u64>(weight);
  const place = steps + (<usize>((bits * 0x9e37_79b9_7f4a_7c15) >> 54) << 4);
  if (load<f64>(place) != weight) {
    store<i32>(place, stepOf(weight), 8);
    store<f64>(place, weight);
  }
  return load<i32>(place, 8);
}

/** Writes the terms of the page as `packed-terms` tells, and answers how many bytes they have. */
export function pack(): i32 {
  let most = postings.count + ofPage.count * 5;
  for (let at = 0; at < ofPage.count; at++) {
    const term = termAt(ofPage.get(at));
    most += term.textLength;
  }
  packed.makeRoom(most);
  let end = packed.place;
  for (let at = 0; at < ofPage.count; at++) {
    const term = termAt(ofPage.get(at));
    const length = <i32>term.textLength;
    end = writeNumber(end, length);
    memory.copy(end, texts.place + <usize>term.textStart, length);
    end += length;
    /** The last section comes first. */
    for (let posting = term.lastPosting; posting >= 0; ) {
      const value = postings.get(posting);
      posting = postings.get(posting + 1);
      store<u8>(end, (value >> 7) | (posting < 0 ? 128 : 0));
      store<u8>(end, value & 127, 1);
      end += 2;
    }
  }
  return <i32>(end - packed.place);
}

function writeNumber(place: usize, value: u32): usize {
  let at = place;
  let left = value;
  for (; left > 127; left >>= 7) store<u8>(at++, (left & 127) | 128);
  store<u8>(at++, left);
  return at;
}
