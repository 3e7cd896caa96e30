/** Divides the HTML of a page into searchable sections: the start of the page, each heading, each accordion. */

export interface Section {
  /** The id to link to; empty at the start of the page. */
  id: string;
  /** With the white space of the HTML, as are the others. */
  title: string;
  text: string;
  /** Code blocks are separate, because only their names are indexed. */
  code: string;
}

/** Further content belongs to the last section. */
export const maxSections = 88;
/** The rest of a longer section is ignored. */
const maxTextLength = 20_000;
const maxCodeLength = 1500;

export function sectionsOf(html: string): Section[] {
  return new SectionReader(html).read();
}

const skippedElements = new Set('svg script style math template button iframe noscript'.split(' '));
const inlineElements = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const emptyElements = new Set(['img', 'br', 'input']);
/** Tags that begin or end something else than text; all others of a long section are skipped. */
const structuralTag =
  /<(?:!--|\/?(?:h[234]|details|pre)[\s>]|(?:svg|script|style|math|template|button|iframe|noscript)[\s/>]|[a-z][^<>]*(?:hidden|dy-when-))/gi;
const sectionHeadings = new Set(['h2', 'h3', 'h4']);

interface Tag {
  name: string;
  isEnd: boolean;
  /** Has no content. */
  isVoid: boolean;
  attributes: string;
  isInline: boolean;
  /** Neither the element nor its content belongs to the text. */
  isHidden: boolean;
}

class SectionReader {
  readonly #html: string;
  readonly #sections: Section[] = [];
  /** The sections that accordions interrupt; undefined for accordions that are not sections. */
  readonly #interrupted: (Section | undefined)[] = [];
  #current: Section;
  #skipped: string | undefined;
  #skippedDepth = 0;
  /** The element whose end ends the title. */
  #titleElement: string | undefined;
  #isCode = false;
  /** Positions after which the delimiter does not occur, so that many unclosed ones take linear time. */
  readonly #absentFrom = new Map<string, number>();

  constructor(html: string) {
    this.#html = html;
    this.#current = this.#addSection('');
  }

