/**
 * The sidebar of a large branch as a page shows it: the way to the page and what stands beside that way, so that output
 * grows with the site and not its square. With units, groups and lists tell what a script asks for to go on.
 */
import { attributes, escapeText } from '../html.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import { EntryHtml, type SidebarOptions, currentMark, isLink, summaryBeside } from './sidebar-entry.ts';
import type { SidebarUnit, SidebarUnits } from './sidebar-units.ts';

/** A list with more entries than this shows only those near the page. */
const longList = 50;
const shownAround = 20;
/** Pages come about in order, and each shows what is near it: more is not needed again soon. */
const mostKept = 2000;

/** Where each page stands, as positions from the outside in; a group's own page ends at the group. */
export type EntryPaths = ReadonlyMap<string, readonly number[]>;

/** What is the same for the pages of every folder: of 50,000 pages the paths alone are 12 MB. */
export interface SidebarTree {
  entries: readonly NavEntry[];
  paths: EntryPaths;
  units?: SidebarUnits | undefined;
}

export function pathsOf(entries: readonly NavEntry[]): EntryPaths {
  const paths = new Map<string, readonly number[]>();
  const visit = (inner: readonly NavEntry[], before: readonly number[]): void =>
    inner.forEach((entry, at) => {
      const route = entry.kind === 'page' ? entry.route : entry.kind === 'group' ? entry.root : undefined;
      if (route !== undefined && !paths.has(route)) paths.set(route, [...before, at]);
      if (entry.kind === 'group') visit(entry.entries, [...before, at]);
    });
  visit(entries, []);
  return paths;
}

export class LargeSidebar {
  readonly #entries: readonly NavEntry[];
  readonly #html: EntryHtml;
  readonly #units: SidebarUnits | undefined;
  readonly #paths: EntryPaths;
  readonly #closedEntries = new Map<NavEntry, string>();

  constructor(tree: SidebarTree, prefix: string, options: SidebarOptions) {
    this.#entries = tree.entries;
    this.#paths = tree.paths;
    this.#units = tree.units;
    this.#html = new EntryHtml(prefix, options);
  }

  htmlFor(route: string): string {
    return this.#list(this.#entries, this.#paths.get(route) ?? [], route, true);
  }

  /** A piece for each entry, and one at either end where the list goes on. */
  pieces({ list, from, to, isTop }: SidebarUnit): string[] {
    const pieces = list.slice(from, to).map((entry) => this.#closed(entry, isTop));
    if (from > 0) pieces.unshift(this.#rest(list, from - 1, 'before'));
    if (to < list.length) pieces.push(this.#rest(list, to, 'after'));
    return pieces;
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
    if (from > 0) add(this.#rest(entries, from - 1, 'before'), true);
    for (let at = from; at < to; at++) {
      const entry = entries[at] as NavEntry;
      const isSection = top && entry.kind === 'group';
      const html = at === current ? this.#onTheWay(entry, rest, route, top) : this.#closed(entry, top);
      add(html, !isSection);
    }
    if (to < entries.length) add(this.#rest(entries, to, 'after'), true);
    if (inList) parts.push('</ul>');
    return parts.join('');
  }

  #onTheWay(entry: NavEntry, rest: readonly number[], route: string, top: boolean): string {
    if (entry.kind === 'link') return this.#html.link(entry).join('');
    if (entry.kind === 'page') return this.#html.page(entry.route).join(currentMark);
    const parts = this.#html.label(entry);
    const label = parts.join(entry.root === route ? currentMark : '');
    const inner = this.#list(entry.entries, rest, route, false);
    if (top) return `<section class="nav-group">${entry.label ? `<h2>${label}</h2>` : ''}${inner}</section>`;
    if (isLink(parts))
      return `<li class="nav-linked">${label}<details open>${summaryBeside(entry)}${inner}</details></li>`;
    return `<li><details open><summary>${label}</summary>${inner}</details></li>`;
  }

  #closed(entry: NavEntry, top: boolean): string {
    const known = this.#closedEntries.get(entry);
    if (known !== undefined) return known;
    const html = this.#closedHtml(entry, top);
    if (this.#closedEntries.size >= mostKept) this.#closedEntries.clear();
    this.#closedEntries.set(entry, html);
    return html;
  }

  #closedHtml(entry: NavEntry, top: boolean): string {
    if (entry.kind === 'link') return this.#html.link(entry).join('');
    if (entry.kind === 'page') return this.#html.page(entry.route).join('');
    if (!top && entry.entries.length === 0 && entry.root !== undefined)
      return this.#html.page(entry.root).join('');
    return this.#closedGroup(entry, top);
  }

  /** A group that does not lead to the page is one link, to its first page, until a script makes it one that opens. */
  #closedGroup(group: GroupEntry, top: boolean): string {
    const classes = [top && 'nav-group', 'nav-closed'];
    let asked = '';
    if (this.#units && group.entries.length > 0) {
      if (isLink(this.#html.label(group))) classes.push('nav-linked');
      if (group.expanded) classes.push('nav-expanded');
      asked = attributes({ 'data-nav': this.#units.whole(group.entries) });
    }
    const start = ` class="${classes.filter(Boolean).join(' ')}"${asked}>`;
    const label = this.#html.label(group, true).join('');
    return top ? `<section${start}<h2>${label}</h2></section>` : `<li${start}${label}</li>`;
  }

  /** Leads to the entry that would come next at the end of what is shown. */
  #rest(list: readonly NavEntry[], at: number, side: 'before' | 'after'): string {
    const link = this.#linkTo(list[at] as NavEntry);
    if (link === '') return '';
    const asked = attributes({ 'data-nav': this.#units?.[side](list, at) });
    return `${link.replace('<li>', `<li class="nav-rest"${asked}>`)}>${escapeText(this.#html.options.more)} …</a></li>`;
  }

  #linkTo(entry: NavEntry): string {
    if (entry.kind === 'link') return this.#html.link(entry)[0];
    const route = entry.kind === 'page' ? entry.route : (entry.root ?? firstRouteOf(entry.entries));
    return route === undefined ? '' : this.#html.page(route)[0];
  }
}

function windowOf(length: number, current: number): { from: number; to: number } {
  if (length <= longList) return { from: 0, to: length };
  const from = Math.min(Math.max(0, current - shownAround), length - 2 * shownAround);
  return { from, to: from + 2 * shownAround };
}
