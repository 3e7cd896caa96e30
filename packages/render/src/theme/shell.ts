/**
 * Writes the HTML document of a page. It contains no inline script, style or event handler, as its CSP
 * requires.
 */
import { interfaceIcon } from '../icons/interface.ts';
import type { Banner, SiteSettings } from '../config/settings.ts';
import type { Pieces, SharedText } from '../text/encoded-text.ts';
import { type Attributes, attributes, element, escapeAttribute, escapeText } from '../text/html.ts';
import type { IslandScriptPaths } from '../islands/scripts.ts';
import type { Heading, PageIslandsResult } from '../model/page.ts';
import { type GuestBanner, bannerHtml, guestBannerHtml } from './banner.ts';
import { type FrameIdUser, frameId, headerIds, usedFrameIds, withoutUsedIds } from './frame-ids.ts';
import { headHtml } from './head.ts';
import type { HeadFacts } from './head-facts.ts';
import { type IdHook, hooked } from '../model/style-hooks.ts';
import { inlineCode } from './titles.ts';
import { type Words, isRightToLeft } from '../words/words.ts';

export interface PageView extends HeadFacts {
  settings: SiteSettings;
  banner?: Banner | undefined;
  language: string;
  words: Words;
  prefix: string;
  route: string;
  branches: string | undefined;
  title: string;
  descriptionHtml: string;
  description: string;
  /** UTF-8. */
  bodyHtml: Uint8Array;
  asideHtml: Uint8Array;
  contentIds: readonly string[];
  bannerHtml: string;
  guestBanners: readonly GuestBanner[];
  headings: Heading[];
  mode: string;
  header: string | SharedText;
  /** Empty for a page without a sidebar. */
  sidebar: Pieces;
  footer: SharedText;
  eyebrow: { label: string; href?: string | undefined }[];
  directory: string;
  updated?: string | undefined;
  /** Links to the source of the page. */
  pageLinks: string;
  contextual: string;
  contextualInContents: boolean;
  previous?: { href: string; title: string } | undefined;
  next?: { href: string; title: string } | undefined;
  showsFeed: boolean;
  deprecated: boolean;
  tag?: string | undefined;
  bar: string;
  /** CSP sources of the request form; undefined on a page without one. */
  connectSources?: readonly string[] | undefined;
  /** Scripts of interactive components, hosts in their code, and initially hidden HTML. */
  islands?: (IslandScriptPaths & Pick<PageIslandsResult, 'hosts' | 'parts'>) | undefined;
  customScripts?: { paths: readonly string[]; hosts: readonly string[] } | undefined;
  /** For a page that names an unknown operation. */
  endpoint?: { method: string; path: string } | undefined;
  stylesheets: string[];
  favicon?: { light: string; dark: string } | undefined;
  /** The font of plain text. */
  font?: string | undefined;
}

interface FramedView extends PageView, FrameIdUser {}

/** The document in parts; `main` contains the author's content as bytes. */
export interface PageDocument {
  before: Pieces;
  main: Pieces;
  after: Pieces;
}

const contentClass = hooked('dy-content', 'mdx-content', 'prose');

/** On wide screens; on small ones every page has the drawer. */
export function showsSidebar(mode: string): boolean {
  return mode !== 'custom' && mode !== 'center';
}

export function wholePage({ before, main, after }: PageDocument): Pieces {
  return [...before, ...main, ...after];
}

export function rootAttributes(settings: SiteSettings, language: string): Attributes {
  const { initial, strict } = settings.appearance;
  return {
    lang: language,
    dir: isRightToLeft(language) ? 'rtl' : undefined,
    'data-look': settings.theme,
    'data-decoration': settings.background?.decoration,
    'data-picture': settings.background?.image ? true : undefined,
    'data-theme': initial === 'system' ? undefined : initial,
    'data-initial-theme': initial,
    'data-strict-theme': strict,
    // Must match `theme.js`.
    class: initial === 'system' ? undefined : initial,
  };
}

