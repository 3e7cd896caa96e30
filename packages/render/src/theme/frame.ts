/** The parts of the frame that depend only on branch and folder: header, tabs, anchors, footer. */
import type { LinkItem } from '../config/surroundings.ts';
import { attributes, element, escapeAttribute, escapeText } from '../text/html.ts';
import type { SiteSettings } from '../config/settings.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { Division, Branch } from '../navigation/tree.ts';
import { entryColorClass } from './entry-colors.ts';
import { type FrameContext, globalsOf, labelOf, menusHtml, switchersOf } from './menus.ts';
import { tagHtml } from './sidebar-entry.ts';
import { addressAttributes } from './site-links.ts';
import { hooked } from '../model/style-hooks.ts';
import { scopeOfBranch } from '../search/pages.ts';
import { languageCode } from '../words/words.ts';

export function headerHtml(context: FrameContext): string {
  const { settings, words } = context;
  const links = barLinksHtml(context);
  const toggle = settings.appearance.strict
    ? ''
    : `<button type="button" class="dy-icon-button" data-component-name="theme-toggle" data-theme-toggle aria-label="${escapeAttribute(words.appearance)}">${moon}${sun}</button>`;
  const tabs = tabsHtml(context);
  return (
    `<header id="navbar" class="${tabs ? 'dy-site-navbar dy-has-tabs' : 'dy-site-navbar'}"><div id="navbar-transition" class="dy-navbar-surface"></div><div class="dy-bar">` +
    `<button type="button" class="dy-icon-button dy-menu-button" data-menu-toggle="${escapeAttribute(words.close)}" ` +
    `aria-expanded="false" aria-label="${escapeAttribute(words.menu)}">${menuIcon}</button>` +
    `<div class="dy-brand">${brandHtml(context)}${menusHtml(context, ['version', 'language'])}</div>` +
    searchButton(settings, context.branch) +
    (links
      ? `<nav class="${barLinks}" aria-label="${escapeAttribute(words.siteLinks)}"><ul>${links}</ul></nav>`
      : `<div class="${barLinks}"></div>`) +
    `${toggle}</div>${tabs}</header>`
  );
}

const barLinks = hooked('dy-bar-links', 'topbar-right-container');
const barLink = hooked('', 'navbar-link');

function barLinksHtml(context: FrameContext): string {
  const { items, primary } = linksOf(context);
  const last = primary && `<li id="topbar-cta-button">${primary}</li>`;
  return items.map((link) => `<li class="${barLink}">${link}</li>`).join('') + last;
}

function linksOf(context: FrameContext): { items: string[]; primary: string } {
  const { surroundings, links, prefix } = context;
  const { primary } = surroundings.navbar;
  const items = surroundings.navbar.links.map((item) => linkHtml(item, context)).filter(Boolean);
  const href = primary && links.address(prefix, primary.href);
  if (!primary || !href) return { items, primary: '' };
  const label = links.icon(prefix, primary.icon) + escapeText(primary.label);
  return { items, primary: element('a', { class: 'dy-button', href }, label) };
}

/** The header's links move to the end of the drawer on small screens. */
export function drawerLinksHtml(context: FrameContext): string {
  const { items, primary } = linksOf(context);
  const links = items.join('') + primary;
  return links ? `<div class="dy-drawer-links">${links}</div>` : '';
}

function brandHtml({ settings, links, prefix, logo, homeHref }: FrameContext): string {
  const href = (settings.logo?.href && links.address(prefix, settings.logo.href)) || homeHref;
  if (!logo) return element('a', { class: 'dy-site-name', href }, escapeText(settings.name));
  const image = (file: string, className: string): string =>
    `<img${attributes({ class: `${hooked('dy-logo', 'nav-logo')} ${className}`.trim(), src: links.file(prefix, file), alt: settings.name })}>`;
  const images =
    logo.light === logo.dark
      ? image(logo.light, '')
      : image(logo.light, 'dy-only-light') + image(logo.dark, 'dy-only-dark');
  return element('a', { class: 'dy-site-logo', href }, images);
}

function linkHtml(item: LinkItem, { links, prefix }: FrameContext): string {
  const href = links.address(prefix, item.href);
  return href ? element('a', { href }, links.icon(prefix, item.icon) + escapeText(item.label)) : '';
}

function tabsHtml(context: FrameContext): string {
  const tabLink = (division: Division, isCurrent: boolean): string =>
    divisionLink(division, isCurrent, context, hooked('', 'nav-tabs-item'));
  const items = [
    ...switchersOf(context.branch, ['tab']).flatMap(({ switcher, current }) =>
      switcher.divisions.map((division) => tabLink(division, division === current)),
    ),
    ...globalsOf(context.branch, 'tab').map((division) => tabLink(division, false)),
  ].filter((item) => item !== '');
  if (items.length < 2) return '';
  const label = escapeAttribute(context.words.sections);
  return `<nav class="dy-tab-bar" aria-label="${label}"><div class="${hooked('dy-tab-row', 'nav-tabs')}">${items.join('')}</div></nav>`;
}

