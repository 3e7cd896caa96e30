/**
 * The complete sidebar of a branch, built once per folder depth. A page inserts its marks and opens its groups.
 */
import { MarkedText, SharedText } from '../text/encoded-text.ts';
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

/** Text that a page inserts into a piece that is empty on other pages. */
interface PieceMark {
  piece: number;
  text: string;
}

export class WholeSidebar {
  readonly #pieces: string[] = [];
  readonly #shared: SharedText;
  readonly #starts: number[] = [];
  /** Per page: the marks of its entries and those that open its groups. */
  readonly #marks = new Map<string, PieceMark[]>();
  readonly #html: EntryHtml;

  constructor(entries: readonly NavEntry[], prefix: string, options: SidebarOptions) {
    this.#html = new EntryHtml(prefix, options);
    this.#top(entries);
    let start = 0;
    for (const piece of this.#pieces) {
      this.#starts.push(start);
      start += Buffer.byteLength(piece);
    }
    this.#shared = new SharedText(this.#pieces.join(''));
  }

  textFor(route: string): SharedText | MarkedText {
    const marks = this.#marks.get(route);
    if (!marks) return this.#shared;
    // The piece of an initially open group is already filled.
    const free = marks.filter(({ piece }) => this.#pieces[piece] === '');
    const byPiece = new Map(free.map(({ piece, text }) => [piece, text]));
    return new MarkedText(
      this.#shared,
      [...byPiece]
        .toSorted(([a], [b]) => a - b)
        .map(([piece, text]) => ({ at: this.#starts[piece] ?? 0, text })),
    );
  }

  /** At the top level, sections alternate with lists of other entries. */
  #top(entries: readonly NavEntry[]): void {
    let inList = false;
    const setList = (wanted: boolean): void => {
      if (wanted !== inList) this.#pieces.push(wanted ? '<ul>' : '</ul>');
      inList = wanted;
    };
    for (const entry of entries) {
      setList(entry.kind !== 'group');
      if (entry.kind === 'group') this.#section(entry);
      else this.#item(entry, []);
    }
    setList(false);
  }

  #item(entry: NavEntry, around: readonly PieceMark[]): void {
    if (entry.kind === 'group') this.#nestedGroup(entry, around);
    else if (entry.kind === 'page') this.#entry(this.#html.page(entry.route), entry.route, around);
    else this.#pieces.push(...this.#html.link(entry));
  }

  #entry([before, after]: [string, string], route: string, around: readonly PieceMark[]): void {
    const active = this.#place(entryStart, activeMark);
    this.#marked([before.slice(entryStart.length), after], route, [...around, active]);
  }

  #marked([before, after]: [string, string], route: string | undefined, around: readonly PieceMark[]): void {
    const current = this.#place(before, currentMark);
    this.#pieces.push(after);
    this.#note(route, [current, ...around]);
  }

  #note(route: string | undefined, added: readonly PieceMark[]): void {
    if (route !== undefined) this.#marks.set(route, [...(this.#marks.get(route) ?? []), ...added]);
  }

  #place(before: string, text: string, initial = ''): PieceMark {
    return { piece: this.#pieces.push(before, initial) - 1, text };
  }

  /** A top-level group is a titled section and always open. */
  #section(group: GroupEntry): void {
    this.#pieces.push('<section class="dy-nav-group">');
    if (group.label) {
      this.#pieces.push(sectionParts.header);
      this.#marked(this.#html.label(group, true), group.root, []);
      this.#pieces.push('</h2>');
    }
    if (group.entries.length > 0) {
      const active = this.#place(sectionParts.list, activeMark);
      this.#pieces.push('>');
      for (const entry of group.entries) this.#item(entry, [active]);
      this.#pieces.push('</ul>');
    }
    this.#pieces.push('</section>');
  }

  #nestedGroup(group: GroupEntry, around: readonly PieceMark[]): void {
    if (group.entries.length === 0 && group.root !== undefined)
      return this.#entry(this.#html.page(group.root), group.root, around);
    const label = this.#html.label(group, false);
    const expanded = group.expanded ? ' open' : '';
    let inside: PieceMark[];
    if (isLink(label)) {
      this.#pieces.push('<li class="dy-nav-linked">');
      const [before, after] = label;
      const current = this.#place(before, currentMark);
      this.#pieces.push(after);
      inside = [...around, this.#place('<details', ' open', expanded)];
      this.#note(group.root, [current, ...inside]);
      this.#pieces.push(`>${summaryBeside(group)}`);
    } else {
      this.#pieces.push('<li>');
      inside = [...around, this.#place('<details', ' open', expanded)];
      this.#pieces.push(`><summary>${label.join('')}</summary>`);
    }
    this.#pieces.push('<ul>');
    for (const entry of group.entries) this.#item(entry, inside);
    this.#pieces.push('</ul></details></li>');
  }
}