export function pageDocument(page: PageView): PageDocument {
  const view: FramedView = { ...page, usedIds: usedFrameIds(page.contentIds) };
  const { settings, words } = view;
  const html = attributes({
    ...rootAttributes(settings, view.language),
    'data-current-path': `/${view.route.replace(/(?:^|\/)index$/, '')}`,
    'data-page-mode': view.mode === 'default' ? 'none' : view.mode,
    'data-branches': view.branches,
  });
  const bare = view.mode === 'custom' || view.mode === 'frame';
  const withSidebar = showsSidebar(view.mode) && view.sidebar.length > 0;
  const withAside = view.asideHtml.length > 0 && view.mode === 'default';
  const withContents = view.mode === 'default' && !withAside && view.headings.length > 1;
  const layout = [
    'dy-layout',
    `dy-mode-${view.mode}`,
    withSidebar ? 'dy-with-sidebar' : 'dy-without-sidebar',
    withAside && 'dy-with-aside',
    withContents && 'dy-with-contents',
  ];
  /** On small screens every page has the drawer. */
  const sidebarClass = withSidebar ? 'dy-site-sidebar' : 'dy-site-sidebar dy-drawer-only';
  const navigation =
    view.sidebar.length > 0
      ? [
          `<nav${frameId(view, 'sidebar')} class="${sidebarClass}" aria-label="${escapeAttribute(words.pages)}">` +
            `<div${frameId(view, 'sidebar-content')} class="dy-sidebar-content">`,
          ...view.sidebar,
          '</div></nav>\n',
        ]
      : [];
  return {
    before: [
      `<!doctype html>\n<html${html}>\n<head>\n${headHtml(view)}</head>\n<body>\n` +
        `<a class="dy-skip-link" href="#content-area">${escapeText(words.skip)}</a>\n` +
        (view.bannerHtml ? bannerHtml(view, frameId(view, 'banner')) : '') +
        view.guestBanners.map(guestBannerHtml).join(''),
      withoutUsedIds(view, view.header, headerIds),
      `\n<div${frameId(view, 'body-content')} class="${layout.filter(Boolean).join(' ')}">\n`,
      ...navigation,
      `<div${frameId(view, 'content-container')} class="dy-columns">\n`,
    ],
    main: [
      `<main id="content-area" tabindex="-1">\n${bare ? hiddenTitle(view) : pageHeader(view)}`,
      ...asideHtml(view),
      `<div${frameId(view, 'content')} class="${contentClass}">`,
      view.bodyHtml,
      `</div>\n${bare ? '' : pageEnd(view)}</main>\n`,
    ],
    after: [
      `${withContents ? contentsHtml(view) : ''}</div>\n</div>\n`,
      withoutUsedIds(view, view.footer, ['footer']),
      `\n${view.islands?.parts ?? ''}</body>\n</html>\n`,
    ],
  };
}

export function eyebrowHtml(
  eyebrow: PageView['eyebrow'],
  { breadcrumbs }: Pick<SiteSettings, 'breadcrumbs'>,
  words: Words,
): string {
  const steps = eyebrow
    .map(
      ({ label, href }) =>
        `<li class="${hooked('', 'breadcrumb-item')}">${href ? element('a', { href }, inlineCode(label)) : inlineCode(label)}</li>`,
    )
    .join('');
  if (!steps) return '';
  const list = `<ol class="${hooked('', 'breadcrumb-list')}">${steps}</ol>`;
  return breadcrumbs
    ? `<nav class="${hooked('dy-eyebrow', 'eyebrow')} dy-breadcrumbs" aria-label="${escapeAttribute(words.breadcrumbs)}">${list}</nav>`
    : `<div class="${hooked('dy-eyebrow', 'eyebrow')}">${list}</div>`;
}

function pageHeader(view: FramedView): string {
  const { words } = view;
  const trail = eyebrowHtml(view.eyebrow, view.settings, words);
  const tag = view.tag ? ` <span class="dy-page-tag">${escapeText(view.tag)}</span>` : '';
  const label = view.deprecated
    ? ` <span class="dy-page-tag dy-is-deprecated">${escapeText(words.deprecated)}</span>`
    : '';
  const lead = view.descriptionHtml ? element('p', { class: 'dy-lead' }, view.descriptionHtml) : '';
  const endpoint =
    view.endpoint && !view.bar
      ? `<p class="dy-endpoint"><span class="dy-method dy-method-${view.endpoint.method.toLowerCase()}">${view.endpoint.method}</span> <code>${escapeText(view.endpoint.path)}</code></p>`
      : '';
  const title = `<h1 id="page-title">${inlineCode(view.title)}${tag}${label}</h1>`;
  const menu = feedLink(view) + (view.contextualInContents ? '' : contextualMenu(view));
  return (
    `<header${frameId(view, 'header')} class="dy-page-header">${trail}` +
    `${menu ? `<div class="dy-title-row">${title}${menu}</div>` : title}${view.bar}${lead}${endpoint}</header>\n`
  );
}