function divisionLink(
  division: Division,
  isCurrent: boolean,
  { links, prefix }: FrameContext,
  hook = '',
): string {
  const address = links.division(prefix, division);
  if (address === undefined) return '';
  const outside = /^https?:/i.test(address.href) ? interfaceIcon('arrow-up-right') : '';
  const tag = tagHtml(division.tag);
  const classes = [hook, division.atEnd && 'dy-at-end', entryColorClass(division)].filter(Boolean).join(' ');
  return element(
    'a',
    {
      ...addressAttributes(address),
      'aria-current': isCurrent ? 'true' : undefined,
      'data-active': isCurrent ? 'true' : undefined,
      class: classes || undefined,
    },
    links.icon(prefix, division.icon) + escapeText(labelOf(division)) + tag + outside,
  );
}

export function anchorsHtml(context: FrameContext): string {
  const items = [
    ...switchersOf(context.branch, ['anchor']).flatMap(({ switcher, current }) =>
      switcher.divisions.map((division) => divisionLink(division, division === current, context)),
    ),
    ...globalsOf(context.branch, 'anchor').map((division) => divisionLink(division, false, context)),
  ].filter((item) => item !== '');
  return items.length ? anchorList(items) : '';
}

function anchorList(items: readonly string[]): string {
  const item = `<li class="${hooked('', 'nav-anchor')}">`;
  return `<ul class="${hooked('dy-nav-anchors', 'nav-anchors')}">${items.map((link) => `${item}${link}</li>`).join('')}</ul>`;
}

export function footerHtml(context: FrameContext): string {
  const { settings, surroundings, words } = context;
  const socials = surroundings.footer.socials
    .map((item) => {
      const href = context.links.address(context.prefix, item.href);
      if (!href) return '';
      const drawn = context.links.icon(context.prefix, item.icon);
      return drawn
        ? element('a', { href, 'aria-label': item.label, title: item.label }, drawn)
        : element('a', { href }, escapeText(item.label));
    })
    .join('');
  const columns = surroundings.footer.columns
    .map(({ header, items }) => {
      const links = items.map((item) => `<li>${linkHtml(item, context)}</li>`).join('');
      return `<div>${header ? element('p', { class: 'dy-footer-head' }, escapeText(header)) : ''}<ul>${links}</ul></div>`;
    })
    .join('');
  return (
    `<footer id="footer" class="${columns ? hooked('dy-site-footer', 'advanced-footer') : 'dy-site-footer'}"><div class="dy-footer-inner">` +
    (columns
      ? `<nav class="dy-footer-columns" aria-label="${escapeAttribute(words.footer)}">${columns}</nav>`
      : '') +
    `<div class="dy-footer-bar"><span>${escapeText(settings.name)}</span>` +
    `${socials ? `<div class="dy-socials">${socials}</div>` : ''}</div></div></footer>`
  );
}

const lineIcon = (shape: string, className: string): string =>
  `<svg class="${`dy-icon ${className}`.trim()}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ` +
  `stroke-linejoin="round" aria-hidden="true">${shape}</svg>`;
const moon = lineIcon('<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z"/>', 'dy-only-light');
const sun = lineIcon(
  '<circle cx="12" cy="12" r="4"/><path d="M12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.400"/>',
  'dy-only-dark',
);
const menuIcon = lineIcon('<path d="M4 7h16M4 12h16M4 17h16"/>', '');

const lens =
  '<svg class="dy-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
  'aria-hidden="true"><circle cx="11" cy="11" r="6.5"/><path d="M16 16l4.500 4.500"/></svg>';

const prompts: Record<string, string> = {
  de: 'Suchen…',
  es: 'Buscar…',
  fr: 'Rechercher…',
  it: 'Cerca…',
  pt: 'Pesquisar…',
  ru: 'Поиск…',
  zh: '搜索…',
  ja: '検索…',
  ko: '검색…',
  ar: 'بحث…',
  he: 'חיפוש…',
};

/** The search script creates the input, which keeps pages small. */
function searchButton({ searchPrompt, searchAnswers }: SiteSettings, branch: Branch | undefined): string {
  const { language, version } = scopeOfBranch(branch);
  const text = searchPrompt ?? prompts[languageCode(language).split('-')[0] ?? ''] ?? 'Search…';
  const values = {
    type: 'button',
    id: 'search-bar-entry',
    class: 'dy-search-button',
    'data-search': true,
    'data-prompt': text,
    'data-answers': searchAnswers,
    'data-language': language || undefined,
    'data-version': version || undefined,
    'aria-haspopup': 'dialog',
    'aria-keyshortcuts': 'Control+K /',
  };
  return (
    `<button${attributes(values)}>${lens}<span class="dy-search-prompt">${escapeText(text)}</span>` +
    '<kbd aria-hidden="true">Ctrl K</kbd></button>'
  );
}
