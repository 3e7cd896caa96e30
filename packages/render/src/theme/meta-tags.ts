import { attributes } from '../text/html.ts';
import { socialImageSize } from './social-image-svg.ts';
import type { PageView } from './shell.ts';
import { plainTitle } from './titles.ts';

export function metaTags(view: PageView): string[] {
  const own = new Map(view.metatags);
  const tags = [...standardTags(view).filter(([name]) => !own.has(name)), ...own];
  return [
    ...tags.flatMap(([name, content]) => (content === undefined ? [] : [tagHtml(name, content)])),
    ...(view.canonical ? [linkHtml({ rel: 'canonical', href: view.canonical })] : []),
    ...view.alternates.map(([hreflang, href]) => linkHtml({ rel: 'alternate', hreflang, href })),
    ...view.formats.map(({ type, href, title }) => linkHtml({ rel: 'alternate', type, href, title })),
    /** A data block: CSP does not apply to it. */
    ...(view.structuredData ? [`<script type="application/ld+json">${view.structuredData}</script>`] : []),
  ];
}

function standardTags(view: PageView): [string, string | undefined][] {
  const { settings, image } = view;
  const description = view.description || undefined;
  const hasImage = image !== undefined || view.metatags.some(([name]) => name === 'og:image');
  return [
    ['description', description],
    ['generator', 'Docyard'],
    ['application-name', settings.name],
    ['robots', view.noIndex ? 'noindex' : undefined],
    ['og:type', view.route === 'index' ? 'website' : 'article'],
    ['og:site_name', settings.name],
    ['og:title', plainTitle(view.title)],
    ['og:description', description],
    ['og:url', view.canonical],
    ['og:locale', localeOf(view.language)],
    ['og:image', image?.address],
    ['og:image:width', image && String(socialImageSize.width)],
    ['og:image:height', image && String(socialImageSize.height)],
    ['og:image:alt', image?.alt],
    ['twitter:card', hasImage ? 'summary_large_image' : 'summary'],
  ];
}

/** Open Graph uses `property`, other vocabularies use `name`. */
function tagHtml(name: string, content: string): string {
  return `<meta${attributes(/^(?:og|article):/.test(name) ? { property: name, content } : { name, content })}>`;
}

function linkHtml(values: Record<string, string | undefined>): string {
  return `<link${attributes(values)}>`;
}

/** The likely locale of a language: `en_US` for `en`. */
function localeOf(language: string): string | undefined {
  const locale = locales.get(language) ?? likelyLocale(language);
  locales.set(language, locale);
  return locale;
}

const locales = new Map<string, string | undefined>();

function likelyLocale(language: string): string | undefined {
  try {
    const { language: code, region } = new Intl.Locale(language).maximize();
    return region ? `${code}_${region}` : code;
  } catch {
    return undefined;
  }
}
