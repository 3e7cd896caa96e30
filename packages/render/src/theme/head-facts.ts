/**
 * Collects the machine-readable metadata of a page's head: URLs, meta tags, social image, alternate formats,
 * structured data.
 */
import type { SiteSettings } from '../config/settings.ts';
import { textOfHtml } from '../text/html.ts';
import { relativeHref } from '../navigation/addresses.ts';
import type { PagePlace } from '../navigation/branches.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { feedPath, type PublicAddresses } from '../navigation/public-addresses.ts';
import { isExcludedFromIndex } from '../site/visibility.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { PageResult } from '../model/page.ts';
import { structuredData } from './structured-data.ts';
import { plainTitle } from './titles.ts';

export interface HeadFacts {
  canonical?: string | undefined;
  /** Pairs of language code and URL. */
  alternates: [string, string][];
  /** The index of the site for language models. */
  llms: string;
  noIndex: boolean;
  metatags: [string, string][];
  image?: { address: string; alt: string } | undefined;
  formats: { type: string; href: string; title?: string }[];
  feed?: string | undefined;
  /** JSON that is safe inside of HTML. */
  structuredData?: string | undefined;
}

export interface SocialImageFinder {
  forPage(route: string): { path: string; label: string };
}

export interface HeadSite {
  settings: SiteSettings;
  addresses: PublicAddresses;
  links: LinkResolver;
  images: SocialImageFinder;
  logo: string | undefined;
  useFile: (file: string) => void;
}

export interface HeadPage {
  meta: PageMeta;
  result: PageResult;
  place: PagePlace | undefined;
  language: string;
  prefix: string;
  /** The day of the last change. */
  modified: string | undefined;
}

export function headFacts(site: HeadSite, page: HeadPage): HeadFacts {
  const { addresses } = site;
  const { meta, result, prefix } = page;
  const noIndex = isExcludedFromIndex(site, meta);
  const canonical = addresses.canonicalOf(meta);
  const metatags = tagsOf(site, meta);
  const hasOwnImage = metatags.some(([name]) => name === 'og:image');
  const image = hasOwnImage || addresses.home === undefined ? undefined : imageOf(site, page);
  const feed =
    result.updates.length > 0 && addresses.home !== undefined ? feedPath(addresses, meta.route) : undefined;
  return {
    canonical,
    alternates: addresses.alternatesOf(meta.route),
    llms: relativeHref(prefix, 'llms.txt'),
    noIndex,
    metatags,
    image,
    formats: [
      { type: 'text/markdown', href: relativeHref(prefix, `${meta.route}.md`) },
      ...(feed
        ? [{ type: 'application/rss+xml', href: relativeHref(prefix, feed), title: plainTitle(meta.title) }]
        : []),
    ],
    feed: feed && relativeHref(prefix, feed),
    structuredData: noIndex || result.failed ? undefined : graphOf(site, page, canonical, image?.address),
  };
}

/** Tags of the site, of the enclosing folders from the outside in, and of the page; the last one wins. */
function tagsOf({ settings, links, addresses, useFile }: HeadSite, meta: PageMeta): [string, string][] {
  const folders = settings.machineReaders.folderTags
    .filter(({ folder }) => folder === '' || meta.route === folder || meta.route.startsWith(`${folder}/`))
    .toSorted((a, b) => a.folder.length - b.folder.length)
    .flatMap(({ metatags }) => metatags);
  const tags = new Map([...Object.entries(settings.metatags), ...folders, ...meta.metatags]);
  tags.delete('canonical');
  for (const name of ['og:image', 'twitter:image']) {
    const written = tags.get(name);
    const target = written === undefined ? undefined : links.resolveFile(written, meta.file);
    if (target?.kind !== 'file') continue;
    useFile(target.file);
    const address = addresses.ofFile(target.output);
    if (address === undefined) tags.delete(name);
    else tags.set(name, address);
  }
  return [...tags];
}

function imageOf({ images, addresses, settings }: HeadSite, { meta }: HeadPage): HeadFacts['image'] {
  const { path, label } = images.forPage(meta.route);
  const address = addresses.ofFile(path);
  return address === undefined
    ? undefined
    : { address, alt: label ? `${label} - ${settings.name}` : settings.name };
}

function graphOf(
  { settings, addresses, logo }: HeadSite,
  { meta, result, place, language, modified }: HeadPage,
  canonical: string | undefined,
  image: string | undefined,
): string | undefined {
  const { home } = addresses;
  if (home === undefined || canonical === undefined) return undefined;
  const trail = (place?.trail ?? []).map((label, index) => {
    const route = place?.trailRoutes[index];
    return { label, address: route === undefined ? undefined : addresses.ofPage(route) };
  });
  return structuredData({
    siteName: settings.name,
    siteDescription: settings.description,
    home,
    organization: settings.machineReaders.organization,
    logo: logo && addresses.ofFile(logo),
    address: canonical,
    title: plainTitle(meta.title),
    description: textOfHtml(result.description),
    language,
    trail,
    image,
    modified,
    isApi: meta.endpoint !== undefined,
  });
}
