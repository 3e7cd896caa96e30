/** Finds the Markdown of a page by its path or URL. */
import { encodedPath } from '../serving/site-rules.ts';
import type { ServedSite } from '../serving/served-site.ts';

const maxPageCharacters = 50_000;

export interface PageText {
  /** Of the bundle, such as `guides/start.md`. */
  file: string;
  text: string;
}

export async function readPage(site: ServedSite, address: string): Promise<PageText | undefined> {
  const path = pathOf(address, site.basePath);
  if (path === undefined) return undefined;
  return (await markdownAt(site, path)) ?? (await movedPage(site, path));
}

/** At most `maxPageCharacters` of a page, which says where the rest begins. */
export function partOf(text: string, offset: number): string {
  const part = text.slice(offset, offset + maxPageCharacters);
  const end = offset + part.length;
  if (end >= text.length) return part;
  return `${part}\n\n(The page has ${text.length} characters. It continues at offset ${end}.)`;
}

export function addressIn(site: ServedSite, path: string): string {
  return encodedPath(`${site.basePath}/${path}`);
}

/** Decoded and relative to the root of the site. The host of a URL is ignored, because a proxy may change it. */
function pathOf(address: string, basePath: string): string | undefined {
  const url = URL.parse(address.replace(/^\/+/, ''), 'http://site.invalid/');
  if (url === null) return undefined;
  try {
    const path = decodeURIComponent(url.pathname);
    const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
    return below.slice(1);
  } catch {
    return undefined;
  }
}

async function markdownAt(site: ServedSite, path: string): Promise<PageText | undefined> {
  const page = path.replace(/\.(?:html|md)$/, '').replace(/\/$/, '');
  const names = page === '' ? ['index.md'] : [`${page}.md`, `${page}/index.md`];
  for (const file of names) {
    const text = await site.readText(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

async function movedPage(site: ServedSite, path: string): Promise<PageText | undefined> {
  const found = site.find(`/${path}`);
  if (found === undefined || !('redirect' in found) || !found.redirect.to.startsWith('/')) return undefined;
  const target = pathOf(found.redirect.to, '');
  return target === undefined ? undefined : markdownAt(site, target);
}
