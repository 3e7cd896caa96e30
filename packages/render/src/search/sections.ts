/**
 * Cuts the HTML of a rendered page into the sections that search finds: the start of the page, each heading, each
 * accordion. It reads the finished HTML and not the source, so that whatever a component shows can be found. One pass
 * over code units into buffers that every page uses again: a page of 20 kB has a thousand tags, most of them in code.
 */
import { UnitBuffer, decodeEntities } from './units.ts';

/** A section's text lies in the buffers of `SectionReader`, from `textStart` to `textEnd`, and so on. */
export interface Section {
  /** The id to link to; empty for the start of the page. */
  id: string;
  titleStart: number;
  titleEnd: number;
  textStart: number;
  textEnd: number;
  /** Code blocks, kept apart because only their names are of use. */
  codeStart: number;
  codeEnd: number;
  /** How much was read, white space included. */
  textRead: number;
  codeRead: number;
}

/** A page has at most this many; what follows belongs to the last one. */
const maximumSections = 88;
/** More of one section is not read. */
const maximumText = 20_000;
const maximumCode = 1500;

const space = 32;
const exclamationMark = 33;
const quote = 34;
const apostrophe = 39;
const slash = 47;
const less = 60;
const greater = 62;

export class SectionReader {
  /** Every run of white space in titles and text is one space. */
  readonly titles = new UnitBuffer();
  readonly text = new UnitBuffer();
  /** As it is written. */
  readonly code = new UnitBuffer();
  sections: Section[] = [];
  readonly #source = new UnitBuffer();
  #html = '';
  /** The sections that accordions interrupt, to be continued when they end; undefined for ones without an id. */
  #interrupted: (Section | undefined)[] = [];
  #current!: Section;
  #skipping = noName;
  #skippingDepth = 0;
  #titleEnds = noName;
  #inCode = false;
  readonly #missingFrom = new Map<string, number>();

