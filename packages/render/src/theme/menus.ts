/**
 * Switchers between versions, languages and products as `<details>` menus, which work without JavaScript.
 * Versions and languages link to the same page, so their addresses differ per page.
 */
import type { Surroundings } from '../config/surroundings.ts';
import type { SiteSettings } from '../config/settings.ts';
import { attributes, element, escapeText } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { Branch, Division, DivisionKind, Switcher } from '../navigation/tree.ts';
import { entryColorClass } from './entry-colors.ts';
import { tagHtml } from './sidebar-entry.ts';
import { hooked, hookedIcon } from '../model/style-hooks.ts';
import { type DivisionAddress, type SiteLinks, addressAttributes } from './site-links.ts';
import { type Words, languageCode, spokenName } from '../words/words.ts';

export interface FrameContext {
  settings: SiteSettings;
  surroundings: Surroundings;
  words: Words;
  links: SiteLinks;
  prefix: string;
  branch: Branch | undefined;
  logo: { light: string; dark: string } | undefined;
  homeHref: string;
  /** Filled while the frame is built: switches whose address depends on the page. */
  switches: PageSwitch[];
}

export interface PageSwitch {
  from: Division;
  to: Division;
  /** Used when the other division has no equivalent page. */
  otherwise: DivisionAddress;
}

/**
 * A placeholder for a switch's attributes until the page is known. Sources cannot contain control characters.
 */
const switchMark = (index: number): string => `\u0001${index}\u0001`;
// eslint-disable-next-line no-control-regex
export const switchMarks = /\u0001(\d+)\u0001/g;

export function switchersOf(
  branch: Branch | undefined,
  kinds: readonly DivisionKind[],
): { switcher: Switcher; current: Division | undefined }[] {
  if (!branch) return [];
  const chosen = branch.steps.map(({ switcher, division }) => ({ switcher, current: division }));
  const asides = branch.asides.map((switcher) => ({ switcher, current: undefined }));
  return [...chosen, ...asides].filter(({ switcher }) => kinds.includes(switcher.kind));
}

export function globalsOf(branch: Branch | undefined, kind: DivisionKind): Division[] {
  return (branch?.globals ?? []).filter((division) => division.kind === kind);
}

/** Longer menus get a filter field. */
const longMenu = 10;

export function menusHtml(context: FrameContext, kinds: readonly DivisionKind[]): string {
  const global = kinds.map((kind) => ({
    switcher: { kind, divisions: globalsOf(context.branch, kind) },
    current: undefined,
  }));
  return [...switchersOf(context.branch, kinds), ...global]
    .map(({ switcher, current }) => menuHtml(context, switcher, current))
    .join('');
}

function menuHtml(context: FrameContext, switcher: Switcher, current: Division | undefined): string {
  const items = switcher.divisions
    .map((division) => itemHtml(division, current, context))
    .filter((item) => item !== '');
  if (items.length < 2) return '';
  const hooks = menuHooks(switcher.kind);
  const shown = current ?? switcher.divisions[0];
  const label = shown ? labelOf(shown) : '';
  const kind = context.words[menuWords[switcher.kind]];
  const icon = switcher.kind === 'language' ? globe : context.links.icon(context.prefix, shown?.icon);
  const filter =
    items.length > longMenu
      ? `<input type="search" class="dy-menu-filter" data-menu-filter${attributes({ placeholder: context.words.filter, 'aria-label': context.words.filter })}>`
      : '';
  return (
    `<details class="dy-menu dy-menu-${switcher.kind}" data-menu>` +
    `<summary${attributes({ ...hooks.trigger, class: classList(hooks.trigger.class, shown && entryColorClass(shown)), 'aria-label': `${kind}: ${label}` })}>` +
    `${icon}<span>${escapeText(label)}</span>${interfaceIcon('chevron-down')}</summary>` +
    `<div${attributes({ ...hooks.content, class: classList('dy-menu-items', hooks.content.class) })}>${filter}<ul>${items.join('')}</ul></div></details>`
  );
}

