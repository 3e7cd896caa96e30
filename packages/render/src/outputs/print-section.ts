/**
 * Rewrites page content as a section of one long document: ids get a page prefix, headings move down one level,
 * collapsed and lazy content is shown. Same-site addresses are deferred until all pages are known.
 */
import { byteText, encodedText, readableText } from '../text/encoded-text.ts';
import { escapeAttribute } from '../text/html.ts';

export interface SectionPlace {
  route: string;
  /** Address relative to the root, as links spell it. */
  href: string;
}

export interface PrintedSection {
  /** Contains a marker for each deferred address. */
  content: Uint8Array;
  addresses: DeferredAddress[];
}

export interface DeferredAddress {
  path: string;
  search: string;
  fragment: string | undefined;
}

export interface DocumentPlace {
  prefix: string;
  printedAt(path: string): PrintedPlace | undefined;
  /** Normalizes a fragment to an existing id. */
  fragmentOn?(route: string, fragment: string): string;
}

export interface PrintedPlace {
  route: string;
  /** Path to its document; empty for the current one. */
  document: string;
}

/** A byte that does not occur in HTML. */
export const addressMarker = '\0';

const rewrittenTag =
  /^\/?(?:h[1-6]|section|aside|nav|header|footer|details)(?![\w-])| (?:id|for|headers|aria-(?:labelledby|describedby|controls)|href|src|srcset|poster|xlink:href|loading|decoding|fetchpriority)=|url\(#/i;
const tagName = /^[a-zA-Z][a-zA-Z0-9-]*/;
const attribute = / ([a-zA-Z:-]+)="([^"]*)"/g;
/** Lazy loading does not work in print. */
const lazy = new Set(['loading', 'decoding', 'fetchpriority']);
/** A document of many pages would repeat the landmarks of each. */
const landmarks = new Set(['section', 'aside', 'nav', 'header', 'footer']);
const idLists = new Set(['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'headers']);

interface SectionState extends SectionPlace {
  idPrefix: string;
  addresses: DeferredAddress[];
}

export function printedSection(parts: readonly Uint8Array[], { route, href }: SectionPlace): PrintedSection {
  const html = parts.map(byteText).join('').replaceAll(addressMarker, '');
  const idPrefix = byteText(encodedText(`${escapeAttribute(route)}:`));
  const page: SectionState = { route, href, idPrefix, addresses: [] };
  let printed = '';
  let copiedUpTo = 0;
  for (let start = html.indexOf('<'); start >= 0;) {
    const end = html.indexOf('>', start);
    if (end < 0) break;
    const tag = html.slice(start + 1, end);
    if (!isColorTag(tag) && rewrittenTag.test(tag)) {
      printed += html.slice(copiedUpTo, start + 1) + rewriteTag(tag, page);
      copiedUpTo = end;
    }
    start = html.indexOf('<', end);
  }
  return { content: Buffer.from(printed + html.slice(copiedUpTo), 'latin1'), addresses: page.addresses };
}

/** Fast path: most tags are spans of highlighted code. */
function isColorTag(tag: string): boolean {
  return tag === '/span' || (tag.length === 17 && tag.startsWith('span class="dy-'));
}

function rewriteTag(tag: string, page: SectionState): string {
  const closes = tag.startsWith('/');
  const [name] = tagName.exec(closes ? tag.slice(1) : tag) ?? [];
  // The renderer quotes attribute values and escapes `<` and `>`.
  if (name === undefined || tag.includes('<')) return tag;
  const newName = rewriteTagName(name);
  if (closes) return `/${newName}`;
  const isLandmark = landmarks.has(name);
  const attributes = tag.slice(name.length).replaceAll(attribute, (whole, key: string, value: string) => {
    if (lazy.has(key) || (isLandmark && (key === 'aria-label' || key === 'role'))) return '';
    const changed = rewriteAttribute(key.toLowerCase(), value, page);
    return changed === value ? whole : ` ${key}="${changed}"`;
  });
  const open = name === 'details' && !/ open(?:[ =]|$)/.test(attributes) ? ' open' : '';
  return `${newName}${open}${attributes}`;
}

function rewriteTagName(name: string): string {
  if (landmarks.has(name)) return 'div';
  const level = /^h([1-6])$/.exec(name)?.[1];
  return level === undefined ? name : `h${Math.min(6, Number(level) + 1)}`;
}

function rewriteAttribute(key: string, value: string, page: SectionState): string {
  if (key === 'id') return page.idPrefix + value;
  if (idLists.has(key)) return value.replaceAll(/[^\t\n\f\r ]+/g, (id) => page.idPrefix + id);
  if (key === 'href' || key === 'src' || key === 'poster' || key === 'xlink:href')
    return deferAddress(value, page);
  if (key === 'srcset') return deferCandidates(value, page);
  return key === 'name' ? value : value.replaceAll('url(#', `url(#${page.idPrefix}`);
}

function deferCandidates(value: string, page: SectionState): string {
  return value
    .split(/,(?=[\t\n\f\r ])/)
    .map((candidate) => candidate.replace(/[^\t\n\f\r ]+/, (url) => deferAddress(url, page)))
    .join(',');
}

/** `value` is escaped; only the ampersand matters in an address. */
function deferAddress(value: string, { idPrefix, href, addresses }: SectionState): string {
  if (value.startsWith('#')) return value === '#' ? value : `#${idPrefix}${value.slice(1)}`;
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(value)) return value;
  const [path = '', fragment] = readableText(value).replaceAll('&amp;', '&').split('#', 2);
  const { pathname, search } = new URL(path, `http://site/${href}`);
  addresses.push({ path: pathname.slice(1), search, fragment });
  return addressMarker;
}

export function printedId(route: string, id?: string): string {
  return escapeAttribute(id === undefined || id === '' ? route : `${route}:${id}`);
}

export function printedAddress(
  { path, search, fragment }: DeferredAddress,
  { prefix, printedAt, fragmentOn }: DocumentPlace,
): string {
  const inside = search === '' ? printedAt(path) : undefined;
  if (inside) {
    const target = fragment && (fragmentOn?.(inside.route, fragment) ?? fragment);
    return `${escapeAttribute(inside.document)}#${printedId(inside.route, target)}`;
  }
  const rest = `${path}${search}${fragment === undefined ? '' : `#${fragment}`}`;
  return escapeAttribute(prefix + rest || './');
}
