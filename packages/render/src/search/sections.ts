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

const tagPattern = /<(\/?)([a-zA-Z][\w:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|<!--[\s\S]*?-->/g;
const skipped = new Set(['svg', 'script', 'style', 'math', 'template', 'button', 'iframe', 'noscript']);
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);

export function sectionsOf(html: string): TextSection[] {
  const reader = new SectionReader();
  let from = 0;
  tagPattern.lastIndex = 0;
  for (let tag = tagPattern.exec(html); tag; tag = tagPattern.exec(html)) {
    if (tag.index > from) reader.text(html.slice(from, tag.index));
    from = tag.index + tag[0].length;
    const name = tag[2]?.toLowerCase();
    if (name !== undefined) reader.tag(name, tag[1] === '/', tag[3] ?? '');
  }
  reader.text(html.slice(from));
  return reader.finish();
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
    if (!isVoid && (skipped.has(name) || /\saria-hidden="true"|\shidden(?=[\s=]|$)/.test(attributes)))
      this.#skipping = { name, depth: 1 };
    else if (/^h[2-4]$/.test(name)) this.#start(attributes, name);
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

function tidy(text: string): string {
  return text.replaceAll(/[\s\u200b]+/g, ' ').trim();
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: ' ', apos: "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return entities[name] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}
