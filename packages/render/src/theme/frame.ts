/** The parts around a page's content that depend only on its branch and folder: header, tabs, menus, footer. */
import { interfaceIcon } from '../icons/interface.ts';
import type { LinkItem, SiteSettings } from '../config/settings.ts';
import { attributes, element, escapeText } from '../html.ts';
import type { Branch, Division, DivisionKind, Switcher } from '../navigation/tree.ts';
import type { SiteLinks } from './site-links.ts';

export interface FrameContext {
  settings: SiteSettings;
  links: SiteLinks;
  prefix: string;
  branch: Branch | undefined;
  /** The site's logo files, when they exist. */
  logo: { light: string; dark: string } | undefined;
  homeHref: string;
}

export function headerHtml(context: FrameContext): string {
  const { settings, links, prefix } = context;
  const { primary } = settings.navbar;
  const primaryHref = primary && links.address(prefix, primary.href);
  const items = settings.navbar.links.map((item) => linkHtml(item, context)).join('');
  const button =
    primary && primaryHref
      ? element(
          'a',
          { class: 'button', href: primaryHref },
          links.icon(prefix, primary.icon) + escapeText(primary.label),
        )
      : '';
  const toggle = settings.appearance.strict
    ? ''
    : `<button type="button" class="icon-button" data-theme-toggle aria-label="Switch between light and dark">${moon}${sun}</button>`;
  const tabs = tabsHtml(context);
  return (
    `<header id="navbar" class="${tabs ? 'site-navbar has-tabs' : 'site-navbar'}"><div class="bar">` +
    '<button type="button" class="icon-button menu-button" data-menu-toggle aria-expanded="false" ' +
    `aria-label="Navigation menu">${menuIcon}</button>` +
    `<div class="brand">${brandHtml(context)}${menusHtml(context, ['version', 'language'])}</div>` +
    (items || button
      ? `<nav class="bar-links" aria-label="Site links">${items}${button}</nav>`
      : '<div class="bar-links"></div>') +
    `${toggle}</div>${tabs}</header>`
  );
}

function brandHtml({ settings, links, prefix, logo, homeHref }: FrameContext): string {
  const href = (settings.logo?.href && links.address(prefix, settings.logo.href)) || homeHref;
  if (!logo) return element('a', { class: 'site-name', href }, escapeText(settings.name));
  const image = (file: string, className: string): string =>
    `<img${attributes({ class: `logo ${className}`, src: links.file(prefix, file), alt: settings.name })}>`;
  const images =
    logo.light === logo.dark
      ? image(logo.light, '')
      : image(logo.light, 'only-light') + image(logo.dark, 'only-dark');
  return element('a', { class: 'site-logo', href }, images);
}

function linkHtml(item: LinkItem, { links, prefix }: FrameContext): string {
  const href = links.address(prefix, item.href);
  return href ? element('a', { href }, links.icon(prefix, item.icon) + escapeText(item.label)) : '';
}

/** Every switcher of the branch of one of the kinds, with the division chosen in it, if any. */
function switchersOf(
  branch: Branch | undefined,
  kinds: readonly DivisionKind[],
): { switcher: Switcher; current: Division | undefined }[] {
  if (!branch) return [];
  const chosen = branch.steps.map(({ switcher, division }) => ({ switcher, current: division }));
  const asides = branch.asides.map((switcher) => ({ switcher, current: undefined }));
  return [...chosen, ...asides].filter(({ switcher }) => kinds.includes(switcher.kind));
}

function tabsHtml(context: FrameContext): string {
  const items = [
    ...switchersOf(context.branch, ['tab']).flatMap(({ switcher, current }) =>
      switcher.divisions.map((division) => divisionLink(division, division === current, context)),
    ),
    ...globalsOf(context.branch, 'tab').map((division) => divisionLink(division, false, context)),
  ].filter(Boolean);
  return items.length > 1 ? `<nav class="tab-bar" aria-label="Sections">${items.join('')}</nav>` : '';
}

function globalsOf(branch: Branch | undefined, kind: DivisionKind): Division[] {
  return (branch?.globals ?? []).filter((division) => division.kind === kind);
}

