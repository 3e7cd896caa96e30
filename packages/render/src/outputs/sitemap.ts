import type { OutputContext, OutputItem } from './contract.ts';
import { modifiedDay } from '../site/source-facts.ts';
import { isListed } from '../site/visibility.ts';
import { escapeXml, xmlDeclaration } from './xml.ts';

/** The sitemap protocol's limit per file. */
const maxAddresses = 50_000;

export function* sitemap(context: OutputContext): Generator<OutputItem> {
  const { publicAddresses } = context;
  const entries = entriesOf(context);
  if (entries.length <= maxAddresses) {
    yield { path: 'sitemap.xml', content: sitemapXml(entries) };
    return;
  }
  const parts: string[] = [];
  for (let at = 0; at < entries.length; at += maxAddresses) {
    const path = `sitemap-${parts.length + 1}.xml`;
    parts.push(`<sitemap><loc>${escapeXml(publicAddresses.ofFile(path) ?? '')}</loc></sitemap>\n`);
    yield { path, content: sitemapXml(entries.slice(at, at + maxAddresses)) };
  }
  yield {
    path: 'sitemap.xml',
    content: `${xmlDeclaration}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${parts.join('')}</sitemapindex>\n`,
  };
}

/** Excludes failed pages and pages with another canonical URL. */
function entriesOf({ site, pages, publicAddresses, sourceFacts }: OutputContext): string[] {
  return pages.flatMap(({ route, failed }) => {
    const meta = site.metas.get(route);
    const address = publicAddresses.ofPage(route);
    if (!meta || failed || address === undefined || !isListed(site, meta)) return [];
    if (publicAddresses.canonicalOf(meta) !== address) return [];
    const day = modifiedDay(site.settings, meta, sourceFacts);
    const changed = day ? `<lastmod>${day}</lastmod>` : '';
    const languages = publicAddresses
      .alternatesOf(route)
      .map(
        ([code, href]) =>
          `<xhtml:link rel="alternate" hreflang="${escapeXml(code)}" href="${escapeXml(href)}"/>`,
      )
      .join('');
    return [`<url><loc>${escapeXml(address)}</loc>${changed}${languages}</url>\n`];
  });
}

function sitemapXml(entries: readonly string[]): string {
  return (
    `${xmlDeclaration}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n` +
    `${entries.join('')}</urlset>\n`
  );
}

export function* robots({ publicAddresses }: OutputContext): Generator<OutputItem> {
  const address = publicAddresses.ofFile('sitemap.xml');
  const lines = [
    'User-agent: *',
    'Content-Signal: ai-train=yes, search=yes, ai-input=yes',
    'Allow: /',
    ...(address ? ['', `Sitemap: ${address}`] : []),
  ];
  yield { path: 'robots.txt', content: `${lines.join('\n')}\n` };
}
