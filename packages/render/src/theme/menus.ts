/**
 * Switchers between versions, languages, products and the like, as menus. A menu is a `<details>`: it opens without a
 * script, and the script only adds comfort. A version or language keeps the page, so its addresses differ by page.
 */
import type { Surroundings } from '../config/surroundings.ts';
import type { SiteSettings } from '../config/settings.ts';
import { attributes, element, escapeText } from '../html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { Branch, Division, DivisionKind, Switcher } from '../navigation/tree.ts';
import { entryColorClass } from './entry-colors.ts';
import { type DivisionAddress, type SiteLinks, addressAttributes } from './site-links.ts';
import { type Words, languageCode, spokenName } from './words.ts';

export interface FrameContext {
  settings: SiteSettings;
  /** What stands around the page in its language. */
  surroundings: Surroundings;
  words: Words;
  links: SiteLinks;
  prefix: string;
  branch: Branch | undefined;
  /** The site's logo files, when they exist. */
  logo: { light: string; dark: string } | undefined;
  homeHref: string;
  /** Filled while the frame is made: the switches whose address depends on the page. */
  switches: PageSwitch[];
}

export interface PageSwitch {
  from: Division;
  to: Division;
  /** Where it leads when the other division has no such page. */
  otherwise: DivisionAddress;
}

/** Stands in the frame for the attributes of a switch until the page is known. No author can write it. */
const switchMark = (index: number): string => `\u0001${index}\u0001`;
// eslint-disable-next-line no-control-regex
export const switchMarks = /\u0001(\d+)\u0001/g;

/** Every switcher of the branch of one of the kinds, with the division chosen in it, if any. */
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

/** More entries than this get a field that narrows them down. */
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
    `<summary${attributes({ class: shown && entryColorClass(shown), 'aria-label': `${kind}: ${label}` })}>` +
    `${icon}<span>${escapeText(label)}</span>${interfaceIcon('chevron-down')}</summary>` +
    `<div class="dy-menu-items">${filter}<ul>${items.join('')}</ul></div></details>`
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

function itemHtml(division: Division, current: Division | undefined, context: FrameContext): string {
  const address = addressOf(division, current, context);
  if (address === undefined) return '';
  const tag = division.tag ? element('span', { class: 'dy-nav-tag' }, escapeText(division.tag)) : '';
  const description = division.description
    ? element('span', { class: 'dy-menu-note' }, escapeText(division.description))
    : '';
  const text = `<span class="dy-menu-label"><span>${escapeText(labelOf(division))}${tag}</span>${description}</span>`;
  const code = division.kind === 'language' ? languageCode(division.label) : undefined;
  const values = attributes({
    'aria-current': division === current ? 'true' : undefined,
    lang: code,
    hreflang: code,
  });
  const check = division === current ? interfaceIcon('check') : '';
  return `<li><a${attributes({ class: entryColorClass(division) })}${address}${values}>${context.links.icon(context.prefix, division.icon)}${text}${check}</a></li>`;
}

/** As attributes. */
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