  /** The sections of a page, until the next page is read. */
  read(html: string): Section[] {
    for (const buffer of [this.titles, this.text, this.code, this.#source]) buffer.clear();
    this.#html = html;
    this.#source.addText(html);
    this.#source.addText(nothingMore);
    this.#missingFrom.clear();
    this.#interrupted = [];
    this.#skipping = this.#titleEnds = noName;
    this.#inCode = false;
    this.sections = [];
    this.#current = this.#newSection('');
    this.#readAll(html.length);
    this.#html = '';
    for (const section of this.sections) this.#trimEnd(section);
    return this.sections;
  }

  #readAll(length: number): void {
    const { units } = this.#source;
    let from = 0;
    for (let at = 0; at < length; at++) {
      if (units[at] !== less) continue;
      const spanEnd = this.#skipping === spanName ? 0 : plainSpanEnd(units, at);
      const end = spanEnd > 0 ? spanEnd : this.#tagEnd(at, length);
      if (end < 0) continue;
      this.#take(units, from, at);
      from = end;
      if (spanEnd === 0 && units[at + 1] !== exclamationMark) this.#readTag(units, at, end);
      at = end - 1;
    }
    this.#take(units, from, length);
  }

  /** What stands between two tags, if anything does. */
  #take(units: Uint16Array, from: number, to: number): void {
    if (to > from && this.#skipping === noName) this.#addText(units, from, to);
  }

  /** Where a tag or comment that starts here ends, or -1 when none does. */
  #tagEnd(start: number, length: number): number {
    const { units } = this.#source;
    if (this.#html.startsWith('!--', start + 1)) return this.#find('-->', start + 4, 3);
    if (!isLetter(units[start + (units[start + 1] === slash ? 2 : 1)] ?? 0)) return -1;
    for (let at = start + 2; at < length; at++) {
      const unit = units[at];
      if (unit === greater) return at + 1;
      if (unit === less) return -1;
      if (unit !== quote && unit !== apostrophe) continue;
      at = this.#find(unit === quote ? '"' : "'", at + 1, 0);
      if (at < 0) return -1;
    }
    return -1;
  }

  /** What is not there is looked for once, not from every place: else many open quotes would take the square of time. */
  #find(sought: string, from: number, offset: number): number {
    if (from >= (this.#missingFrom.get(sought) ?? Number.POSITIVE_INFINITY)) return -1;
    const at = this.#html.indexOf(sought, from);
    if (at >= 0) return at + offset;
    this.#missingFrom.set(sought, from);
    return -1;
  }

  #readTag(units: Uint16Array, start: number, end: number): void {
    const closes = units[start + 1] === slash;
    let nameEnd = start + (closes ? 2 : 1);
    let name = 0;
    for (let unit = units[nameEnd] ?? 0; isNamePart(unit); unit = units[++nameEnd] ?? 0)
      name = name * 64 + nameDigit(unit);
    const isVoid = units[end - 2] === slash && end - 2 >= nameEnd;
    if (this.#skipping !== noName) this.#skip(name, closes, isVoid);
    else if (closes) this.#close(name);
    else this.#open(name, isVoid, nameEnd === end - 1 ? '' : this.#html.slice(nameEnd, end - 1));
    if (!this.#inCode && !inline.has(name)) this.#addSpace();
  }

  #skip(name: number, closes: boolean, isVoid: boolean): void {
    if (name !== this.#skipping || isVoid) return;
    this.#skippingDepth += closes ? -1 : 1;
    if (this.#skippingDepth === 0) this.#skipping = noName;
  }

  #open(name: number, closesItself: boolean, attributes: string): void {
    const isVoid = closesItself || voids.has(name);
    if (!isVoid && (skipped.has(name) || isHidden(attributes))) {
      this.#skipping = name;
      this.#skippingDepth = 1;
    } else if (headings.has(name)) this.#start(attributes, name);
    else if (name === detailsName) {
      const before = this.#current;
      this.#interrupted.push(this.#start(attributes, summaryName) ? before : undefined);
    } else if (name === preName) this.#inCode = true;
  }

  #close(name: number): void {
    if (name === this.#titleEnds) this.#titleEnds = noName;
    if (name === preName) {
      this.#addText(lineEnd, 0, 1);
      this.#inCode = false;
    }
    if (name !== detailsName) return;
    this.#titleEnds = noName;
    const continued = this.#interrupted.pop();
    if (continued) this.#continue(continued);
  }

  #start(attributes: string, titleEnds: number): boolean {
    const id = /\sid="([^"]+)"/.exec(attributes)?.[1];
    if (id === undefined || this.sections.length >= maximumSections) return false;
    this.#current = this.#newSection(decodeEntities(id));
    this.#titleEnds = titleEnds;
    return true;
  }

  #newSection(id: string): Section {
    const [title, text, code] = [this.titles.length, this.text.length, this.code.length];
    const section = {
      id,
      titleStart: title,
      titleEnd: title,
      textStart: text,
      textEnd: text,
      codeStart: code,
      codeEnd: code,
      textRead: 0,
      codeRead: 0,
    };
    this.sections.push(section);
    return section;
  }

  /** Other text lies behind that of the section: what it has is moved, so that it stays in one piece. */
  #continue(section: Section): void {
    this.#current = section;
    if (section.textEnd < this.text.length) {
      const start = this.text.addUnits(this.text.units, section.textStart, section.textEnd);
      section.textStart = start;
      section.textEnd = this.text.length;
    }
    if (section.codeEnd < this.code.length) {
      const start = this.code.addUnits(this.code.units, section.codeStart, section.codeEnd);
      section.codeStart = start;
      section.codeEnd = this.code.length;
    }
  }

  #addText(units: Uint16Array, from: number, to: number): void {
    const section = this.#current;
    if (this.#titleEnds !== noName) {
      this.titles.addTidy(section.titleStart, units, from, to);
      section.titleEnd = this.titles.length;
    } else if (!this.#inCode) {
      if (section.textRead >= maximumText) return;
      section.textRead += this.text.addTidy(section.textStart, units, from, to);
      section.textEnd = this.text.length;
    } else if (section.codeRead < maximumCode) {
      section.codeRead += this.code.addAsItIs(units, from, to);
      section.codeEnd = this.code.length;
    }
  }

  /** Between what does not stand in one line. */
  #addSpace(): void {
    const section = this.#current;
    if (this.#titleEnds !== noName) {
      this.titles.addSpace(section.titleStart);
      section.titleEnd = this.titles.length;
    } else if (section.textRead < maximumText) {
      section.textRead++;
      this.text.addSpace(section.textStart);
      section.textEnd = this.text.length;
    }
  }

  #trimEnd(section: Section): void {
    if (section.textEnd > section.textStart && this.text.units[section.textEnd - 1] === space)
      section.textEnd--;
    if (section.titleEnd > section.titleStart && this.titles.units[section.titleEnd - 1] === space)
      section.titleEnd--;
  }
}

