import { plainTitle } from '../theme/titles.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { escapeXml, xmlDeclaration } from './xml.ts';
import type { FeedItem } from '../model/page.ts';
import { feedPath } from '../navigation/public-addresses.ts';

export function* feeds({ site, pages, publicAddresses }: OutputContext): Generator<OutputItem> {
  for (const { route, title, description, updates } of pages) {
    const address = publicAddresses.ofPage(route);
    const path = feedPath(publicAddresses, route);
    const self = publicAddresses.ofFile(path);
    if (updates.length === 0 || address === undefined || self === undefined) continue;
    const name = `${plainTitle(title)} - ${site.settings.name}`;
    yield { path, content: feedXml({ name, description, address, self }, updates) };
  }
}

interface Feed {
  name: string;
  description: string;
  address: string;
  self: string;
}

function feedXml({ name, description, address, self }: Feed, items: readonly FeedItem[]): string {
  return (
    `${xmlDeclaration}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">\n<channel>\n` +
    `<title>${escapeXml(name)}</title>\n<link>${escapeXml(address)}</link>\n` +
    `<description>${escapeXml(description || name)}</description>\n<generator>Docyard</generator>\n` +
    `<atom:link href="${escapeXml(self)}" rel="self" type="application/rss+xml"/>\n` +
    `${items.map((item) => itemXml(item, address)).join('')}</channel>\n</rss>\n`
  );
}

function itemXml({ title, description, anchor, tags, date }: FeedItem, page: string): string {
  const link = anchor === '' ? page : `${page}#${encodeURIComponent(anchor)}`;
  const lines = [
    `<title>${escapeXml(title)}</title>`,
    `<link>${escapeXml(link)}</link>`,
    `<guid isPermaLink="true">${escapeXml(link)}</guid>`,
    ...(description ? [`<description>${escapeXml(description)}</description>`] : []),
    ...(date ? [`<pubDate>${new Date(`${date}T00:00:00Z`).toUTCString()}</pubDate>`] : []),
    ...tags.map((tag) => `<category>${escapeXml(tag)}</category>`),
  ];
  return `<item>\n${lines.join('\n')}\n</item>\n`;
}
