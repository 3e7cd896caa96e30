/**
 * Follows every address in a folder of HTML files and reports those without a file, and those that would contact another host.
 * It shares no code with the renderer, so that each can verify the other.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { filesBelow } from './render.ts';

export interface Miss {
  page: string;
  address: string;
  /** Relative to the root of the folder, for addresses within it. */
  target: string;
  why: 'no such file' | 'no such id' | 'asks another host' | 'depends on the host';
}

interface Reference {
  address: string;
  /** The browser loads it with the page, without a click. */
  loads: boolean;
}

interface PageFacts {
  ids: Set<string>;
  references: Reference[];
}

const tagPattern =
  /<!--[\s\S]*?-->|<([a-z][\w-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*\/?>/gi;
const attributePattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

export function crawl(folder: string): Miss[] {
  const facts = new Map<string, PageFacts>();
  const pages = filesBelow(folder).filter((file) => file.endsWith('.html'));
  for (const page of pages) facts.set(page, readPage(readFileSync(join(folder, page), 'utf8')));
  return pages.flatMap((page) => {
    const seen = new Set<string>();
    return (facts.get(page)?.references ?? []).flatMap((reference) => {
      if (seen.has(reference.address)) return [];
      seen.add(reference.address);
      const why = judge(folder, page, reference, facts);
      if (why === undefined) return [];
      return [{ page, address: reference.address, target: targetOf(page, reference.address), why }];
    });
  });
}

function readPage(html: string): PageFacts {
  const facts: PageFacts = { ids: new Set(), references: [] };
  for (const [, tag, attributeText] of html.matchAll(tagPattern)) {
    if (tag === undefined) continue;
    const attributes = readAttributes(attributeText ?? '');
    const id = attributes.get('id') ?? (tag === 'a' ? attributes.get('name') : undefined);
    if (id) facts.ids.add(id);
    facts.references.push(...referencesOf(tag.toLowerCase(), attributes));
  }
  return facts;
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(attributePattern)) {
    attributes.set(name.toLowerCase(), unescape(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Links with metadata are absolute on purpose. */
const informative = /\b(?:canonical|alternate|preconnect|dns-prefetch|next|prev)\b/;

function referencesOf(tag: string, attributes: ReadonlyMap<string, string>): Reference[] {
  const found: Reference[] = [];
  const href = attributes.get('href') ?? attributes.get('xlink:href');
  if (href !== undefined && !(tag === 'link' && informative.test(attributes.get('rel') ?? ''))) {
    found.push({ address: href, loads: tag !== 'a' && tag !== 'area' });
  }
  for (const name of ['src', 'poster', 'data']) {
    const address = attributes.get(name);
    if (address !== undefined && (name !== 'data' || tag === 'object')) found.push({ address, loads: true });
  }
  for (const part of attributes.get('srcset')?.split(/,\s+/) ?? []) {
    found.push({ address: part.trim().split(/\s+/)[0] ?? '', loads: true });
  }
  const refresh = /url=(.*)$/i.exec(tag === 'meta' ? (attributes.get('content') ?? '') : '')?.[1];
  if (refresh !== undefined && attributes.get('http-equiv')?.toLowerCase() === 'refresh')
    found.push({ address: refresh.trim(), loads: false });
  return found;
}

function judge(
  folder: string,
  page: string,
  { address, loads }: Reference,
  facts: ReadonlyMap<string, PageFacts>,
): Miss['why'] | undefined {
  if (/^(?:https?:)?\/\//i.test(address)) return loads ? 'asks another host' : undefined;
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return undefined;
  /** A server shows 404.html at any address, so only its links start at the root. */
  if (address.startsWith('/')) return page === '404.html' ? undefined : 'depends on the host';
  const [beforeHash, fragment] = splitOnce(address, '#');
  const [path] = splitOnce(beforeHash, '?');
  const target = path === '' ? page : fileFor(folder, posix.join(posix.dirname(page), decoded(path)));
  if (target === undefined) return 'no such file';
  if (!fragment || fragment === 'top' || fragment.startsWith(':~:')) return undefined;
  const ids = facts.get(target)?.ids;
  return ids === undefined || ids.has(decoded(fragment)) || ids.has(fragment) ? undefined : 'no such id';
}

function targetOf(page: string, address: string): string {
  const [beforeHash, fragment] = splitOnce(address, '#');
  const [path] = splitOnce(beforeHash, '?');
  const target = path === '' ? page : posix.join(posix.dirname(page), decoded(path));
  return fragment === undefined ? target : `${target}#${fragment}`;
}

function fileFor(folder: string, path: string): string | undefined {
  if (path.startsWith('..')) return undefined;
  const full = join(folder, path);
  if (!existsSync(full)) return undefined;
  if (!statSync(full).isDirectory()) return path;
  const index = posix.join(path, 'index.html');
  return existsSync(join(folder, index)) ? index : undefined;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
