import { attributes, element, escapeText } from '../text/html.ts';
import type { PageView } from './shell.ts';
import { socialImageSize } from './social-image-svg.ts';
import { feedbackScript, tryItScript } from './files.ts';
import { plainTitle } from './titles.ts';

/**
 * Scripts always come from the site. Requests and images may use other hosts on pages with a request form,
 * interactive components or repository scripts that name them.
 */
export function contentSecurityPolicy({
  connectSources,
  islands,
  customScripts,
}: Partial<Pick<PageView, 'connectSources' | 'islands' | 'customScripts'>>): string {
  const hasScripts = (customScripts?.paths.length ?? 0) > 0;
  const asks = connectSources !== undefined || islands !== undefined || hasScripts;
  const hosts = new Set([
    ...(connectSources ?? []),
    ...(islands?.hosts ?? []),
    ...(customScripts?.hosts ?? []),
  ]);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${asks ? ' blob:' : ''}`,
    "media-src 'self'",
    "font-src 'self' data:",
    /** Auditing tools such as Lighthouse fetch robots.txt from within the page. */
    ["connect-src 'self'", ...hosts].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export function headHtml(view: PageView): string {
  const { settings, prefix } = view;
  const name = settings.name;
  const title = plainTitle(view.title);
  const fullTitle = title === name ? name : `${title} - ${name}`;
  const lines = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(view)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element('title', {}, escapeText(fullTitle)),
    ...metaTags(view),
    ...faviconLinks(view),
    `<script${attributes({ src: `${prefix}_docyard/theme.js`, 'data-font': view.font })}></script>`,
    ...view.stylesheets.map((href) => linkHtml({ rel: 'stylesheet', href })),
    ...(view.islands ? [deferred(view.islands.runtime)] : []),
    deferred(`${prefix}_docyard/app.js`),
    ...(view.islands?.modules ?? []).map(deferred),
    ...(view.connectSources ? [deferred(`${prefix}${tryItScript}`)] : []),
    ...(settings.feedback.thumbsRating ? [deferred(`${prefix}${feedbackScript}`)] : []),
    ...(view.customScripts?.paths ?? []).map(deferred),
  ];
  return `${lines.join('\n')}\n`;
}

export function deferred(src: string): string {
  return `<script src="${src}" defer></script>`;
}

export function faviconLinks({ favicon }: Pick<PageView, 'favicon'>): string[] {
  if (!favicon) return [];
  if (favicon.light === favicon.dark) return [linkHtml({ rel: 'icon', href: favicon.light })];
  return [
    linkHtml({ rel: 'icon', href: favicon.light, media: '(prefers-color-scheme: light)' }),
    linkHtml({ rel: 'icon', href: favicon.dark, media: '(prefers-color-scheme: dark)' }),
  ];
}

function metaTags(view: PageView): string[] {
  const own = new Map(view.metatags);
  const tags = [...standardTags(view).filter(([name]) => !own.has(name)), ...own];
  return [
    ...tags.flatMap(([name, content]) => (content === undefined ? [] : [tagHtml(name, content)])),
    ...(view.canonical ? [linkHtml({ rel: 'canonical', href: view.canonical })] : []),
    ...view.alternates.map(([hreflang, href]) => linkHtml({ rel: 'alternate', hreflang, href })),
    linkHtml({ rel: 'llms-txt', type: 'text/plain', href: view.llms }),
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

export function linkHtml(values: Record<string, string | undefined>): string {
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
