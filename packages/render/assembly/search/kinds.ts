/** What a code unit is to the words of a text, as far as that can be told without looking at the text around it. */
import { unitAt } from './unit-buffer';

export const between: u32 = 0;
/** A Latin letter or a digit. */
export const letter: u32 = 1;
export const underscore: u32 = 2;
/** Holds two words together, as in `user.name`. */
export const joint: u32 = 3;
/** As in C++ and C#. */
export const sharp: u32 = 4;
/** Of a script that is written without spaces. */
export const unspaced: u32 = 5;
/** For the search script to judge, with the word around it. */
export const foreign: u32 = 6;

/** Of every unit one byte. Whoever runs this program knows what letters are, and fills it. */
export const kindOfUnit: usize = heap.alloc(1 << 16);

@inline
export function kindOf(unit: u32): u32 {
  return load<u8>(kindOfUnit + unit);
}

/** The end of a name such as C++ or C# that may begin here, or 0. */
export function sharpEnd(units: usize, start: i32, to: i32): i32 {
  const first = unitAt(units, start) | 32;
  if (first < 97 || first > 122) return 0;
  if (unitAt(units, start + 1) == 35) return start + 2;
  return start + 2 < to && unitAt(units, start + 2) == 43 ? start + 3 : 0;
}

/** Whether a letter belongs to the characters without spaces before it: then it begins no such name. */
export function isSharpInside(units: usize, start: i32, from: i32): bool {
  let before = start - 1;
  if (before >= from && kindOf(unitAt(units, before)) == joint) before--;
  while (before >= from && kindOf(unitAt(units, before)) == underscore) before--;
  return before >= from && kindOf(unitAt(units, before)) == unspaced;
}
