/**
 * The sidebar of a branch of the navigation, made once for each branch and depth of folder; a page fills in its own
 * mark and opens its own groups. A large branch shows on a page only the way to it and what stands beside that way;
 * the whole of it comes from one script that its pages share, so that output grows with the site and not its square.
 */
import { attributes, element, escapeText } from '../html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { GroupEntry, LinkEntry, NavEntry } from '../navigation/tree.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './text.ts';

export interface EntryInfo {
  title: string;
  icon?: string | undefined;
  tag?: string | undefined;
  deprecated?: boolean | undefined;
  /** An outside address that the entry leads to instead of the page. */
  url?: string | undefined;
  /** Of the operation that the page documents. */
  method?: string | undefined;
}

export interface SidebarOptions {
  links: SiteLinks;
  infoOf: (route: string) => EntryInfo;
  /** A click on a group leads to its first page. */
  drilldown: boolean;
  /** What stands for entries that are left out. */
  more: string;
}

export interface Sidebar {
  htmlFor(route: string): string;
}

/** A branch with more entries than this is a large one. */
const largeBranch = 150;
/** So is one whose icons and names take more characters than this. */
const largeHtml = 20_000;
/** A list of a large branch with more entries than this shows only those near the page. */
const longList = 50;
const shownAround = 20;

export function createSidebar(
  entries: readonly NavEntry[],
  prefix: string,
  options: SidebarOptions,
): Sidebar {
  const shown = shownEntries(entries, options.links);
  if (countEntries(shown) > largeBranch) return new LargeSidebar(shown, prefix, options);
  const whole = new WholeSidebar(shown, prefix, options);
  return whole.htmlFor('').length > largeHtml ? new LargeSidebar(shown, prefix, options) : whole;
}

/** Whether pages of a branch show only a part of it. */
export function isLargeSidebar(sidebar: Sidebar): boolean {
  return sidebar instanceof LargeSidebar;
}

/** Every entry of a branch with no page marked, addresses from the root written as `~/`. */
export function wholeSidebarHtml(entries: readonly NavEntry[], options: SidebarOptions): string {
  return new WholeSidebar(shownEntries(entries, options.links), '~/', options).htmlFor('');
}

/** When only some pages are part of the output, a group may have none left to show. */
function shownEntries(entries: readonly NavEntry[], links: SiteLinks): NavEntry[] {
  return entries.flatMap((entry): NavEntry[] => {
    if (entry.kind === 'link') return links.address('', entry.href) ? [entry] : [];
    if (entry.kind === 'page') return links.page('', entry.route) === undefined ? [] : [entry];
    const { root, ...rest } = entry;
    const inner = shownEntries(entry.entries, links);
    const hasRoot = root !== undefined && links.page('', root) !== undefined;
    if (!hasRoot && inner.length === 0) return [];
    return [{ ...rest, ...(hasRoot ? { root } : {}), entries: inner }];
  });
}

function countEntries(entries: readonly NavEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + 1 + (entry.kind === 'group' ? countEntries(entry.entries) : 0),
    0,
  );
}

/** The parts of an entry as seen from one folder, without any mark of the current page. */
class EntryHtml {
  readonly #prefix: string;
  readonly options: SidebarOptions;

  constructor(prefix: string, options: SidebarOptions) {
    this.#prefix = prefix;
    this.options = options;
  }