/** A page with a custom layout still needs a first heading for screen readers. */
function hiddenTitle(view: PageView): string {
  return `<h1 class="dy-visually-hidden">${inlineCode(view.title)}</h1>\n`;
}

function contextualMenu(view: FramedView): string {
  const ids: readonly IdHook[] = ['page-context-menu', 'page-context-menu-button'];
  return withoutUsedIds(view, view.contextual, ids) as string;
}

function feedLink({ feed, showsFeed }: PageView): string {
  if (!feed || !showsFeed) return '';
  return element(
    'a',
    { class: 'dy-feed-link', href: feed, type: 'application/rss+xml' },
    `${interfaceIcon('feed')}RSS`,
  );
}

function pageEnd(view: FramedView): string {
  return view.directory + pageFoot(view) + paginationHtml(view);
}

/** Scripts of a site may fill the first element. */
function pageFoot(view: FramedView): string {
  const { updated, words, language, pageLinks } = view;
  const day = updated
    ? `<p class="dy-page-updated">${escapeText(words.updated)} <time datetime="${escapeAttribute(updated)}">${escapeText(spokenDay(updated, language))}</time></p>`
    : '';
  const links = pageLinks && `<p class="dy-page-links">${pageLinks}</p>`;
  const feedback = attributes({
    'data-feedback': view.settings.feedback.thumbsRating ? feedbackTexts(words) : undefined,
  });
  return `<div class="dy-page-foot"><div${frameId(view, 'page-feedback')}${feedback}></div>${links}${day}</div>\n`;
}

/** In the order in which `feedback.js` names them. */
function feedbackTexts(words: Words): string {
  const { helpful, yes, no, comment, send, thanks, notSent } = words;
  return [helpful, yes, no, comment, send, thanks, notSent].join('|');
}

function spokenDay(day: string, language: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  try {
    return date.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  } catch {
    return day;
  }
}

function paginationHtml(view: FramedView): string {
  const { previous, next, words } = view;
  if (!previous && !next) return '';
  const link = (target: PageView['previous'], word: string, rel: 'prev' | 'next'): string =>
    target ? neighbourHtml({ href: target.href, titleHtml: inlineCode(target.title) }, word, rel) : '';
  const links = link(previous, words.previous, 'prev') + link(next, words.next, 'next');
  return `${paginationStart(words, frameId(view, 'pagination'))}${links}</nav>\n`;
}

export function paginationStart(words: Words, id: string): string {
  return `<nav${id} class="dy-site-pagination" aria-label="${escapeAttribute(words.neighbours)}">`;
}

export function neighbourHtml(
  { href, titleHtml }: { href: string; titleHtml: string },
  word: string,
  rel: 'prev' | 'next',
): string {
  const content = `<span class="dy-pagination-word">${escapeText(word)}</span><span class="${hooked('', 'pagination-title')}">${titleHtml}</span>`;
  return element('a', { href, rel, class: hooked(`dy-pagination-${rel}`, `pagination-${rel}`) }, content);
}

function asideHtml({ asideHtml: content, words }: PageView): Pieces {
  if (content.length === 0) return [];
  return [
    `<aside class="dy-site-aside" aria-label="${escapeAttribute(words.examples)}">`,
    content,
    '</aside>\n',
  ];
}

function contentsHtml(view: FramedView): string {
  const { headings } = view;
  const top = Math.min(...headings.map(({ level }) => level));
  const items = headings
    .filter(({ level }) => level <= top + 2)
    .map(({ level, text, id }) => {
      const depth = level - top;
      return `<li class="${hooked(depth ? `dy-depth-${depth}` : '', 'toc-item')}">${element('a', { href: `#${id}` }, escapeText(text))}</li>`;
    });
  const label = escapeText(view.words.contents);
  const menu = view.contextualInContents ? contextualMenu(view) : '';
  return (
    `<aside${frameId(view, 'table-of-contents-layout')} class="dy-site-contents">` +
    `<nav${frameId(view, 'table-of-contents')} aria-label="${escapeAttribute(view.words.contents)}">` +
    `<p class="dy-contents-title">${label}</p>` +
    `<ul${frameId(view, 'table-of-contents-content')} class="${hooked('', 'toc')}">${items.join('')}</ul></nav>${menu}</aside>\n`
  );
}
