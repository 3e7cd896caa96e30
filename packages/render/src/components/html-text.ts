/**
 * Parses HTML that code provides as text (`dangerouslySetInnerHTML`) into elements. They follow the rules of
 * all other elements: nothing of the text is written unchecked.
 */
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { characterOf, voidElements } from '../text/html.ts';
import type { Child, ElementCall } from './contract.ts';
import { Props } from './props.ts';

const maxDepth = 100;
/** Their content is not HTML. */
const rawElements = new Set(
  'script style template noscript title textarea xmp iframe noembed noframes'.split(' '),
);
const blocks = new Set(
  (
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr main menu nav ol p pre section summary table ul'
  ).split(' '),
);
/** Elements that end where one of these begins. */
const endedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    p: blocks,
    li: new Set(['li']),
    dt: new Set(['dt', 'dd']),
    dd: new Set(['dt', 'dd']),
    option: new Set(['option', 'optgroup']),
    tr: new Set(['tr', 'tbody', 'tfoot']),
    td: new Set(['td', 'th', 'tr', 'tbody', 'tfoot']),
    th: new Set(['td', 'th', 'tr', 'tbody', 'tfoot']),
  }),
);
const references: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    times: '×',
    deg: '°',
    larr: '←',
    rarr: '→',
    uarr: '↑',
    darr: '↓',
    check: '✓',
  }),
);

/** The HTML of the property; undefined when it contains none. */
export function givenHtml(value: Value): string | undefined {
  const html = value instanceof ObjectValue ? value.get('__html') : undefined;
  return typeof html === 'string' ? html : undefined;
}

export function childrenOfHtml(html: string, place: ElementCall['place']): Child[] {
  return new HtmlReader(html, place).read();
}

class HtmlReader {
  readonly #html: string;
  /** Same length as the text, to find end tags in any case. */
  readonly #lowerCase: string;
  readonly #place: ElementCall['place'];
  readonly #root: Child[] = [];
  readonly #open: ElementCall[] = [];
  #at = 0;

  constructor(html: string, place: ElementCall['place']) {
    this.#html = html;
    this.#lowerCase = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
    this.#place = place;
  }

  read(): Child[] {
    while (this.#at < this.#html.length) {
      const next = this.#html.indexOf('<', this.#at);
      this.#text(this.#html.slice(this.#at, next < 0 ? undefined : next));
      if (next < 0) break;
      this.#at = next;
      this.#markup();
    }
    return this.#root;
  }

  #text(text: string): void {
    if (text !== '') this.#children().push({ kind: 'text', text: decoded(text) });
  }

  #children(): Child[] {
    return this.#open.at(-1)?.children ?? this.#root;
  }

  #markup(): void {
    const after = this.#html[this.#at + 1] ?? '';
    if (this.#html.startsWith('<!--', this.#at)) this.#skipTo('-->');
    else if (after === '!' || after === '?') this.#skipTo('>');
    else if (after === '/') this.#end();
    else if (isLetter(after)) this.#start();
    else {
      this.#text('<');
      this.#at += 1;
    }
  }

  #skipTo(end: string): void {
    const found = this.#html.indexOf(end, this.#at);
    this.#at = found < 0 ? this.#html.length : found + end.length;
  }

  #end(): void {
    this.#at += 2;
    const name = this.#name();
    this.#skipTo('>');
    const at = this.#open.findLastIndex((call) => call.name === name);
    if (at >= 0) this.#open.length = at;
  }

  #start(): void {
    this.#at += 1;
    const name = this.#name();
    const props = this.#attributes();
    this.#endBefore(name);
    const call: ElementCall = { name, props: new Props(props), children: [], place: this.#place };
    if (rawElements.has(name)) this.#raw(call);
    // An element of this text is never a component.
    this.#children().push({ kind: 'element', call });
    const isClosed = voidElements.has(name) || rawElements.has(name);
    if (!isClosed && this.#open.length < maxDepth) this.#open.push(call);
  }

  #endBefore(name: string): void {
    const isEnded = (): boolean => endedBy.get(this.#open.at(-1)?.name ?? '')?.has(name) ?? false;
    while (isEnded()) this.#open.pop();
  }

  #raw({ name, children }: ElementCall): void {
    const end = this.#lowerCase.indexOf(`</${name}`, this.#at);
    if (name === 'style' || name === 'textarea')
      children.push({ kind: 'text', text: this.#html.slice(this.#at, end < 0 ? undefined : end) });
    this.#at = end < 0 ? this.#html.length : end;
    if (end >= 0) this.#skipTo('>');
  }

  #name(): string {
    const from = this.#at;
    while (this.#at < this.#html.length && isNameCharacter(this.#html[this.#at] ?? '')) this.#at += 1;
    return this.#html.slice(from, this.#at).toLowerCase();
  }

  /** Drops event handlers: text must not bring code. */
  #attributes(): ObjectValue {
    const props = new ObjectValue();
    while (this.#at < this.#html.length && this.#html[this.#at] !== '>') {
      const from = this.#at;
      while (this.#at < this.#html.length && !/[\s=>/]/.test(this.#html[this.#at] ?? '')) this.#at += 1;
      const name = this.#html.slice(from, this.#at).toLowerCase();
      if (name === '') this.#at += 1;
      else {
        const value = this.#value();
        if (!name.startsWith('on') && !props.entries.has(name)) props.entries.set(name, value);
      }
    }
    this.#at += 1;
    return props;
  }

  #value(): string | true {
    this.#skipSpace();
    if (this.#html[this.#at] !== '=') return true;
    this.#at += 1;
    this.#skipSpace();
    const quote = this.#html[this.#at] ?? '';
    if (quote === '"' || quote === "'") {
      const end = this.#html.indexOf(quote, this.#at + 1);
      const value = this.#html.slice(this.#at + 1, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#html.length : end + 1;
      return decoded(value);
    }
    const from = this.#at;
    while (this.#at < this.#html.length && !/[\s>]/.test(this.#html[this.#at] ?? '')) this.#at += 1;
    return decoded(this.#html.slice(from, this.#at));
  }

  #skipSpace(): void {
    while (/\s/.test(this.#html[this.#at] ?? '')) this.#at += 1;
  }
}

function isLetter(character: string): boolean {
  return /^[a-z]$/i.test(character);
}

function isNameCharacter(character: string): boolean {
  return /^[a-z\d:-]$/i.test(character);
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return references.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return characterOf(code) ?? '\ufffd';
  });
}
