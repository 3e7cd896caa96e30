/**
 * The content of a page as a part of one long document: ids are made its own, headings go one level down, and everything that
 * opens or loads later is open and loaded. In which document pages stand is known only when all of them are there; until
 * then, addresses inside of the site are left open.
 */
import { byteText, bytesOf, encodedText, readableText } from '../encoded-text.ts';
import { escapeAttribute } from '../html.ts';

export interface SectionPlace {
  route: string;
  /** The address of the page from the root of the site, as links name it. */
  href: string;
}

export interface PrintedSection {
  /** With a mark for each address that is left open. */
  content: Uint8Array;
  addresses: OpenAddress[];
}

/** An address from the root of the site, in its parts. */
export interface OpenAddress {
  path: string;
  search: string;
  fragment: string | undefined;
}

export interface DocumentPlace {
  /** From the document to the root of the site. */
  prefix: string;
  /** Where the page at an address from the root of the site is printed. */
  printedAt(path: string): PrintedPlace | undefined;
}

export interface PrintedPlace {
  route: string;
  /** The way to its document; empty when it is this one. */
  document: string;
}

/** One byte that no HTML holds. */
export const openMark = '\0';

/**
 * Tags that are written differently: 6 to 11 of 100 on real sites. Telling them apart first makes this three times as
 * fast.
 */
const changing =
  /^\/?(?:h[1-6]|section|aside|nav|header|footer|details)(?![\w-])| (?:id|for|headers|aria-(?:labelledby|describedby|controls)|href|src|srcset|poster|xlink:href|loading|decoding|fetchpriority)=|url\(#/i;
/** Attribute values are written by the renderer: quoted, and without `<` or `>`. */
const tagParts = /^(\/?)([a-zA-Z][a-zA-Z0-9-]*)([^<>]*)$/;
const attribute = / ([a-zA-Z:-]+)="([^"]*)"/g;
/** Paper does not scroll. */
const lazy = new Set(['loading', 'decoding', 'fetchpriority']);

/** The parts of the page follow each other. */
export function printedSection(parts: readonly Uint8Array[], { route, href }: SectionPlace): PrintedSection {
  const written = parts.map(byteText).join('');
  const html = written.includes(openMark) ? written.replaceAll(openMark, '') : written;
  const page: PageInWork = {
    href,
    idStart: `${byteText(encodedText(escapeAttribute(route)))}:`,
    addresses: [],
  };
  let printed = '';
  let copied = 0;
  for (let start = html.indexOf('<'); start >= 0;) {
    if (isOfCode(html, start)) {
      start = html.indexOf('<', start + 1);
      continue;
    }
    const end = html.indexOf('>', start);
    if (end < 0) break;
    const tag = html.slice(start + 1, end);
    if (changing.test(tag)) {
      printed += html.slice(copied, start + 1) + printedTag(tag, page);
      copied = end;
    }
    start = html.indexOf('<', end);
  }
  return { content: bytesOf(printed + html.slice(copied)), addresses: page.addresses };
}

/** `<span class="t-k">` or its end: two of three tags, since code has colours. */
function isOfCode(html: string, start: number): boolean {
  const closes = html.charCodeAt(start + 1) === slash;
  const at = start + (closes ? 2 : 1);
  if (html.charCodeAt(at) !== letterS || html.charCodeAt(at + 1) !== letterP) return false;
  if (closes) return html.startsWith('an>', at + 2);
  return (
    html.charCodeAt(at + 16) === greater &&
    html.startsWith('an class="t-', at + 2) &&
    html.charCodeAt(at + 15) === quote
  );
}

const [quote, slash, greater, letterP, letterS] = [34, 47, 62, 112, 115];

interface PageInWork extends Pick<SectionPlace, 'href'> {
  /** Of all ids of the page. */
  idStart: string;
  addresses: OpenAddress[];
}

/** `tag` is what stands between the angle brackets. */
function printedTag(tag: string, page: PageInWork): string {
  const [, slash, name, rest = ''] = tagParts.exec(tag) ?? [];
  if (name === undefined) return tag;
  const newName = printedName(name);
  if (slash) return `/${newName}`;
  const isLandmark = landmarks.has(name);
  const attributes = rest.replaceAll(attribute, (whole, key: string, value: string) => {
    if (lazy.has(key) || (isLandmark && (key === 'aria-label' || key === 'role'))) return '';
    const changed = changedValue(key.toLowerCase(), value, page);
    return changed === value ? whole : ` ${key}="${changed}"`;
  });
  const open = name === 'details' && !/ open(?:[ =]|$)/.test(attributes) ? ' open' : '';
  return `${newName}${open}${attributes}`;
}

/** One page has few landmarks with names of their own; a hundred pages in a row have the same ones again and again. */
const landmarks = new Set(['section', 'aside', 'nav', 'header', 'footer']);

function printedName(name: string): string {
  if (landmarks.has(name)) return 'div';
  const level = /^h([1-6])$/.exec(name)?.[1];
  return level === undefined ? name : `h${Math.min(6, Number(level) + 1)}`;
}

/** The id of something on a page, in the document. */
export function printedId(route: string, id?: string): string {
  return escapeAttribute(id === undefined || id === '' ? route : `${route}:${id}`);
}

const idLists = new Set(['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'headers']);

function changedValue(key: string, value: string, page: PageInWork): string {
  if (key === 'id') return page.idStart + value;
  if (key === 'name') return value;
  if (idLists.has(key)) return value.replaceAll(/[^\t\n\f\r ]+/g, (id) => page.idStart + id);
  if (key === 'href' || key === 'src' || key === 'poster' || key === 'xlink:href')
    return leftOpen(value, page);
  if (key === 'srcset')
    return value.replaceAll(
      /(^|,[\t\n\f\r ]*)([^\t\n\f\r ]+)/g,
      (_, gap: string, url: string) => gap + leftOpen(url, page),
    );
  return value.includes('url(#') ? value.replaceAll('url(#', `url(#${page.idStart}`) : value;
}

/** `value` and the answer are escaped; nothing that matters in an address is changed by that but the ampersand. */
function leftOpen(value: string, { idStart, href, addresses }: PageInWork): string {
  if (value.startsWith('#')) return value === '#' ? value : `#${idStart}${value.slice(1)}`;
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(value)) return value;
  const [path = '', fragment] = readableText(value).replaceAll('&amp;', '&').split('#', 2);
  const { pathname, search } = new URL(path, `http://site/${href}`);
  addresses.push({ path: pathname.slice(1), search, fragment });
  return openMark;
}

/** An address that was left open, in a document. */
export function printedAddress(
  { path, search, fragment }: OpenAddress,
  { prefix, printedAt }: DocumentPlace,
): string {
  const inside = search === '' ? printedAt(path) : undefined;
  if (inside) return `${escapeAttribute(inside.document)}#${printedId(inside.route, fragment)}`;
  const rest = `${path}${search}${fragment === undefined ? '' : `#${fragment}`}`;
  return escapeAttribute(prefix + rest || './');
}