function divisionLink(division: Division, isCurrent: boolean, { links, prefix }: FrameContext): string {
  const href = links.division(prefix, division);
  if (href === undefined) return '';
  return element(
    'a',
    { href, 'aria-current': isCurrent ? 'true' : undefined, lang: languageOf(division) },
    links.icon(prefix, division.icon) + escapeText(labelOf(division)),
  );
}

const languageNames: Record<string, string> = { cn: 'zh', jp: 'ja' };

export function languageCode(language: string): string {
  return languageNames[language] ?? language;
}

function languageOf(division: Division): string | undefined {
  return division.kind === 'language' ? languageCode(division.label) : undefined;
}

/** Languages are listed by the name their readers use. */
function labelOf(division: Division): string {
  if (division.kind !== 'language') return division.label;
  const known = spokenNames.get(division.label) ?? spokenName(division.label);
  spokenNames.set(division.label, known);
  return known;
}

const spokenNames = new Map<string, string>();

function spokenName(label: string): string {
  const code = languageCode(label);
  try {
    const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? label;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return label;
  }
}

/** Menus are `<details>`: they open without a script, and the script only closes them again. */
export function menusHtml(context: FrameContext, kinds: readonly DivisionKind[]): string {
  return switchersOf(context.branch, kinds)
    .map(({ switcher, current }) => {
      const items = switcher.divisions
        .map((division) => divisionLink(division, division === current, context))
        .filter(Boolean);
      if (items.length < 2) return '';
      const label = current ?? switcher.divisions[0];
      const summary = `${context.links.icon(context.prefix, label?.icon)}<span>${escapeText(label ? labelOf(label) : '')}</span>${interfaceIcon('chevron-right')}`;
      return (
        `<details class="menu" data-menu><summary aria-label="${escapeText(menuLabels[switcher.kind])}: ${escapeText(label ? labelOf(label) : '')}">` +
        `${summary}</summary><div class="menu-items">${items.join('')}</div></details>`
      );
    })
    .join('');
}

const menuLabels: Record<DivisionKind, string> = {
  tab: 'Section',
  anchor: 'Section',
  dropdown: 'Section',
  product: 'Product',
  version: 'Version',
  language: 'Language',
  item: 'Section',
};

/** Anchors are the sections listed above the sidebar, with those that hold on the whole site. */
export function anchorsHtml(context: FrameContext): string {
  const items = [
    ...switchersOf(context.branch, ['anchor']).flatMap(({ switcher, current }) =>
      switcher.divisions.map((division) => divisionLink(division, division === current, context)),
    ),
    ...globalsOf(context.branch, 'anchor').map((division) => divisionLink(division, false, context)),
    ...globalsOf(context.branch, 'dropdown').map((division) => divisionLink(division, false, context)),
  ].filter(Boolean);
  return items.length ? `<div class="nav-anchors">${items.join('')}</div>` : '';
}

export function footerHtml(context: FrameContext): string {
  const { settings } = context;
  const socials = settings.footer.socials
    .map((item) => {
      const href = context.links.address(context.prefix, item.href);
      if (!href) return '';
      const drawn = context.links.icon(context.prefix, item.icon);
      return drawn
        ? element('a', { href, 'aria-label': item.label }, drawn)
        : element('a', { href }, escapeText(item.label));
    })
    .join('');
  const columns = settings.footer.columns
    .map(({ header, items }) => {
      const links = items.map((item) => `<li>${linkHtml(item, context)}</li>`).join('');
      return `<div>${header ? element('p', { class: 'footer-head' }, escapeText(header)) : ''}<ul>${links}</ul></div>`;
    })
    .join('');
  return (
    '<footer id="footer" class="site-footer">' +
    (columns ? `<nav class="footer-columns" aria-label="Footer">${columns}</nav>` : '') +
    `<div class="footer-bar"><span>${escapeText(settings.name)}</span>` +
    `${socials ? `<div class="socials">${socials}</div>` : ''}</div></footer>`
  );
}

const lineIcon = (shape: string, className: string): string =>
  `<svg class="icon ${className}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ` +
  `stroke-linejoin="round" aria-hidden="true">${shape}</svg>`;
const moon = lineIcon('<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z"/>', 'only-light');
const sun = lineIcon(
  '<circle cx="12" cy="12" r="4"/><path d="M12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.4"/>',
  'only-dark',
);
const menuIcon = lineIcon('<path d="M4 7h16M4 12h16M4 17h16"/>', '');
