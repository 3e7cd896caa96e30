/**
 * Cuts the HTML of a rendered page into the sections that search finds: the start of the page, each heading, each
 * accordion. It reads the finished HTML and not the source, so that whatever a component shows can be found.
 */
export interface TextSection {
  /** The id to link to; empty for the start of the page. */
  id: string;
  title: string;
  text: string;
  /** Text of code blocks, kept apart because only its names are of use. */
  code: string;
}

/** A page has at most this many; what follows belongs to the last one. */
const maximumSections = 88;
/** More of one section is not read. */
const maximumText = 20_000;
const maximumCode = 1500;

const skipped = new Set(['svg', 'script', 'style', 'math', 'template', 'button', 'iframe', 'noscript']);
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);

export function sectionsOf(html: string): TextSection[] {
  const reader = new SectionReader();
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const end = tagEnd(html, at);
    if (end < 0) continue;
    if (at > from) reader.text(html.slice(from, at));
    from = end;
    if (html.charCodeAt(at + 1) !== exclamationMark) readTag(reader, html, at, end);
    at = end - 1;
  }
  reader.text(html.slice(from));
  return reader.finish();
}

const exclamationMark = 33;
const slash = 47;
const quotes = new Set([34, 39]);

/** Where a tag or comment that starts here ends, or -1 when none does. Twice as fast as a pattern with groups. */
function tagEnd(html: string, start: number): number {
  if (html.startsWith('!--', start + 1)) {
    const end = html.indexOf('-->', start + 4);
    return end < 0 ? -1 : end + 3;
  }
  const closes = html.charCodeAt(start + 1) === slash;
  if (!isLetter(html.charCodeAt(start + (closes ? 2 : 1)))) return -1;
  for (let at = start + 2; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === 62) return at + 1;
    if (code === 60) return -1;
    if (!quotes.has(code)) continue;
    at = html.indexOf(String.fromCharCode(code), at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

function readTag(reader: SectionReader, html: string, start: number, end: number): void {
  const closes = html.charCodeAt(start + 1) === slash;
  const nameStart = start + (closes ? 2 : 1);
  let nameEnd = nameStart + 1;
  while (isNamePart(html.charCodeAt(nameEnd))) nameEnd++;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  reader.tag(name, closes, html.slice(nameEnd, end - 1));
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Letters, digits, `-`, `:` and `_`. */
function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 58) || code === 45 || code === 95;
}

interface OpenSection {
  id: string;
  title: string;
  text: string;
  code: string;
}

class SectionReader {
  readonly #sections: OpenSection[] = [emptySection('')];
  /** The sections that accordions interrupt, to be continued when they end; undefined for ones without an id. */
  readonly #interrupted: (OpenSection | undefined)[] = [];
  #current = this.#sections[0] as OpenSection;
  #skipping: { name: string; depth: number } | undefined;
  #titleEnds: string | undefined;
  #inCode = false;

  tag(name: string, closes: boolean, attributes: string): void {
    if (this.#skipping) this.#skip(name, closes, attributes);
    else if (closes) this.#close(name);
    else this.#open(name, attributes);
    if (!inline.has(name) && !this.#inCode) this.#add(' ');
  }

  text(html: string): void {
    if (this.#skipping || html === '') return;
    this.#add(html.includes('&') ? decodeEntities(html) : html);
  }

  finish(): TextSection[] {
    return this.#sections.map(({ id, title, text, code }) => ({
      id,
      title: tidy(title),
      text: tidy(text),
      code,
    }));
  }

  #skip(name: string, closes: boolean, attributes: string): void {
    const skipping = this.#skipping;
    if (!skipping || name !== skipping.name || attributes.endsWith('/')) return;
    skipping.depth += closes ? -1 : 1;
    if (skipping.depth === 0) this.#skipping = undefined;
  }

  #open(name: string, attributes: string): void {
    const isVoid = attributes.endsWith('/') || name === 'img' || name === 'br' || name === 'input';
    if (!isVoid && (skipped.has(name) || isHidden(attributes))) this.#skipping = { name, depth: 1 };
    else if (name === 'h2' || name === 'h3' || name === 'h4') this.#start(attributes, name);
    else if (name === 'details') {
      const before = this.#current;
      this.#interrupted.push(this.#start(attributes, 'summary') ? before : undefined);
    } else if (name === 'pre') this.#inCode = true;
  }

  #close(name: string): void {
    if (name === this.#titleEnds) this.#titleEnds = undefined;
    if (name === 'pre') {
      this.#add('\n');
      this.#inCode = false;
    }
    if (name !== 'details') return;
    this.#titleEnds = undefined;
    this.#current = this.#interrupted.pop() ?? this.#current;
  }

  #start(attributes: string, titleEnds: string): boolean {
    const id = /\sid="([^"]+)"/.exec(attributes)?.[1];
    if (id === undefined || this.#sections.length >= maximumSections) return false;
    this.#current = emptySection(decodeEntities(id));
    this.#sections.push(this.#current);
    this.#titleEnds = titleEnds;
    return true;
  }

  #add(text: string): void {
    const section = this.#current;
    if (this.#titleEnds !== undefined) section.title += text;
    else if (!this.#inCode) {
      if (section.text.length < maximumText) section.text += text;
    } else if (section.code.length < maximumCode) section.code += text;
  }
}

function emptySection(id: string): OpenSection {
  return { id, title: '', text: '', code: '' };
}

/** Also the words that only say what a click does, such as the two of which an expandable shows one. */
function isHidden(attributes: string): boolean {
  if (attributes.includes('class="when-')) return true;
  return attributes.includes('hidden') && /\saria-hidden="true"|\shidden(?=[\s=]|$)/.test(attributes);
}

/** Every run of white space becomes one space. Single spaces, which most are, are not touched. */
function tidy(text: string): string {
  return text.replaceAll(/(?: [\s\u200b]|[^\S ]|\u200b)[\s\u200b]*/g, ' ').trim();
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: ' ', apos: "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return entities[name] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}
