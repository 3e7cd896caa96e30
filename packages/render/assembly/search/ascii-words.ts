/**
 * What a word of ASCII letters stands for: the same as `1-words.js` of the theme says, which the search in the browser runs. Here it
 * is said once more because every new name in code is asked for, 18,000 in 1,000 pages; a test holds the two against each
 * other. The numbers of a meaning are told in `words.ts`.
 */
import { Numbers } from '../memory';
import { isName, roomForTerm, termNumber } from './terms';
import { unitAt } from './unit-buffer';

/** Longer ones are no words. */
const longest = 40;
/** Of more parts only these are terms, and not all of them together. */
const mostParts = 5;

export function isAscii(units: usize, start: i32, end: i32): bool {
  let all: u32 = 0;
  for (let at = start; at < end; at++) all |= unitAt(units, at);
  return all < 128;
}

/** Writes the meaning behind all others. */
export function defineAscii(meanings: Numbers, units: usize, start: i32, end: i32): void {
  const meaning = meanings.count;
  /** Every letter may be a part, and begin a member. */
  meanings.makeRoom((end - start) * 2 + 4);
  const whole = wholeTerm(units, start, end);
  let next = meaning + 2;
  if (whole >= 0) meanings.set(next++, whole << 1);
  const partsFrom = next;
  if (partCount > 1)
    for (let at = nextPart(units, start, end); at < end; at = nextPart(units, partEnd, end)) {
      if (partEnd - at < 2 || partEnd - at > longest) continue;
      const part = termOf(units, at, partEnd);
      meanings.set(next++, (part << 1) | i32(whole >= 0));
    }
  meanings.set(meaning, next - meaning - 2);
  const namesFrom = next;
  if (isNameOf(whole)) meanings.set(next++, whole << 1);
  if (namesFrom > partsFrom) next = addMembers(meanings, next, units, start, end);
  meanings.set(meaning + 1, next - namesFrom);
}

/** `client.sendBatch` names three things: itself, and what is on either side. */
function addMembers(meanings: Numbers, from: i32, units: usize, start: i32, end: i32): i32 {
  let next = from;
  let memberStart = start;
  for (let at = start; at <= end; at++) {
    if (at < end && !isJoint(unitAt(units, at))) continue;
    if (at == end && memberStart == start) return from;
    const member = wholeTerm(units, memberStart, at);
    if (isNameOf(member)) meanings.set(next++, member << 1);
    memberStart = at + 1;
  }
  return next;
}

function isJoint(unit: u32): bool {
  return unit == 39 || (unit >= 45 && unit <= 47) || unit == 58 || unit == 64;
}

function isNameOf(whole: i32): bool {
  return whole >= 0 && wholeLength > 2 && isName(whole);
}

/** How many parts the word has whose whole was asked for last, and how long the term of that is. */
let partCount: i32 = 0;
let wholeLength: i32 = 0;

/** The word as one term, or -1 when it is too long or has too many parts. */
function wholeTerm(units: usize, start: i32, end: i32): i32 {
  partCount = 0;
  for (let at = nextPart(units, start, end); at < end; at = nextPart(units, partEnd, end)) partCount++;
  if (partCount > mostParts || lettersIn(units, start, end) > longest) return -1;
  const whole = termOf(units, start, end);
  wholeLength = termLength;
  return wholeLength == 0 ? -1 : whole;
}

function lettersIn(units: usize, start: i32, end: i32): i32 {
  let letters = 0;
  for (let at = start; at < end; at++) letters += i32(isPartOfTerm(unitAt(units, at)));
  return letters;
}

/** Where the part ends that was found last. */
let partEnd: i32 = 0;

/** Where the next word inside a word begins, or its end. `getHTTPResponse_v2` holds get, HTTP, Response and v2. */
function nextPart(units: usize, from: i32, end: i32): i32 {
  let start = from;
  while (start < end && !isLetterOrDigit(unitAt(units, start))) start++;
  let at = start;
  while (at < end && isCapital(unitAt(units, at))) at++;
  const capitals = at - start;
  const next: u32 = at < end ? unitAt(units, at) : 0;
  if (capitals > 1 && next == 115 && !(at + 1 < end && isSmall(unitAt(units, at + 1)))) at++;
  else if (capitals > 1 && isSmall(next)) at--;
  else if (capitals > 0 && !isSmall(next)) while (at < end && isDigit(unitAt(units, at))) at++;
  else while (at < end && (isSmall(unitAt(units, at)) || isDigit(unitAt(units, at)))) at++;
  partEnd = at;
  return start;
}

/** How long the text is of the term that was made last. */
let termLength: i32 = 0;

/** The number of the term that letters make: in lower case, singular. */
function termOf(units: usize, start: i32, end: i32): i32 {
  const text = roomForTerm(longest);
  let length = 0;
  for (let at = start; at < end; at++) {
    const unit = unitAt(units, at);
    if (isPartOfTerm(unit)) store<u8>(text + length++, isCapital(unit) ? unit | 32 : unit);
  }
  termLength = singular(text, length);
  return termLength == 0 ? -1 : termNumber(termLength);
}

/** Singular and plural are one term. Answers how long it is. Only the plainest endings. */
function singular(text: usize, length: i32): i32 {
  if (length < 4 || load<u8>(text + length - 1) != s) return length;
  const before = load<u8>(text + length - 2);
  const third = load<u8>(text + length - 3);
  if (!isSmall(before) || before == s || before == u) return length;
  if (before == i) {
    const isApis = third == p && load<u8>(text + length - 4) == a;
    return isApis ? length - 1 : length;
  }
  if (before != e) return length - 1;
  if (third == i && length > 4) {
    store<u8>(text + length - 3, y);
    return length - 2;
  }
  const fourth = load<u8>(text + length - 4);
  const endsInSound = third == x || (third == s && fourth == s) || (third == h && fourth == s);
  return endsInSound ? length - 2 : length - 1;
}

const a: u32 = 97;
const e: u32 = 101;
const h: u32 = 104;
const i: u32 = 105;
const p: u32 = 112;
const s: u32 = 115;
const u: u32 = 117;
const x: u32 = 120;
const y: u32 = 121;

@inline
function isSmall(unit: u32): bool {
  return unit >= 97 && unit <= 122;
}

@inline
function isCapital(unit: u32): bool {
  return unit >= 65 && unit <= 90;
}

@inline
function isDigit(unit: u32): bool {
  return unit >= 48 && unit <= 57;
}

@inline
function isLetterOrDigit(unit: u32): bool {
  return isSmall(unit | 32) || isDigit(unit);
}

/** Also the signs of C++ and C#. */
@inline
function isPartOfTerm(unit: u32): bool {
  return isLetterOrDigit(unit) || unit == 43 || unit == 35;
}