  link(entry: LinkEntry): string {
    const { links } = this.options;
    const href = links.address(this.#prefix, entry.href);
    if (href === undefined) return '';
    const outside = /^https?:/i.test(href) ? interfaceIcon('arrow-up-right') : '';
    const label = `<span>${inlineCode(entry.label)}</span>`;
    return `<li>${element('a', { href }, links.icon(this.#prefix, entry.icon) + label + outside)}</li>`;
  }

  /** In two parts, between which the mark of the current page belongs. */
  page(route: string): [string, string] {
    const { infoOf, links } = this.options;
    const info = infoOf(route);
    const outside = info.url === undefined ? undefined : (links.address(this.#prefix, info.url) ?? info.url);
    const href = outside ?? links.page(this.#prefix, route);
    const classes = info.deprecated ? 'nav-deprecated' : undefined;
    const arrow = outside !== undefined && /^https?:/i.test(outside) ? interfaceIcon('arrow-up-right') : '';
    const label = `<span>${inlineCode(info.title)}</span>${tagHtml(info.tag)}${arrow}`;
    const icon = methodMark(info.method) || links.icon(this.#prefix, info.icon);
    return [`<li><a${attributes({ href, class: classes })}`, `>${icon}${label}</a></li>`];
  }

  /** The name of a group; a link when the group has a page of its own or groups lead to their first page. */
  label(group: GroupEntry, alwaysLink = false): [string, string] {
    const { links, drilldown } = this.options;
    const text = `${links.icon(this.#prefix, group.icon)}<span>${inlineCode(group.label)}</span>${tagHtml(group.tag)}`;
    const target = group.root ?? (drilldown || alwaysLink ? firstRouteOf(group.entries) : undefined);
    const href = target === undefined ? undefined : links.page(this.#prefix, target);
    if (href === undefined) return ['<span class="nav-label"', `>${text}</span>`];
    return [`<a class="nav-label"${attributes({ href })}`, `>${text}</a>`];
  }
}

function tagHtml(tag: string | undefined): string {
  return tag ? element('span', { class: 'nav-tag' }, escapeText(tag)) : '';
}

const shortMethods = new Map([
  ['DELETE', 'DEL'],
  ['OPTIONS', 'OPT'],
  ['WEBHOOK', 'HOOK'],
]);

/** Short enough that names stay aligned. */
function methodMark(method: string | undefined): string {
  if (!method) return '';
  const short = shortMethods.get(method) ?? method;
  return element('span', { class: `method nav-method method-${method.toLowerCase()}` }, escapeText(short));
}

function isLink([start]: [string, string]): boolean {
  return start.startsWith('<a');
}

/** A name that is a link cannot be the button that opens its group as well; the button stands beside it. */
function summaryBeside(group: GroupEntry): string {
  return `<summary${attributes({ 'aria-label': group.label })}></summary>`;
}

const currentMark = ' aria-current="page"';

class WholeSidebar implements Sidebar {
  readonly #pieces: string[] = [];
  /** For each page: the pieces that mark it, and the pieces that open the groups around it. */
  readonly #marks = new Map<string, { active: number[]; open: number[] }>();
  readonly #html: EntryHtml;

  constructor(entries: readonly NavEntry[], prefix: string, options: SidebarOptions) {
    this.#html = new EntryHtml(prefix, options);
    this.#list(entries, [], true);
  }

  htmlFor(route: string): string {
    const mark = this.#marks.get(route);
    if (!mark) return this.#pieces.join('');
    const pieces = [...this.#pieces];
    for (const at of mark.active) pieces[at] = currentMark;
    for (const at of mark.open) pieces[at] = ' open';
    return pieces.join('');
  }

  #list(entries: readonly NavEntry[], open: number[], top: boolean): void {
    let inList = false;
    const setList = (wanted: boolean): void => {
      if (wanted !== inList) this.#pieces.push(wanted ? '<ul>' : '</ul>');
      inList = wanted;
    };
    for (const entry of entries) {
      const isSection = top && entry.kind === 'group';
      setList(!isSection);
      if (isSection) this.#section(entry, open);
      else if (entry.kind === 'group') this.#nestedGroup(entry, open);
      else if (entry.kind === 'page') this.#marked(this.#html.page(entry.route), entry.route, open);
      else this.#pieces.push(this.#html.link(entry));
    }
    setList(false);
  }

  #marked([before, after]: [string, string], route: string | undefined, open: number[]): void {
    this.#pieces.push(before);
    const at = this.#pieces.push('') - 1;
    this.#pieces.push(after);
    if (route === undefined) return;
    const mark = this.#marks.get(route) ?? { active: [], open: [] };
    mark.active.push(at);
    mark.open.push(...open);
    this.#marks.set(route, mark);
  }

  /** A group of the first level is a titled section and always open. */
  #section(group: GroupEntry, open: number[]): void {
    this.#pieces.push('<section class="nav-group">');
    if (group.label) {
      this.#pieces.push('<h2>');
      this.#marked(this.#html.label(group), group.root, open);
      this.#pieces.push('</h2>');
    }
    this.#list(group.entries, open, false);
    this.#pieces.push('</section>');
  }

  #nestedGroup(group: GroupEntry, open: number[]): void {
    if (group.entries.length === 0 && group.root !== undefined) {
      this.#marked(this.#html.page(group.root), group.root, open);
      return;
    }
    const label = this.#html.label(group);
    const expanded = group.expanded ? ' open' : '';
    let own: number[];
    if (isLink(label)) {
      this.#pieces.push('<li class="nav-linked">');
      /** The piece that opens the group follows the three of its name and the start of its element. */
      own = [...open, this.#pieces.length + 4];
      this.#marked(label, group.root, own);
      this.#pieces.push('<details', expanded, `>${summaryBeside(group)}`);
    } else {
      this.#pieces.push('<li><details');
      own = [...open, this.#pieces.push(expanded) - 1];
      this.#pieces.push(`><summary>${label.join('')}</summary>`);
    }
    this.#list(group.entries, own, false);
    this.#pieces.push('</details></li>');
  }
}

class LargeSidebar implements Sidebar {
  readonly #entries: readonly NavEntry[];
  readonly #html: EntryHtml;
  /** Where each page stands, as positions from the outside in; a group's own page ends at the group. */
  readonly #paths = new Map<string, number[]>();
  readonly #plain = new Map<NavEntry, string>();

  constructor(entries: readonly NavEntry[], prefix: string, options: SidebarOptions) {
    this.#entries = entries;
    this.#html = new EntryHtml(prefix, options);
    this.#index(entries, []);
  }

  #index(entries: readonly NavEntry[], before: number[]): void {
    entries.forEach((entry, at) => {
      const route = entry.kind === 'page' ? entry.route : entry.kind === 'group' ? entry.root : undefined;
      if (route !== undefined && !this.#paths.has(route)) this.#paths.set(route, [...before, at]);
      if (entry.kind === 'group') this.#index(entry.entries, [...before, at]);
    });
  }

  htmlFor(route: string): string {
    return this.#list(this.#entries, this.#paths.get(route) ?? [], route, true);
  }

  #list(entries: readonly NavEntry[], path: readonly number[], route: string, top: boolean): string {
    const [current, ...rest] = path;
    const { from, to } = windowOf(entries.length, current ?? 0);
    const parts: string[] = [];
    let inList = false;
    const add = (html: string, asItem: boolean): void => {
      if (asItem !== inList) parts.push(asItem ? '<ul>' : '</ul>');
      inList = asItem;
      parts.push(html);
    };
    if (from > 0) add(this.#more(entries[from - 1]), true);
    for (let at = from; at < to; at++) {
      const entry = entries[at] as NavEntry;
      const isSection = top && entry.kind === 'group';
      const html = at === current ? this.#onTheWay(entry, rest, route, top) : this.#closed(entry, top);
      add(html, !isSection);
    }
    if (to < entries.length) add(this.#more(entries[to]), true);
    if (inList) parts.push('</ul>');
    return parts.join('');
  }

  #onTheWay(entry: NavEntry, rest: readonly number[], route: string, top: boolean): string {
    if (entry.kind === 'link') return this.#html.link(entry);
    if (entry.kind === 'page') return this.#html.page(entry.route).join(currentMark);
    const parts = this.#html.label(entry);
    const label = parts.join(entry.root === route ? currentMark : '');
    const inner = this.#list(entry.entries, rest, route, false);
    if (top) return `<section class="nav-group">${entry.label ? `<h2>${label}</h2>` : ''}${inner}</section>`;
    if (isLink(parts))
      return `<li class="nav-linked">${label}<details open>${summaryBeside(entry)}${inner}</details></li>`;
    return `<li><details open><summary>${label}</summary>${inner}</details></li>`;
  }

  /** A group that does not lead to the page is one link, to its first page. */
  #closed(entry: NavEntry, top: boolean): string {
    const known = this.#plain.get(entry);
    if (known !== undefined) return known;
    const html = this.#closedHtml(entry, top);
    this.#plain.set(entry, html);
    return html;
  }

  #closedHtml(entry: NavEntry, top: boolean): string {
    if (entry.kind === 'link') return this.#html.link(entry);
    if (entry.kind === 'page') return this.#html.page(entry.route).join('');
    const label = this.#html.label(entry, true).join('');
    return top
      ? `<section class="nav-group nav-closed"><h2>${label}</h2></section>`
      : `<li class="nav-closed">${label}</li>`;
  }

  #more(entry: NavEntry | undefined): string {
    if (!entry || entry.kind === 'link') return '';
    const route = entry.kind === 'page' ? entry.route : (entry.root ?? firstRouteOf(entry.entries));
    if (route === undefined) return '';
    const [start] = this.#html.page(route);
    return `${start.replace('<li>', '<li class="nav-rest">')}>${escapeText(this.#html.options.more)} …</a></li>`;
  }
}

function windowOf(length: number, current: number): { from: number; to: number } {
  if (length <= longList) return { from: 0, to: length };
  const from = Math.min(Math.max(0, current - shownAround), length - 2 * shownAround);
  return { from, to: from + 2 * shownAround };
}
