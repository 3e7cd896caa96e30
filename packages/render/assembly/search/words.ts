/**
 * Finds the words of a text and the terms they stand for. What a word means is asked of the search script once and kept
 * for the pages that follow in the same process: then a word is found by its code units, without making a string of it.
 */
import { foreign, between, joint, kindOf, letter, sharp, sharpEnd, isSharpInside, underscore, unspaced } from './kinds';
import { defineAscii, isAscii } from './ascii-words';
import { Bytes, Numbers, Slots } from '../memory';
import { unitAt } from './unit-buffer';

/** Asks what a word stands for that has other letters than those of ASCII. The answer is written to `roomForMeaning`. */
@external('env', 'askForWord')
declare function askForWord(units: usize, length: i32): void;
/** The same for text with words that only the script can find, one answer after the other, each told to `give`. */
@external('env', 'askForRun')
declare function askForRun(units: usize, length: i32): void;
/** The term of two characters of a script without spaces, or of one when the second is 0. */
@external('env', 'askForPair')
declare function askForPair(left: u32, right: u32): i32;

/** The terms found last: twice the number of a term, and one more for a word inside an identifier. */
export const found = new Numbers(1 << 10);
/** How many words they come from. */
export let wordCount: i32 = 0;

/** More are not remembered, however many one page has. */
const mostWords = 1 << 17;
/** Pieces of more code units are no words. */
const longestRemembered = 200;
/** Words of up to so many Latin letters, which nearly all are, fit into three numbers. */
const shortLength = 12;

/** Four numbers each, beside each other: three with the letters of a short word, then its meaning. 0 is an empty place. */
const shortWords = new Slots(16, (slot) => shortHash(load<u32>(slot), load<u32>(slot, 4), load<u32>(slot, 8)));
/** Two numbers each: two characters of a script without spaces, and one more than their term. */
const pairs = new Slots(8, (slot) => pairHash(load<u32>(slot)));
/** Of each longer word its hash, its meaning, its length, its code units; and where among them one is. */
const longWords = new Bytes(1 << 16);
const longSlots = new Slots(4, (slot) => load<u32>(longWords.place + load<u32>(slot)));
let longEnd: i32 = 4;
/** How many words have a place. */
export let known: i32 = 0;
/** For each meaning how many terms it has, how many of them are names, the terms as in `found`, and the names. */
const meanings = new Numbers(1 << 16);
let wantsNames: bool = false;

export function forgetWords(): void {
  shortWords.clear();
  pairs.clear();
  longSlots.clear();
  longEnd = 4;
  known = 0;
  meanings.count = 1;
}

/** Of code only the names: what is called and set. The same one may come several times. */
export function findTerms(units: usize, from: i32, to: i32, onlyNames: bool): void {
  wantsNames = onlyNames;
  found.count = 0;
  wordCount = 0;
  let at = from;
  while (at < to) {
    const kind = kindOf(unitAt(units, at));
    if (kind == letter) at = takeWord(units, at, from, to);
    else if (kind == between) at++;
    else if (kind == unspaced) at = takeUnspaced(units, at, to);
    else if (kind == foreign) at = takeRun(units, at, to);
    else at++;
  }
}

/** Takes the word that begins here, and answers where to go on. */
function takeWord(units: usize, start: i32, from: i32, to: i32): i32 {
  let first: u32 = 0;
  let second: u32 = 0;
  let third = unitAt(units, start);
  let all = third;
  const begin = start + 1;
  let at = begin;
  let isPlain = true;
  for (; ; at++) {
    const unit = at < to ? unitAt(units, at) : 0;
    const kind = kindOf(unit);
    if (kind > underscore) {
      const next = at + 1 < to ? kindOf(unitAt(units, at + 1)) : between;
      if (kind == joint) isPlain = next != foreign;
      else isPlain = kind != foreign && (kind != sharp || at > begin);
      if (kind != joint || next != letter) break;
    } else if (kind == between) break;
    first = (first << 8) | (second >> 24);
    second = (second << 8) | (third >> 24);
    third = (third << 8) | unit;
    all |= unit;
  }
  if (!isPlain)
    return kindOf(unitAt(units, at)) == sharp
      ? takeSharp(units, start, from, to)
      : takeRun(units, start, to);
  if (at - start > shortLength || all > 255) takeLong(units, start, at);
  else takeShort(units, start, at, first, second, third);
  return at;
}

function takeSharp(units: usize, start: i32, from: i32, to: i32): i32 {
  const end = isSharpInside(units, start, from) ? 0 : sharpEnd(units, start, to);
  const next = end > 0 && end < to ? kindOf(unitAt(units, end)) : between;
  if (next == foreign) return takeRun(units, start, to);
  const isSharp = end > 0 && next != letter && next != unspaced;
  const wordEnd = isSharp ? end : start + 1;
  takeLong(units, start, wordEnd);
  return wordEnd;
}

