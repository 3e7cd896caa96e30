/**
 * Reads the tags of an HTML text in one pass, with the attributes that a check of the output needs. It builds no tree
 * and corrects nothing: it reads what the renderer wrote, and copes with anything else without taking long.
 */
import { byteText, readableText } from '../encoded-text.ts';

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

/** The same object is handed out for every tag: what is to be kept must be copied out of it. */
export function scanTags(bytes: Uint8Array, visit: (tag: ScannedTag) => void): void {
  const html = byteText(bytes);
  const tag = {} as ScannedTag;
  let at = html.indexOf('<');
  while (at >= 0) {
    let after = at + 1;
    if (html.startsWith(plainSpan, after)) after = indexOrEnd(html, '>', after + plainSpan.length);
    else if (isLetter(html.charCodeAt(after))) {
      after = readTag(html, at, tag);
      visit(tag);
      if (tag.name === 'script' || tag.name === 'style') after = indexOrEnd(html, `</${tag.name}`, after);
    } else if (html.startsWith('!--', after)) after = indexOrEnd(html, '-->', after);
    at = html.indexOf('<', after);
  }
}

/**
 * Highlighted code is full of these, and nothing else stands in them: nine of ten tags on the pages of real manuals. Values
 * that the renderer writes hold no angle bracket.
 */
const plainSpan = 'span class="';

/** Fills the tag and returns where the text after it begins. */
function readTag(html: string, start: number, tag: ScannedTag): number {
  tag.id = tag.href = tag.src = tag.srcset = tag.poster = tag.alt = undefined;
  tag.rel = tag.content = tag.httpEquiv = tag.anchorName = undefined;
  let at = endOfName(html, start + 1);
  tag.name = html.slice(start + 1, at).toLowerCase();
  for (;;) {
    at = skipBlanks(html, at);
    if (at >= html.length) return at;
    if (html.charCodeAt(at) === greater) return at + 1;
    const nameEnd = endOfName(html, at);
    const name = html.slice(at, nameEnd);
    at = nameEnd;
    let value = '';
    if (html.charCodeAt(at) === equals) {
      const quote = html.charCodeAt(at + 1);
      const isQuoted = quote === doubleQuote || quote === singleQuote;
      const end = isQuoted ? indexOrEnd(html, html.charAt(at + 1), at + 2) : endOfBareValue(html, at + 1);
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

const [doubleQuote, singleQuote, equals, greater, slash] = [34, 39, 61, 62, 47];

function endOfName(html: string, from: number): number {
  let at = from;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code <= 32 || code === equals || code === greater || code === slash) break;
  }
  return at;
}

/** An address without quotes may hold slashes. */
function endOfBareValue(html: string, from: number): number {
  let at = from;
  while (at < html.length && html.charCodeAt(at) > 32 && html.charCodeAt(at) !== greater) at++;
  return at;
}

function skipBlanks(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code > 32 && code !== slash) break;
    at++;
  }
  return at;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function indexOrEnd(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at < 0 ? html.length : at;
}