const lineEnd = Uint16Array.of(10);
/** So that looking a few units ahead needs no care. */
const nothingMore = '\0'.repeat(16);

/**
 * The end of a `</span>` or `<span class="…">` that says nothing about what is in it, or 0. Most tags are of this kind,
 * from code in colours.
 */
function plainSpanEnd(units: Uint16Array, start: number): number {
  const closes = units[start + 1] === slash ? 1 : 0;
  let at = start + closes;
  if (units[at + 1] !== 115 || units[at + 2] !== 112 || units[at + 3] !== 97 || units[at + 4] !== 110)
    return 0;
  if (closes) return units[at + 5] === greater ? at + 6 : 0;
  at += 5;
  for (let sign = 0; sign < classAttribute.length; sign++) if (units[at++] !== classAttribute[sign]) return 0;
  /** `when-…` and `hidden` are for the general way to judge. */
  if (units[at] === 119) return 0;
  let before = 0;
  for (let unit = units[at] ?? 0; unit !== quote; unit = units[++at] ?? 0) {
    if (unit === less || unit < space || (unit === 104 && before === space)) return 0;
    before = unit;
  }
  return units[at + 1] === greater ? at + 2 : 0;
}

const classAttribute = Array.from(' class="', (sign) => sign.charCodeAt(0));

function isLetter(unit: number): boolean {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122;
}

/** Letters, digits, `-`, `:` and `_`. */
function isNamePart(unit: number): boolean {
  return isLetter(unit) || (unit >= 48 && unit <= 58) || unit === 45 || unit === 95;
}

/** Upper and lower case are the same. Names of more than eight letters may come out alike, which does no harm. */
function nameDigit(unit: number): number {
  if (unit >= 97) return unit - 96;
  if (unit === 95) return 62;
  if (unit >= 65) return unit - 64;
  return unit - 18;
}

function tagName(name: string): number {
  let number = 0;
  for (let at = 0; at < name.length; at++) number = number * 64 + nameDigit(name.charCodeAt(at));
  return number;
}

const noName = -1;
const [spanName, preName, detailsName, summaryName] = ['span', 'pre', 'details', 'summary'].map(tagName) as [
  number,
  number,
  number,
  number,
];
const headings = tagNames('h2 h3 h4');
const voids = tagNames('img br input');
const skipped = tagNames('svg script style math template button iframe noscript');
const inline = tagNames(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr',
);

function tagNames(names: string): Set<number> {
  return new Set(names.split(' ').map(tagName));
}

/** Also the words that only say what a click does, such as the two of which an expandable shows one. */
function isHidden(attributes: string): boolean {
  if (attributes.includes('class="when-')) return true;
  return attributes.includes('hidden') && /\saria-hidden="true"|\shidden(?=[\s=]|$)/.test(attributes);
}