function takeShort(units: usize, start: i32, end: i32, first: u32, second: u32, third: u32): void {
  let slot = shortWords.first(shortHash(first, second, third));
  for (; !shortWords.isEmpty(slot); slot = shortWords.next(slot)) {
    if (load<u32>(slot, 8) == third && load<u32>(slot, 4) == second && load<u32>(slot) == first)
      return repeat(load<i32>(slot, 12));
  }
  const meaning = learn(units, start, end);
  if (meaning == 0) return;
  store<u32>(slot, first);
  store<u32>(slot, second, 4);
  store<u32>(slot, third, 8);
  store<i32>(slot, meaning, 12);
  shortWords.noteFilled();
}

@inline
function shortHash(first: u32, second: u32, third: u32): u32 {
  const hash: u32 = (first * 0x9e37_79b1) ^ (second * 0x85eb_ca6b) ^ (third * 0xc2b2_ae35);
  return hash ^ (hash >> 15);
}

function takeLong(units: usize, start: i32, end: i32): void {
  const length = end - start;
  const place = units + ((<usize>start) << 1);
  const hash = longHash(place, length);
  let slot = longSlots.first(hash);
  for (; !longSlots.isEmpty(slot); slot = longSlots.next(slot)) {
    const word = longWords.place + load<u32>(slot);
    if (load<u32>(word) != hash || load<i32>(word, 8) != length) continue;
    if (memory.compare(word + 12, place, length << 1) == 0) return repeat(load<i32>(word, 4));
  }
  const meaning = learn(units, start, end);
  if (meaning == 0) return;
  store<i32>(slot, keepLong(hash, meaning, place, length));
  longSlots.noteFilled();
}

function longHash(units: usize, length: i32): u32 {
  let hash: u32 = length;
  for (let at = 0; at < length; at++) hash = (hash ^ unitAt(units, at)) * 0x0100_0193;
  return hash ^ (hash >> 15);
}

function keepLong(hash: u32, meaning: i32, units: usize, length: i32): i32 {
  const offset = longEnd;
  longEnd = (offset + 12 + (length << 1) + 3) & ~3;
  longWords.makeRoom(longEnd);
  const word = longWords.place + <usize>offset;
  store<u32>(word, hash);
  store<i32>(word, meaning, 4);
  store<i32>(word, length, 8);
  memory.copy(word + 12, units, length << 1);
  return offset;
}

function repeat(meaning: i32): void {
  const terms = meanings.get(meaning);
  if (terms > 0) wordCount++;
  let at = meaning + 2;
  let end = at + terms;
  if (wantsNames) {
    at = end;
    end += meanings.get(meaning + 1);
  }
  while (at < end) found.add(meanings.get(at++));
}

/** Where the next meaning is to be written, which has at most so many numbers. */
export function roomForMeaning(numbers: i32): usize {
  return meanings.makeRoom(numbers);
}

/** Finds out what a word stands for, takes it, and answers where its meaning is kept; 0 when there is no more room. */
function learn(units: usize, start: i32, end: i32): i32 {
  if (isAscii(units, start, end)) defineAscii(meanings, units, start, end);
  else askForWord(units + ((<usize>start) << 1), end - start);
  if (known >= mostWords || end - start > longestRemembered) {
    give();
    return 0;
  }
  known++;
  const meaning = meanings.count;
  meanings.count += 2 + meanings.get(meaning) + meanings.get(meaning + 1);
  repeat(meaning);
  return meaning;
}

/** Takes what was written last, and does not keep it. */
export function give(): void {
  repeat(meanings.count);
}

/** A run of a script without spaces, whose terms are its pairs of characters. It names nothing in code. */
function takeUnspaced(units: usize, start: i32, to: i32): i32 {
  let end = start + 1;
  let kind = between;
  for (; end < to; end++) {
    kind = kindOf(unitAt(units, end));
    if (kind != unspaced) break;
  }
  if (end < to && kind == foreign) return takeRun(units, start, to);
  wordCount++;
  if (wantsNames) return end;
  if (end == start + 1) takePair(unitAt(units, start), 0);
  for (let at = start; at + 1 < end; at++) takePair(unitAt(units, at), unitAt(units, at + 1));
  return end;
}

function takePair(left: u32, right: u32): void {
  const pair = (left << 16) | right;
  let slot = pairs.first(pairHash(pair));
  for (; !pairs.isEmpty(slot); slot = pairs.next(slot))
    if (load<u32>(slot) == pair) return found.add(load<i32>(slot, 4) - 1);
  const term = askForPair(left, right);
  found.add(term);
  if (known++ >= mostWords) return;
  store<u32>(slot, pair);
  store<i32>(slot, term + 1, 4);
  pairs.noteFilled();
}

@inline
function pairHash(pair: u32): u32 {
  const hash = pair * 0x9e37_79b1;
  return hash ^ (hash >> 15);
}

/** Everything up to what surely is no part of a word, judged by the script. */
function takeRun(units: usize, start: i32, to: i32): i32 {
  let end = start;
  while (end < to && kindOf(unitAt(units, end)) != between) end++;
  askForRun(units + ((<usize>start) << 1), end - start);
  return end;
}
