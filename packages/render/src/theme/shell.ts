/**
 * A whole HTML document around a page's content. It holds no inline script, style or handler, so that the strict
 * content security policy it declares is true.
 */
import { interfaceIcon } from '../icons/interface.ts';
import type { SiteSettings } from '../config/settings.ts';
import { attributes, element, escapeText } from '../html.ts';
import type { Heading } from '../page/task.ts';
import { inlineCode, plainTitle } from './text.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export interface PageView {
  settings: SiteSettings;
  language: string;
  /** `../` as often as the page is deep. */
  prefix: string;
  route: string;
  title: string;
  descriptionHtml: string;
  description: string;
  bodyHtml: string;
  /** Examples and panels that belong beside the content. */
  asideHtml: string;
  bannerHtml: string;
  headings: Heading[];
  mode: string;
  header: string;
  sidebar: string;
  footer: string;
  eyebrow: string[];
  previous?: { href: string; title: string } | undefined;
  next?: { href: string; title: string } | undefined;
  canonical?: string | undefined;
  noIndex: boolean;
  deprecated: boolean;
  endpoint?: { method: string; path: string } | undefined;
  metatags: [string, string][];
  stylesheets: string[];
  favicon?: { light: string; dark: string } | undefined;
}

export function pageDocument(view: PageView): string {
  const { settings } = view;
  const initial = settings.appearance.initial;
  const html = attributes({
    lang: view.language,
    'data-theme': initial === 'system' ? undefined : initial,
    'data-initial-theme': initial,
    'data-strict-theme': settings.appearance.strict,
    'data-current-path': `/${view.route}`,
  });
  const bare = view.mode === 'custom';
  const withSidebar = !bare && view.mode !== 'center' && view.sidebar !== '';
  const withContents = view.mode === 'default' && view.headings.length > 1;
  const layout = ['layout', `mode-${view.mode}`, withSidebar ? 'with-sidebar' : 'without-sidebar'].join(' ');
  return (
    `<!doctype html>\n<html${html}>\n<head>\n${headHtml(view)}</head>\n<body>\n` +
    '<a class="skip-link" href="#content-area">Skip to the content</a>\n' +
    `${view.bannerHtml ? bannerHtml(view) : ''}${withoutUsedId(view, view.header, 'navbar')}\n<div class="${layout}">\n` +
    (withSidebar
      ? `<nav${frameId(view, 'sidebar')} class="site-sidebar" aria-label="Pages">${view.sidebar}</nav>\n`
      : '') +
    `<main id="content-area" tabindex="-1">\n${bare ? hiddenTitle(view) : pageHeader(view)}` +
    `<div class="content">${view.bodyHtml}</div>\n${bare ? '' : paginationHtml(view)}</main>\n` +
    `${view.asideHtml ? asideHtml(view) : withContents ? contentsHtml(view) : ''}</div>\n${withoutUsedId(view, view.footer, 'footer')}\n</body>\n</html>\n`
  );
}

/**
 * The parts of the frame carry ids by which authors' stylesheets find them. Where a page's own content uses the same
 * id (a heading called "Footer"), it belongs to the content.
 */
function frameId(view: PageView, id: string): string {
  return view.bodyHtml.includes(` id="${id}"`) ? '' : ` id="${id}"`;
}

function withoutUsedId(view: PageView, html: string, id: string): string {
  return frameId(view, id) === '' ? html.replace(` id="${id}"`, '') : html;
}

function headHtml(view: PageView): string {
  const { settings, prefix } = view;
  const name = settings.name;
  const title = plainTitle(view.title);
  const fullTitle = title === name ? name : `${title} - ${name}`;
  const meta: [string, string | undefined][] = [
    ['description', view.description || undefined],
    ['generator', 'Docyard'],
    ['robots', view.noIndex ? 'noindex' : undefined],
    ['og:type', 'website'],
    ['og:site_name', name],
    ['og:title', title],
    ['og:description', view.description || undefined],
    ['og:url', view.canonical],
    ['twitter:card', 'summary'],
  ];
  const own = new Map(view.metatags);
  const all = [...meta.filter(([key]) => !own.has(key)), ...own];
  const lines = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element('title', {}, escapeText(fullTitle)),
    ...all.flatMap(([key, content]) =>
      content === undefined
        ? []
        : [
            `<meta${attributes(key.startsWith('og:') ? { property: key, content } : { name: key, content })}>`,
          ],
    ),
    ...(view.canonical ? [`<link${attributes({ rel: 'canonical', href: view.canonical })}>`] : []),
    ...faviconLinks(view),
    `<script src="${prefix}_docyard/theme.js"></script>`,
    ...view.stylesheets.map((href) => `<link${attributes({ rel: 'stylesheet', href })}>`),
    `<script src="${prefix}_docyard/app.js" defer></script>`,
  ];
  return `${lines.join('\n')}\n`;
}

