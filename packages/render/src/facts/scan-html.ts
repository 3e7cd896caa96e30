/** Scans HTML for tags relevant to output checks, in one linear pass and without building a tree. */
import { byteText, readableText } from '../text/encoded-text.ts';

export interface ScannedTag {
  name: string;
  id: string | undefined;
  href: string | undefined;
  src: string | undefined;
  srcset: string | undefined;
  poster: string | undefined;
  alt: string | undefined;
  rel: string | undefined;
  content: string | undefined;
  httpEquiv: string | undefined;
  anchorName: string | undefined;
}

/** Visits every image and every tag with an id or an address. The same object is reused for each call. */
export function scanTags(bytes: Uint8Array, visit: (tag: ScannedTag) => void): void {
  const html = byteText(bytes);
  const tag = {} as ScannedTag;
  for (let at = html.indexOf('<'); at >= 0;) {
    let after = at + 1;
    if (html.startsWith(plainSpan, after)) after = indexOrEnd(html, '>', after);
    else if (isLetter(html.charCodeAt(after))) {
      after = readTag(html, after, tag);
      if (isOfInterest(tag)) visit(tag);
      if (tag.name === 'script' || tag.name === 'style') after = indexOrEnd(html, `</${tag.name}`, after);
    } else if (html.startsWith('!--', after)) after = indexOrEnd(html, '-->', after);
    at = html.indexOf('<', after);
  }
}

/** The most frequent tag: highlighted code consists of spans with only a class. */
const plainSpan = 'span class="';

function isOfInterest(tag: ScannedTag): boolean {
  return (
    tag.name === 'img' ||
    (tag.id ?? tag.href ?? tag.src ?? tag.srcset ?? tag.poster ?? tag.httpEquiv ?? tag.anchorName) !==
      undefined
  );
}

/** Fills `tag` and returns the index after it. */
function readTag(html: string, start: number, tag: ScannedTag): number {
  tag.id = tag.href = tag.src = tag.srcset = tag.poster = tag.alt = undefined;
  tag.rel = tag.content = tag.httpEquiv = tag.anchorName = undefined;
  let at = endOfName(html, start);
  tag.name = html.slice(start, at).toLowerCase();
  for (;;) {
    while (at < html.length && (html.charCodeAt(at) <= 32 || html.charCodeAt(at) === slash)) at++;
    if (at >= html.length) return at;
    if (html.charCodeAt(at) === greater) return at + 1;
    const nameStart = at;
    at = endOfName(html, at);
    const name = html.slice(nameStart, at);
    let value = '';
    if (html.charCodeAt(at) === equals) {
      const quote = html.charAt(at + 1);
      const isQuoted = quote === '"' || quote === "'";
      const end = isQuoted ? indexOrEnd(html, quote, at + 2) : endOfBareValue(html, at + 1);
      value = html.slice(at + (isQuoted ? 2 : 1), end);
      at = isQuoted ? end + 1 : end;
    }
    keep(tag, name, value);
  }
}

function keep(tag: ScannedTag, name: string, value: string): void {
  switch (name) {
    case 'id':
    case 'href':
    case 'src':
    case 'srcset':
    case 'poster':
    case 'alt':
    case 'rel':
    case 'content':
      tag[name] = unescape(value);
      break;
    case 'xlink:href':
      tag.href = unescape(value);
      break;
    case 'http-equiv':
      tag.httpEquiv = value.toLowerCase();
      break;
    case 'name':
      if (tag.name === 'a') tag.anchorName = unescape(value);
      break;
    default:
  }
}

const [slash, equals, greater] = [47, 61, 62];

function endOfName(html: string, from: number): number {
  let at = from;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code <= 32 || code === equals || code === greater || code === slash) break;
  }
  return at;
}

/** Unquoted values may contain slashes. */
function endOfBareValue(html: string, from: number): number {
  let at = from;
  while (at < html.length && html.charCodeAt(at) > 32 && html.charCodeAt(at) !== greater) at++;
  return at;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function indexOrEnd(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at;
}

const entities: Record<string, string> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function unescape(value: string): string {
  const text = readableText(value);
  return text.includes('&')
    ? text.replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    : text;
}
