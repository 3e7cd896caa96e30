/**
 * What one page adds to the search index, as a program for WebAssembly: it runs at full speed from the first page on, where
 * the same in JavaScript spent half of its time on being compiled. `src/search/page-terms.ts` runs it and tells what it asks for.
 */
import { kindOfUnit } from './kinds';
import { code, ids, readSections, sectionCount, sections, source, text, titles } from './sections';
import { field, forgetTerms, packed, termCount } from './terms';
import { forgetWords, known } from './words';

export {
  addField,
  addKeyword,
  beginPage,
  countSections,
  endKeywords,
  pack,
  roomForTerm,
  termNumber,
} from './terms';
export { give, roomForMeaning } from './words';

/** Zeros behind the HTML, so that looking a few units ahead needs no care. */
const lookAhead = 16;

forget();

/** Where the HTML of a page of so many units is to be written. */
export function roomForHtml(length: i32): usize {
  source.length = 0;
  source.reserve(length + lookAhead);
  return source.units;
}

/** Cuts the HTML that was written, and answers how many sections it has. */
export function read(length: i32): i32 {
  memory.fill(source.units + ((<usize>length) << 1), 0, lookAhead << 1);
  readSections(length);
  return sectionCount;
}

/** Where a text that is not in the HTML is to be written. */
export function roomForField(length: i32): usize {
  field.length = 0;
  field.reserve(length);
  field.length = length;
  return field.units;
}

export function knownWords(): i32 {
  return max(known, termCount);
}

export function forget(): void {
  forgetWords();
  forgetTerms();
}

export function kindsPlace(): usize {
  return kindOfUnit;
}

export function sectionsPlace(): usize {
  return sections;
}

export function idsPlace(): usize {
  return ids.units;
}

export function titlesPlace(): usize {
  return titles.units;
}

export function textPlace(): usize {
  return text.units;
}

export function codePlace(): usize {
  return code.units;
}

export function packedPlace(): usize {
  return packed.place;
}