const menuWords: Record<DivisionKind, 'section' | 'product' | 'version' | 'language'> = {
  tab: 'section',
  anchor: 'section',
  dropdown: 'section',
  product: 'product',
  version: 'version',
  language: 'language',
  item: 'section',
};

const dropdownHooks = {
  trigger: { class: hooked('', 'nav-dropdown-trigger') },
  content: { class: hooked('', 'nav-dropdown-content') },
  item: 'nav-dropdown-item',
  text: 'nav-dropdown-item-text-container',
  title: 'nav-dropdown-item-title',
  description: 'nav-dropdown-item-description',
  icon: 'nav-dropdown-item-icon',
} as const;

const productHooks = {
  ...dropdownHooks,
  trigger: { class: hooked('', 'nav-dropdown-products-selector-trigger') },
  content: { class: hooked('', 'nav-dropdown-products-selector-content') },
  item: 'nav-dropdown-products-selector-item',
  title: 'nav-dropdown-products-selector-item-title',
  description: 'nav-dropdown-products-selector-item-description',
  icon: 'nav-dropdown-products-selector-item-icon',
} as const;

const languageHooks = {
  ...dropdownHooks,
  trigger: { ...dropdownHooks.trigger, id: 'localization-select-trigger' },
  content: { ...dropdownHooks.content, id: 'localization-select-content' },
} as const;

function menuHooks(kind: DivisionKind): typeof dropdownHooks | typeof productHooks | typeof languageHooks {
  if (kind === 'product') return productHooks;
  return kind === 'language' ? languageHooks : dropdownHooks;
}

function classList(...names: (string | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

function itemHtml(division: Division, current: Division | undefined, context: FrameContext): string {
  const address = addressOf(division, current, context);
  if (address === undefined) return '';
  const hooks = menuHooks(division.kind);
  const description = division.description
    ? element('span', { class: hooked('dy-menu-note', hooks.description) }, escapeText(division.description))
    : '';
  const title = element(
    'span',
    { class: hooked('', hooks.title) },
    escapeText(labelOf(division)) + tagHtml(division.tag),
  );
  const text = element('span', { class: hooked('dy-menu-label', hooks.text) }, title + description);
  const code = division.kind === 'language' ? languageCode(division.label) : undefined;
  const values = attributes({
    id: code && `localization-select-item-${code}`,
    'aria-current': division === current ? 'true' : undefined,
    'data-active': division === current ? 'true' : undefined,
    lang: code,
    hreflang: code,
  });
  const check = division === current ? interfaceIcon('check') : '';
  const icon = hookedIcon(context.links.icon(context.prefix, division.icon), hooks.icon);
  const classes = classList(hooked('', hooks.item), entryColorClass(division));
  return `<li><a${attributes({ class: classes })}${address}${values}>${icon}${text}${check}</a></li>`;
}

function addressOf(
  division: Division,
  current: Division | undefined,
  { links, prefix, switches }: FrameContext,
): string | undefined {
  const otherwise = links.division(prefix, division);
  const keepsPage = division.kind === 'version' || division.kind === 'language';
  if (otherwise === undefined) return undefined;
  if (!current || division === current || !keepsPage || division.href)
    return attributes(addressAttributes(otherwise));
  return switchMark(switches.push({ from: current, to: division, otherwise }) - 1);
}

export function labelOf(division: Division): string {
  return division.kind === 'language' ? spokenName(division.label) : division.label;
}

const globe =
  '<svg class="dy-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
  'stroke-linejoin="round" aria-hidden="true"><circle cx="12" cy="12" r="9"/>' +
  '<path d="M3 12h18M12 3c2.800 2.700 4 5.700 4 9s-1.200 6.300-4 9c-2.800-2.700-4-5.700-4-9s1.200-6.300 4-9z"/></svg>';
