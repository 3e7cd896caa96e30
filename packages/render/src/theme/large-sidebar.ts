/**
 * The sidebar of a large branch: the path to the page and its surroundings, so that the output grows linearly
 * with the site. With units, groups and lists carry what a script needs to load more.
 */
import { MarkedText, SharedText } from '../text/encoded-text.ts';
import { attributes, escapeText } from '../text/html.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import {
  EntryHtml,
  type SidebarOptions,
  activeMark,
  currentMark,
  entryStart,
  isLink,
  sectionParts,
  summaryBeside,
} from './sidebar-entry.ts';
import type { SidebarUnit, SidebarUnits } from './sidebar-units.ts';

/** A longer list shows only the entries near the page. */
const longList = 50;
const shownAround = 20;
/** Pages arrive roughly in order, so a small cache suffices. */
const maxKept = 2000;

const maxAround = 50;

/** Indexes from the root; the path of a group's root page ends at the group. */
export type EntryPaths = ReadonlyMap<string, readonly number[]>;

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
      // `concat` allocates exactly; a spread array over-allocates.
      const path = before.concat(at);
      if (route !== undefined && !paths.has(route)) paths.set(route, path);
      if (entry.kind === 'group') visit(entry.entries, path);
    });
  visit(entries, []);
  return paths;
}

/**
 * Positions of the current-page marks by index of the page in its list: at its link and, if it has one, at its
 * entry.
 */
type Marks = ReadonlyMap<number, readonly number[]>;

type Level = 'top' | 'section' | 'nested';

interface MarkedHtml {
  html: string;
  /** In characters. */
  marks: Marks;
}

interface Around {
  shared: SharedText;
  /** In bytes. */
  marks: Marks;
}

export class LargeSidebar {
  readonly #entries: readonly NavEntry[];
  readonly #html: EntryHtml;
  readonly #units: SidebarUnits | undefined;
  readonly #paths: EntryPaths;
  readonly #closedEntries = new Map<NavEntry, string>();
  readonly #known = new Map<string, Around>();
  readonly #wrapping: readonly [string, string];

  constructor(
    tree: SidebarTree,
    prefix: string,
    options: SidebarOptions,
    wrapping: readonly [string, string] = ['', ''],
  ) {
    this.#wrapping = wrapping;
    this.#entries = tree.entries;
    this.#paths = tree.paths;
    this.#units = tree.units;
    this.#html = new EntryHtml(prefix, options);
  }

  textFor(route: string): SharedText | MarkedText {
    const path = this.#paths.get(route) ?? [];
    const { shared, marks } = this.#around(path);
    const places = marks.get(path.at(-1) ?? -1);
    if (places === undefined) return shared;
    const last = places.length - 1;
    return new MarkedText(
      shared,
      places.map((at, index) => ({ at, text: index === last ? currentMark : activeMark })),
    );
  }

  /** Pages of a list share their surroundings, unless the list is too long to show completely. */
  #around(path: readonly number[]): Around {
    const key = this.#keyOf(path);
    const known = this.#known.get(key);
    if (known) return known;
    const { html, marks } = this.#list(this.#entries, path, 'top');
    const [before, after] = this.#wrapping;
    const shared = new SharedText(before + html + after);
    const around = { shared, marks: inBytes(shared.text, before.length, marks) };
    if (this.#known.size >= maxAround) this.#known.clear();
    this.#known.set(key, around);
    return around;
  }