  read(): Section[] {
    const html = this.#html;
    let textStart = 0;
    for (let start = html.indexOf('<'); start >= 0;) {
      const spanEnd = this.#skipped === undefined ? plainSpanEnd(html, start) : 0;
      const end = spanEnd || this.#tagEnd(start);
      if (end > 0) {
        if (start > textStart && this.#skipped === undefined) this.#addText(html.slice(textStart, start));
        textStart = end;
        const isElement = spanEnd === 0 && html.charCodeAt(start + 1) !== exclamationMark;
        if (isElement) this.#readTag(tagOf(html.slice(start, end)));
      }
      start = this.#nextTag(end > 0 ? end : start + 1);
    }
    if (this.#skipped === undefined) this.#addText(html.slice(textStart));
    return this.#sections;
  }

  #nextTag(from: number): number {
    const { code, text } = this.#current;
    // The rest of long code and of a long section is not read.
    if (this.#isCode) return this.#html.indexOf(code.length >= maxCodeLength ? '</pre' : '<', from);
    if (text.length < maxTextLength || this.#titleElement !== undefined || this.#skipped !== undefined)
      return this.#html.indexOf('<', from);
    structuralTag.lastIndex = from;
    return structuralTag.exec(this.#html)?.index ?? -1;
  }

  /** The end of the tag or comment that starts here, or -1. */
  #tagEnd(start: number): number {
    const html = this.#html;
    const second = html.charCodeAt(start + 1);
    if (second === exclamationMark && html.startsWith('--', start + 2)) {
      const end = this.#next('-->', start + 4);
      return end < 0 ? -1 : end + 3;
    }
    if (!isLetter(second === slash ? html.charCodeAt(start + 2) : second)) return -1;
    for (let at = start + 2; at < html.length; at++) {
      const code = html.charCodeAt(at);
      if (code === greater) return at + 1;
      if (code === less) return -1;
      if (code !== quote && code !== apostrophe) continue;
      at = this.#next(code === quote ? '"' : "'", at + 1);
      if (at < 0) return -1;
    }
    return -1;
  }

  #next(delimiter: string, from: number): number {
    if (from >= (this.#absentFrom.get(delimiter) ?? Infinity)) return -1;
    const found = this.#html.indexOf(delimiter, from);
    if (found < 0) this.#absentFrom.set(delimiter, from);
    return found;
  }

  #readTag(tag: Tag): void {
    if (this.#skipped !== undefined) this.#skip(tag);
    else if (tag.isEnd) this.#close(tag.name);
    else this.#open(tag);
    // Separates blocks.
    if (!this.#isCode && !tag.isInline) this.#addText(' ');
  }

  #skip({ name, isEnd, isVoid }: Tag): void {
    if (name !== this.#skipped || isVoid) return;
    this.#skippedDepth += isEnd ? -1 : 1;
    if (this.#skippedDepth === 0) this.#skipped = undefined;
  }

  #open({ name, attributes, isHidden }: Tag): void {
    if (isHidden) {
      this.#skipped = name;
      this.#skippedDepth = 1;
    } else if (sectionHeadings.has(name)) this.#startSection(attributes, name);
    else if (name === 'details') {
      const before = this.#current;
      this.#interrupted.push(this.#startSection(attributes, 'summary') ? before : undefined);
    } else if (name === 'pre') this.#isCode = true;
  }

  #close(name: string): void {
    if (name === this.#titleElement) this.#titleElement = undefined;
    if (name === 'pre') {
      this.#addText('\n');
      this.#isCode = false;
    }
    if (name !== 'details') return;
    this.#titleElement = undefined;
    this.#current = this.#interrupted.pop() ?? this.#current;
  }

  #startSection(attributes: string, titleElement: string): boolean {
    const [, id] = /\sid="([^"]+)"/.exec(attributes) ?? [];
    if (id === undefined || this.#sections.length === maxSections) return false;
    this.#current = this.#addSection(decoded(id));
    this.#titleElement = titleElement;
    return true;
  }

  #addSection(id: string): Section {
    const section = { id, title: '', text: '', code: '' };
    this.#sections.push(section);
    return section;
  }

  #addText(html: string): void {
    const section = this.#current;
    if (this.#titleElement !== undefined) section.title += decoded(html);
    else if (this.#isCode) {
      if (section.code.length < maxCodeLength) section.code += decoded(html);
    } else if (section.text.length < maxTextLength) section.text += decoded(html);
  }
}

/** The end of a tag of highlighted code, or 0. Most tags are of this kind, and they mean nothing here. */
function plainSpanEnd(html: string, start: number): number {
  if (html.startsWith('</span>', start)) return start + '</span>'.length;
  if (!html.startsWith(spanStart, start) || html.startsWith('dy-when-', start + spanStart.length)) return 0;
  const end = html.indexOf('"', start + spanStart.length);
  return html.charCodeAt(end + 1) === greater && end - start <= maxKnownLength ? end + 2 : 0;
}

const spanStart = '<span class="';

const exclamationMark = 33;
const quote = 34;
const apostrophe = 39;
const slash = 47;
const less = 60;
const greater = 62;

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Most tags occur many times. */
const knownTags = new Map<string, Tag>();
const maxKnownTags = 2000;
const maxKnownLength = 60;

function tagOf(source: string): Tag {
  const known = knownTags.get(source);
  if (known) return known;
  const tag = readTag(source);
  if (source.length <= maxKnownLength && knownTags.size < maxKnownTags) knownTags.set(source, tag);
  return tag;
}

function readTag(source: string): Tag {
  const [start = '', sign, written = ''] = /^<(\/?)([\w:-]*)/.exec(source) ?? [];
  const name = written.toLowerCase();
  const attributes = source.slice(start.length, -1);
  const isEnd = sign === '/';
  const isVoid = attributes.endsWith('/') || (!isEnd && emptyElements.has(name));
  return {
    name,
    isEnd,
    isVoid,
    attributes,
    isInline: inlineElements.has(name),
    isHidden: !isVoid && (skippedElements.has(name) || hiding.test(attributes)),
  };
}

/** Also the labels of controls, such as the two of which an expandable shows one. */
const hiding = /class="dy-when-|\s(?:aria-hidden="true"|hidden(?=[=\s]|$))/;

const entity = /&(?:lt|gt|amp|quot|nbsp|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});/g;
const namedEntities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&nbsp;', ' '],
  ['&apos;', "'"],
]);
const maxCodePoint = 0x10_ff_ff;

function decoded(html: string): string {
  if (!html.includes('&')) return html;
  return html.replaceAll(entity, (source) => {
    const named = namedEntities.get(source);
    if (named !== undefined) return named;
    const isHexadecimal = /[xX]/.test(source);
    const code = Number.parseInt(source.slice(isHexadecimal ? 3 : 2), isHexadecimal ? 16 : 10);
    return code > 0 && code <= maxCodePoint ? String.fromCodePoint(code) : '';
  });
}

/** Also without zero-width spaces. */
export function withoutExtraSpace(text: string): string {
  return text.replaceAll(/[\s\u200b]{2,}|[^\S ]|\u200b/g, ' ').trim();
}
