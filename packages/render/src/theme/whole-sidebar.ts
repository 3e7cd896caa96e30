/** Every entry of a branch, made once for each depth of folder; a page fills in its own mark and opens its own groups. */
import { MarkedText, SharedText } from '../encoded-text.ts';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import { EntryHtml, type SidebarOptions, currentMark, isLink, summaryBeside } from './sidebar-entry.ts';

export class WholeSidebar {
  readonly #pieces: string[] = [];
  readonly #shared: SharedText;
  /** Where each piece begins, in bytes. */
  readonly #starts: number[] = [];
  /** For each page: the pieces that mark it, and the pieces that open the groups around it. */
  readonly #marks = new Map<string, { active: number[]; open: number[] }>();
  readonly #html: EntryHtml;

  constructor(entries: readonly NavEntry[], prefix: string, options: SidebarOptions) {
    this.#html = new EntryHtml(prefix, options);
    this.#list(entries, [], true);
    let start = 0;
    for (const piece of this.#pieces) {
      this.#starts.push(start);
      start += Buffer.byteLength(piece);
    }
    this.#shared = new SharedText(this.#pieces.join(''));
  }

  textFor(route: string): SharedText | MarkedText {
    const mark = this.#marks.get(route);
    if (!mark) return this.#shared;
    // A group that stands open anyway has its piece already.
    const opened = mark.open.filter((piece) => this.#pieces[piece] === '');
    const marks = [
      ...mark.active.map((piece) => ({ piece, text: currentMark })),
      ...[...new Set(opened)].map((piece) => ({ piece, text: ' open' })),
    ].toSorted((a, b) => a.piece - b.piece);
    return new MarkedText(
      this.#shared,
      marks.map(({ piece, text }) => ({ at: this.#starts[piece] ?? 0, text })),
    );
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
      else this.#pieces.push(...this.#html.link(entry));
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
    this.#pieces.push('<section class="dy-nav-group">');
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
      this.#pieces.push('<li class="dy-nav-linked">');
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
