/**
 * The sidebar of a large branch as a page shows it: the way to the page and what stands beside that way, so that output
 * grows with the site and not its square. With units, groups and lists tell what a script asks for to go on.
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

/** A list with more entries than this shows only those near the page. */
const longList = 50;
const shownAround = 20;
/** Pages come about in order, and each shows what is near it: more is not needed again soon. */
const mostKept = 2000;

/** Lists whose surroundings are kept, for the same reason. */
const mostAround = 50;

/** Where each page stands, as positions from the outside in; a group's own page ends at the group. */
export type EntryPaths = ReadonlyMap<string, readonly number[]>;

/** What is the same for the pages of every folder: of 50,000 pages the paths alone are 6 MB. */
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
      // Spread, each would have room for 17.
      const path = before.concat(at);
      if (route !== undefined && !paths.has(route)) paths.set(route, path);
      if (entry.kind === 'group') visit(entry.entries, path);
    });
  visit(entries, []);
  return paths;
}

/** Where marks of pages belong, by the position of the page in its list: at its link, and before at its entry if it has one. */
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

  /** Pages of one list have the same around them, unless it is so long that each shows another part of it. */
  #around(path: readonly number[]): Around {
    const key = this.#keyOf(path);
    const known = this.#known.get(key);
    if (known) return known;
    const { html, marks } = this.#list(this.#entries, path, 'top');
    const [before, after] = this.#wrapping;
    const shared = new SharedText(before + html + after);
    const around = { shared, marks: inBytes(shared.text, before.length, marks) };
    if (this.#known.size >= mostAround) this.#known.clear();
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

  /** A piece for each entry, and one at either end where the list goes on. */
  pieces({ list, from, to, isTop }: SidebarUnit): string[] {
    const pieces = list.slice(from, to).map((entry) => this.#closed(entry, isTop));
    if (from > 0) pieces.unshift(this.#rest(list, from - 1, 'before'));
    if (to < list.length) pieces.push(this.#rest(list, to, 'after'));
    return pieces;
  }

  /** With the groups open that the path leads through, and no page marked. */
  #list(entries: readonly NavEntry[], path: readonly number[], level: Level): MarkedHtml {
    const top = level === 'top';
    const start = level === 'section' ? `${sectionParts.list}${activeMark}>` : '<ul>';
    const [current, ...rest] = path;
    const { from, to } = windowOf(entries.length, current ?? 0);
    const marks = new Map<number, readonly number[]>();
    let html = '';
    let inList = false;
    const setList = (wanted: boolean): void => {
      if (wanted !== inList) html += wanted ? start : '</ul>';
      inList = wanted;
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

  /** What stands before the list of an open group, where its own page is marked in that, and what stands behind. */
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
    const classes = [top && 'dy-nav-group', 'dy-nav-closed'];
    let asked = '';
    if (this.#units && group.entries.length > 0) {
      if (isLink(this.#html.label(group, top))) classes.push('dy-nav-linked');
      if (group.expanded) classes.push('dy-nav-expanded');
      asked = attributes({ 'data-nav': this.#units.whole(group.entries) });
    }
    const start = ` class="${classes.filter(Boolean).join(' ')}"${asked}>`;
    const label = this.#html.label(group, top, true).join('');
    return top ? `<section${start}${sectionParts.header}${label}</h2></section>` : `<li${start}${label}</li>`;
  }

  /** Leads to the entry that would come next at the end of what is shown. */
  #rest(list: readonly NavEntry[], at: number, side: 'before' | 'after'): string {
    const link = this.#linkTo(list[at] as NavEntry);
    if (link === '') return '';
    const asked = attributes({ 'data-nav': this.#units?.[side](list, at) });
    return `${link.replace('<li>', `<li class="dy-nav-rest"${asked}>`)}>${escapeText(this.#html.options.more)} …</a></li>`;
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