  #keyOf(path: readonly number[]): string {
    let entries = this.#entries;
    for (const [depth, at] of path.entries()) {
      const entry = entries[at];
      if (depth === path.length - 1 && entry?.kind === 'page')
        return `${path.slice(0, -1).join(' ')} from ${windowOf(entries.length, at).from}`;
      entries = entry?.kind === 'group' ? entry.entries : [];
    }
    return `${path.join(' ')} itself`;
  }

  /** One piece per entry, and one at each end where the list continues. */
  pieces({ list, from, to, isTop }: SidebarUnit): string[] {
    const pieces = list.slice(from, to).map((entry) => this.#closed(entry, isTop));
    if (from > 0) pieces.unshift(this.#rest(list, from - 1, 'before'));
    if (to < list.length) pieces.push(this.#rest(list, to, 'after'));
    return pieces;
  }

  /** Groups on the path are open; no page is marked. */
  #list(entries: readonly NavEntry[], path: readonly number[], level: Level): MarkedHtml {
    const top = level === 'top';
    const start = level === 'section' ? `${sectionParts.list}${activeMark}>` : '<ul>';
    const [current, ...rest] = path;
    const { from, to } = windowOf(entries.length, current ?? 0);
    const marks = new Map<number, readonly number[]>();
    let html = '';
    let inList = false;
    const setList = (isOpen: boolean): void => {
      if (isOpen !== inList) html += isOpen ? start : '</ul>';
      inList = isOpen;
    };
    if (from > 0) {
      setList(true);
      html += this.#rest(entries, from - 1, 'before');
    }
    for (let at = from; at < to; at++) {
      const entry = entries[at] as NavEntry;
      setList(!top || entry.kind !== 'group');
      if (at === current && entry.kind === 'group') {
        const { before, mark, after } = this.#opened(entry, top);
        const inner = this.#list(entry.entries, rest, top ? 'section' : 'nested');
        if (rest.length === 0 && mark !== undefined) marks.set(at, [html.length + mark]);
        if (rest.length > 0)
          for (const [place, inside] of inner.marks)
            marks.set(
              place,
              inside.map((each) => html.length + before.length + each),
            );
        html += before + inner.html + after;
      } else {
        if (rest.length === 0 && entry.kind === 'page')
          marks.set(at, [
            html.length + entryStart.length,
            html.length + this.#html.page(entry.route)[0].length,
          ]);
        html += this.#closed(entry, top);
      }
    }
    if (to < entries.length) {
      setList(true);
      html += this.#rest(entries, to, 'after');
    }
    setList(false);
    return { html, marks };
  }

  #opened(group: GroupEntry, top: boolean): { before: string; mark?: number; after: string } {
    if (top && !group.label) return { before: '<section class="dy-nav-group">', after: '</section>' };
    const label = this.#html.label(group, top);
    const [opening, behind, after] = top
      ? [`<section class="dy-nav-group">${sectionParts.header}`, '</h2>', '</section>']
      : isLink(label)
        ? ['<li class="dy-nav-linked">', `<details open>${summaryBeside(group)}`, '</details></li>']
        : ['<li><details open><summary>', '</summary>', '</details></li>'];
    return { before: opening + label.join('') + behind, mark: opening.length + label[0].length, after };
  }

  #closed(entry: NavEntry, top: boolean): string {
    const known = this.#closedEntries.get(entry);
    if (known !== undefined) return known;
    const html = this.#closedHtml(entry, top);
    if (this.#closedEntries.size >= maxKept) this.#closedEntries.clear();
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

  /** A group off the path is a link to its first page until a script makes it foldable. */
  #closedGroup(group: GroupEntry, top: boolean): string {
    const classes = [top && 'dy-nav-group', 'dy-nav-closed'];
    let unitAttribute = '';
    if (this.#units && group.entries.length > 0) {
      if (isLink(this.#html.label(group, top))) classes.push('dy-nav-linked');
      if (group.expanded) classes.push('dy-nav-expanded');
      unitAttribute = attributes({ 'data-nav': this.#units.whole(group.entries) });
    }
    const start = ` class="${classes.filter(Boolean).join(' ')}"${unitAttribute}>`;
    const label = this.#html.label(group, top, true).join('');
    return top ? `<section${start}${sectionParts.header}${label}</h2></section>` : `<li${start}${label}</li>`;
  }

  #rest(list: readonly NavEntry[], at: number, side: 'before' | 'after'): string {
    const link = this.#linkTo(list[at] as NavEntry);
    if (link === '') return '';
    const unitAttribute = attributes({ 'data-nav': this.#units?.[side](list, at) });
    return `${link.replace('<li>', `<li class="dy-nav-rest"${unitAttribute}>`)}>${escapeText(this.#html.options.more)} …</a></li>`;
  }

  #linkTo(entry: NavEntry): string {
    if (entry.kind === 'link') return this.#html.link(entry)[0];
    const route = entry.kind === 'page' ? entry.route : (entry.root ?? firstRouteOf(entry.entries));
    return route === undefined ? '' : this.#html.page(route)[0];
  }
}

function inBytes(text: string, start: number, marks: Marks): Marks {
  const isAscii = Buffer.byteLength(text) === text.length;
  const bytesAt = (at: number): number => (isAscii ? at : Buffer.byteLength(text.slice(0, at)));
  return new Map([...marks].map(([place, all]) => [place, all.map((at) => bytesAt(start + at))]));
}

function windowOf(length: number, current: number): { from: number; to: number } {
  if (length <= longList) return { from: 0, to: length };
  const from = Math.min(Math.max(0, current - shownAround), length - 2 * shownAround);
  return { from, to: from + 2 * shownAround };
}
