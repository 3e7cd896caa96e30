/**
 * The content of a page as a part of one long document: ids are made its own, headings go one level down, and everything that
 * opens or loads later is open and loaded. In which document pages stand is known only when all of them are there; until
 * then, addresses inside of the site are left open.
 */
import { byteText, encodedText, readableText } from '../text/encoded-text.ts';
import { escapeAttribute } from '../text/html.ts';

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
  /** The fragment that leads to the id which is meant. */
  fragmentOn?(route: string, fragment: string): string;
}

export interface PrintedPlace {
  route: string;
  /** The way to its document; empty when it is this one. */
  document: string;
}

/** One byte that no HTML holds. */
export const openMark = '\0';

/** Tags that are written differently. */
const changing =
  /^\/?(?:h[1-6]|section|aside|nav|header|footer|details)(?![\w-])| (?:id|for|headers|aria-(?:labelledby|describedby|controls)|href|src|srcset|poster|xlink:href|loading|decoding|fetchpriority)=|url\(#/i;
const tagName = /^[a-zA-Z][a-zA-Z0-9-]*/;
const attribute = / ([a-zA-Z:-]+)="([^"]*)"/g;
/** Paper does not scroll. */
const lazy = new Set(['loading', 'decoding', 'fetchpriority']);
/** Documents of a hundred pages would repeat the landmarks of each. */
const landmarks = new Set(['section', 'aside', 'nav', 'header', 'footer']);
const idLists = new Set(['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'headers']);

interface OpenSection extends SectionPlace {
  /** The start of all ids of the page. */
  idStart: string;
  addresses: OpenAddress[];
}

/** The parts of the page follow each other. */
export function printedSection(parts: readonly Uint8Array[], { route, href }: SectionPlace): PrintedSection {
  const html = parts.map(byteText).join('').replaceAll(openMark, '');
  const idStart = byteText(encodedText(`${escapeAttribute(route)}:`));
  const page: OpenSection = { route, href, idStart, addresses: [] };
  let printed = '';
  let copied = 0;
  for (let start = html.indexOf('<'); start >= 0;) {
    const end = html.indexOf('>', start);
    if (end < 0) break;
    const tag = html.slice(start + 1, end);
    if (!isColorTag(tag) && changing.test(tag)) {
      printed += html.slice(copied, start + 1) + printedTag(tag, page);
      copied = end;
    }
    start = html.indexOf('<', end);
  }
  return { content: Buffer.from(printed + html.slice(copied), 'latin1'), addresses: page.addresses };
}

/** Two of three tags color code: `<span class="dy-k">` and its end. */
function isColorTag(tag: string): boolean {
  return tag === '/span' || (tag.length === 17 && tag.startsWith('span class="dy-'));
}

/** `tag` is what stands between the angle brackets. */
function printedTag(tag: string, page: OpenSection): string {
  const closes = tag.startsWith('/');
  const [name] = tagName.exec(closes ? tag.slice(1) : tag) ?? [];
  // Attribute values are written by the renderer: quoted, and without `<` or `>`.
  if (name === undefined || tag.includes('<')) return tag;
  const newName = printedName(name);
  if (closes) return `/${newName}`;
  const isLandmark = landmarks.has(name);
  const attributes = tag.slice(name.length).replaceAll(attribute, (whole, key: string, value: string) => {
    if (lazy.has(key) || (isLandmark && (key === 'aria-label' || key === 'role'))) return '';
    const changed = changedValue(key.toLowerCase(), value, page);
    return changed === value ? whole : ` ${key}="${changed}"`;
  });
  const open = name === 'details' && !/ open(?:[ =]|$)/.test(attributes) ? ' open' : '';
  return `${newName}${open}${attributes}`;
}

function printedName(name: string): string {
  if (landmarks.has(name)) return 'div';
  const level = /^h([1-6])$/.exec(name)?.[1];
  return level === undefined ? name : `h${Math.min(6, Number(level) + 1)}`;
}

function changedValue(key: string, value: string, page: OpenSection): string {
  if (key === 'id') return page.idStart + value;
  if (idLists.has(key)) return value.replaceAll(/[^\t\n\f\r ]+/g, (id) => page.idStart + id);
  if (key === 'href' || key === 'src' || key === 'poster' || key === 'xlink:href')
    return leftOpen(value, page);
  if (key === 'srcset') return openCandidates(value, page);
  return key === 'name' ? value : value.replaceAll('url(#', `url(#${page.idStart}`);
}

/** Addresses of a `srcset`, each with an optional descriptor behind it. */
function openCandidates(value: string, page: OpenSection): string {
  return value
    .split(/,(?=[\t\n\f\r ])/)
    .map((candidate) => candidate.replace(/[^\t\n\f\r ]+/, (url) => leftOpen(url, page)))
    .join(',');
}

/** `value` is escaped; nothing that matters in an address is changed by that but the ampersand. */
function leftOpen(value: string, { idStart, href, addresses }: OpenSection): string {
  if (value.startsWith('#')) return value === '#' ? value : `#${idStart}${value.slice(1)}`;
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(value)) return value;
  const [path = '', fragment] = readableText(value).replaceAll('&amp;', '&').split('#', 2);
  const { pathname, search } = new URL(path, `http://site/${href}`);
  addresses.push({ path: pathname.slice(1), search, fragment });
  return openMark;
}

/** The id of something on a page, in the document. */
export function printedId(route: string, id?: string): string {
  return escapeAttribute(id === undefined || id === '' ? route : `${route}:${id}`);
}

/** An address that was left open, in a document. */
export function printedAddress(
  { path, search, fragment }: OpenAddress,
  { prefix, printedAt, fragmentOn }: DocumentPlace,
): string {
  const inside = search === '' ? printedAt(path) : undefined;
  if (inside) {
    const meant = fragment && (fragmentOn?.(inside.route, fragment) ?? fragment);
    return `${escapeAttribute(inside.document)}#${printedId(inside.route, meant)}`;
  }
  const rest = `${path}${search}${fragment === undefined ? '' : `#${fragment}`}`;
  return escapeAttribute(prefix + rest || './');
}