function faviconLinks({ favicon }: PageView): string[] {
  if (!favicon) return [];
  if (favicon.light === favicon.dark) return [`<link${attributes({ rel: 'icon', href: favicon.light })}>`];
  return [
    `<link${attributes({ rel: 'icon', href: favicon.light, media: '(prefers-color-scheme: light)' })}>`,
    `<link${attributes({ rel: 'icon', href: favicon.dark, media: '(prefers-color-scheme: dark)' })}>`,
  ];
}

function bannerHtml(view: PageView): string {
  const { bannerHtml: content, settings } = view;
  const close = settings.banner?.dismissible
    ? `<button type="button" class="icon-button" data-banner-close aria-label="Close this notice">${interfaceIcon('xmark')}</button>`
    : '';
  return `<div${frameId(view, 'banner')} class="site-banner" role="region" aria-label="Notice"><p>${content}</p>${close}</div>\n`;
}

function pageHeader(view: PageView): string {
  const eyebrow = view.eyebrow.map((label) => element('li', {}, inlineCode(label))).join('');
  const trail = eyebrow ? `<nav class="eyebrow" aria-label="Breadcrumbs"><ol>${eyebrow}</ol></nav>` : '';
  const label = view.deprecated ? ' <span class="badge badge-yellow">Deprecated</span>' : '';
  const lead = view.descriptionHtml ? element('p', { class: 'lead' }, view.descriptionHtml) : '';
  const endpoint = view.endpoint
    ? `<p class="endpoint"><span class="method method-${view.endpoint.method.toLowerCase()}">${view.endpoint.method}</span> <code>${escapeText(view.endpoint.path)}</code></p>`
    : '';
  return `<header class="page-header">${trail}<h1 id="page-title">${inlineCode(view.title)}${label}</h1>${lead}${endpoint}</header>\n`;
}

/** A page that draws its own start still has one first heading for those who cannot see it. */
function hiddenTitle(view: PageView): string {
  return `<h1 class="visually-hidden">${inlineCode(view.title)}</h1>\n`;
}

function paginationHtml(view: PageView): string {
  const { previous, next } = view;
  if (!previous && !next) return '';
  const link = (target: { href: string; title: string } | undefined, word: string, rel: string): string =>
    target
      ? element(
          'a',
          { href: target.href, rel, class: `pagination-${rel}` },
          `<span class="pagination-word">${word}</span><span>${inlineCode(target.title)}</span>`,
        )
      : '';
  return `<nav${frameId(view, 'pagination')} class="site-pagination" aria-label="Previous and next page">${link(previous, 'Previous', 'prev')}${link(next, 'Next', 'next')}</nav>\n`;
}

/** What an author put beside the content stands there instead of the table of contents. */
function asideHtml(view: PageView): string {
  return `<aside class="site-aside" aria-label="Examples">${view.asideHtml}</aside>\n`;
}

function contentsHtml(view: PageView): string {
  const { headings } = view;
  const top = Math.min(...headings.map(({ level }) => level));
  const items = headings
    .filter(({ level }) => level <= top + 2)
    .map(({ level, text, id }) => {
      const depth = level - top;
      return `<li${attributes({ class: depth ? `depth-${depth}` : undefined })}>${element('a', { href: `#${id}` }, escapeText(text))}</li>`;
    });
  return (
    `<aside${frameId(view, 'table-of-contents')} class="site-contents"><nav aria-label="On this page">` +
    `<p class="contents-title">On this page</p><ul>${items.join('')}</ul></nav></aside>\n`
  );
}
