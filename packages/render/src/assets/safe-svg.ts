/**
 * Sanitizes SVG: parses strict XML and writes it again from an allowlist. Scripts, links and remote
 * references are dropped; malformed XML is rejected.
 */
import { characterOf, escapeAttribute, escapeText } from '../text/html.ts';
import { changesLooks, drawingElements, isActiveElement, isInside, loadsNothing } from './drawing-rules.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const linkNamespace = 'http://www.w3.org/1999/xlink';

/** Unknown elements are dropped with their content. `a` is kept as a group without its link. */
const drawing = new Set([...drawingElements, 'a', 'style']);
const deepestNesting = 200;

/** Undefined when the text is not a well-formed drawing. */
export function safeSvg(text: string): string | undefined {
  return read(new Copy(text))?.safe;
}

/** For the site's own drawings: drawing programs declare entities, so simple ones are accepted. */
export function readOwnSvg(text: string): { safe: string; isActive: boolean } | undefined {
  return read(new Copy(text, { mayDeclare: true }));
}

function read(copy: Copy): { safe: string; isActive: boolean } | undefined {
  try {
    return { safe: copy.written(), isActive: copy.isActive };
  } catch (error) {
    if (error instanceof NotWellFormed) return undefined;
    throw error;
  }
}

class NotWellFormed extends Error {}

class Copy {
  readonly #text: string;
  readonly #parts: string[] = [];
  /** Open elements, and whether each is written. */
  readonly #open: { name: string; shown: boolean }[] = [];
  readonly #mayDeclare: boolean;
  #entities: ReadonlyMap<string, string> = predefined;
  #at = 0;
  #style: string | undefined;
  /** Whether a browser would run something if the drawing were opened as a page. */
  isActive = false;

  constructor(text: string, { mayDeclare = false } = {}) {
    this.#text = text.replace(/^\ufeff/, '');
    this.#mayDeclare = mayDeclare;
  }

  written(): string {
    while (this.#at < this.#text.length) this.#step();
    if (this.#open.length > 0 || this.#parts.length === 0) throw new NotWellFormed();
    return this.#parts.join('');
  }

  #step(): void {
    const next = this.#text.indexOf('<', this.#at);
    this.#addText(plain(this.#text.slice(this.#at, next < 0 ? undefined : next), this.#entities));
    this.#at = next < 0 ? this.#text.length : next;
    if (next < 0) return;
    if (this.#skips('<!--', '-->')) return;
    if (this.#text.startsWith('<?', this.#at)) return this.#skipInstruction();
    if (this.#text.startsWith('<![CDATA[', this.#at)) return this.#addText(this.#through('<![CDATA[', ']]>'));
    if (this.#text.startsWith('<!', this.#at)) return this.#skipDoctype();
    if (this.#text.startsWith('</', this.#at)) return this.#close(this.#through('</', '>').trim());
    this.#openTag();
  }

  #skips(begin: string, end: string): boolean {
    if (!this.#text.startsWith(begin, this.#at)) return false;
    this.#through(begin, end);
    return true;
  }

  /** Returns the text between both and moves past `end`. */
  #through(begin: string, end: string): string {
    const from = this.#at + begin.length;
    const to = this.#text.indexOf(end, from);
    if (to < 0) throw new NotWellFormed();
    this.#at = to + end.length;
    return this.#text.slice(from, to);
  }

  /** Security: a stylesheet may be XSLT, and another encoding may hide tags. */
  #skipInstruction(): void {
    const instruction = this.#through('<?', '?>');
    const encoding = /\sencoding\s?=\s?["']([\w.-]{1,40})/.exec(instruction)?.[1] ?? 'utf-8';
    this.isActive ||= !/^xml\s/.test(instruction) || !readableEncodings.has(encoding.toLowerCase());
  }

  #skipDoctype(): void {
    if (this.#open.length > 0 || this.#parts.length > 0) throw new NotWellFormed();
    const declarations = entitiesIn(this.#text, this.#at);
    if (declarations !== undefined && this.#mayDeclare) {
      this.#entities = new Map([...predefined, ...declarations.entities]);
      this.#at = declarations.end;
    } else if (/[[\]]/.test(this.#through('<!', '>'))) throw new NotWellFormed();
  }

  #openTag(): void {
    const pattern = /<([A-Za-z_][\w.:-]*)/y;
    const name = this.#match(pattern)?.[1];
    if (name === undefined) throw new NotWellFormed();
    const attributes = this.#attributes();
    const end = this.#match(/\s*(\/?)>/y);
    if (!end) throw new NotWellFormed();
    this.#begin(name, attributes);
    if (end[1] === '/') this.#close(name);
  }

  #attributes(): Map<string, string> {
    const found = new Map<string, string>();
    const pattern = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
    for (let match = this.#match(pattern); match; match = this.#match(pattern)) {
      const [, name = '', double, single] = match;
      if (found.has(name)) throw new NotWellFormed();
      found.set(name, plain(double ?? single ?? '', this.#entities));
    }
    return found;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    const around = this.#open.at(-1);
    if (!around && (name !== 'svg' || this.#parts.length > 0)) throw new NotWellFormed();
    if (this.#open.length >= deepestNesting || this.#style !== undefined) throw new NotWellFormed();
    const shown = (around?.shown ?? true) && isShown(name, attributes);
    this.#open.push({ name, shown });
    this.isActive ||= isActiveElement(name, attributes);
    if (!shown) return;
    if (name === 'style') this.#style = '';
    else this.#parts.push(`<${tagOf(name)}${attributesOf(attributes, !around)}>`);
  }

  #close(name: string): void {
    const closed = this.#open.pop();
    if (closed?.name !== name) throw new NotWellFormed();
    if (!closed.shown) return;
    if (name !== 'style') this.#parts.push(`</${tagOf(name)}>`);
    else {
      if (loadsNothing(this.#style ?? ''))
        this.#parts.push(`<style>${escapeText(this.#style ?? '')}</style>`);
      this.#style = undefined;
    }
  }

  #addText(text: string): void {
    const around = this.#open.at(-1);
    if (!around) {
      if (text.trim() !== '') throw new NotWellFormed();
    } else if (this.#style !== undefined) this.#style += text;
    else if (around.shown) this.#parts.push(escapeText(text));
  }
}

function tagOf(name: string): string {
  return name === 'a' ? 'g' : name;
}

function isShown(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return drawing.has(name) && changesLooks(name, attributes.get('attributeName'));
}

function attributesOf(attributes: ReadonlyMap<string, string>, isRoot: boolean): string {
  const kept = [...attributes].filter(([name, value]) => isKept(name, value));
  const namespaces = isRoot
    ? [
        ['xmlns', svgNamespace],
        ['xmlns:xlink', linkNamespace],
      ]
    : [];
  return [...namespaces, ...kept]
    .map(([name = '', value = '']) => ` ${name}="${escapeAttribute(value).replaceAll(/[\t\n\r]/g, ' ')}"`)
    .join('');
}

function isKept(name: string, value: string): boolean {
  if (name === 'href' || name === 'xlink:href') return isInside(value);
  if (name === 'xml:space' || name === 'xml:lang') return true;
  if (name.includes(':') || name === 'xmlns' || /^on/i.test(name)) return false;
  return loadsNothing(value);
}

const predefined: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);
const readableEncodings: ReadonlySet<string> = new Set(['utf-8', 'us-ascii', 'iso-8859-1', 'windows-1252']);

/** Decodes references; throws for an undeclared one or a character that XML forbids. */
function plain(text: string, entities: ReadonlyMap<string, string>): string {
  const undone = text.replaceAll(/&([^;&]{0,40});?/g, (whole, name: string) => {
    const digits = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name);
    const code = digits ? Number.parseInt(digits[1] ?? digits[2] ?? '', digits[1] ? 16 : 10) : Number.NaN;
    const character = digits ? characterOf(code) : entities.get(name);
    if (character === undefined || !whole.endsWith(';')) throw new NotWellFormed();
    return character;
  });
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(undone)) throw new NotWellFormed();
  return undone;
}

const maxEntities = 100;
const maxValueCharacters = 1000;
const maxDeclarationCharacters = 100_000;

/**
 * Undefined when the doctype declares anything but entities with plain text. Security: nested entities are
 * rejected, because a short file could expand without bound.
 */
function entitiesIn(text: string, from: number): { entities: Map<string, string>; end: number } | undefined {
  const begin = text.indexOf('[', from);
  const end = text.indexOf(']', begin);
  const close = text.indexOf('>', end);
  if (begin < 0 || end < begin || close < end || end - from > maxDeclarationCharacters) return undefined;
  if (text.slice(from, begin).includes('>') || text.slice(end + 1, close).trim() !== '') return undefined;
  const entities = new Map<string, string>();
  for (const declaration of text.slice(begin + 1, end).split('>')) {
    if (declaration.trim() === '') continue;
    const [, name = '', double, single] =
      /^\s*<!ENTITY\s([\w.-]{1,40})\s(?:"([^"&%<]*)"|'([^'&%<]*)')\s*$/.exec(declaration) ?? [];
    const value = double ?? single;
    if (value === undefined || value.length > maxValueCharacters || entities.size >= maxEntities)
      return undefined;
    entities.set(name, value);
  }
  return { entities, end: close + 1 };
}
