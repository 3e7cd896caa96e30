/**
 * The sidebar of a branch of the navigation. It is rendered once for each branch and depth of folder, as pieces; a page
 * fills in its own mark and opens its own groups, so that the cost per page does not grow with the site.
 */
import { interfaceIcon } from '../icons/interface.ts';
import { attributes, element, escapeText } from '../html.ts';
import type { Branch, GroupEntry, NavEntry } from '../navigation/tree.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './text.ts';

export interface EntryInfo {
  title: string;
  icon?: string | undefined;
  tag?: string | undefined;
  /** An outside address that the entry leads to instead of the page. */
  url?: string | undefined;
}

export interface SidebarOptions {
  links: SiteLinks;
  infoOf: (route: string) => EntryInfo;
}

/** In a branch with more entries than this, groups that do not lead to the page show only their name. */
const largeBranch = 300;

export class SidebarTemplate {
  readonly #pieces: string[] = [];
  /** For each page: the pieces that mark it, and the groups around it. */
  readonly #marks = new Map<string, { active: number[]; groups: number[] }>();
  readonly #groups: { open: number; from: number; to: number }[] = [];
  readonly #isLarge: boolean;

  constructor(branch: Branch, prefix: string, options: SidebarOptions) {
    this.#isLarge = countEntries(branch.entries) > largeBranch;
    this.#list(branch.entries, prefix, options, [], true);
  }

  htmlFor(route: string): string {
    const pieces = [...this.#pieces];
    const mark = this.#marks.get(route);
    const open = new Set(mark?.groups);
    for (const at of mark?.active ?? []) pieces[at] = ' aria-current="page"';
    this.#groups.forEach((group, index) => {
      if (open.has(index)) pieces[group.open] = ' open';
      else if (this.#isLarge) pieces.fill('', group.from, group.to);
    });
    return pieces.join('');
  }

  #list(
    entries: readonly NavEntry[],
    prefix: string,
    options: SidebarOptions,
    groups: number[],
    top: boolean,
  ): void {
    let inLooseList = false;
    const close = (): void => {
      if (inLooseList) this.#pieces.push('</ul>');
      inLooseList = false;
    };
    for (const entry of entries) {
      if (!leadsSomewhere(entry, prefix, options.links)) continue;
      if (top && entry.kind === 'group') {
        close();
        this.#section(entry, prefix, options, groups);
        continue;
      }
      if (!inLooseList) this.#pieces.push('<ul>');
      inLooseList = true;
      if (entry.kind === 'group') this.#nestedGroup(entry, prefix, options, groups);
      else if (entry.kind === 'page') this.#page(entry.route, prefix, options, groups);
      else {
        const href = options.links.address(prefix, entry.href);
        if (href)
          this.#pieces.push(`<li>${element('a', { href }, options.links.icon(prefix, entry.icon) + escapeText(entry.label))}</li>`);
      }
    }
    close();
  }

  /** A group of the first level is a titled section and always open. */
  #section(group: GroupEntry, prefix: string, options: SidebarOptions, groups: number[]): void {
    const tag = group.tag ? element('span', { class: 'nav-tag' }, escapeText(group.tag)) : '';
    const title = group.label ? element('h2', {}, options.links.icon(prefix, group.icon) + inlineCode(group.label) + tag) : '';
    this.#pieces.push(`<section class="nav-group">${title}`);
    this.#list(withRoot(group), prefix, options, groups, false);
    this.#pieces.push('</section>');
  }

  #nestedGroup(group: GroupEntry, prefix: string, options: SidebarOptions, groups: number[]): void {
    const index = this.#groups.length;
    const inner = [...groups, index];
    const tag = group.tag ? element('span', { class: 'nav-tag' }, escapeText(group.tag)) : '';
    this.#pieces.push('<li><details');
    const open = this.#pieces.push(group.expanded && !this.#isLarge ? ' open' : '') - 1;
    const label = element('span', {}, options.links.icon(prefix, group.icon) + inlineCode(group.label) + tag);
    this.#pieces.push(`><summary>${label}${interfaceIcon('chevron-right')}</summary>`);
    const range = { open, from: this.#pieces.length, to: 0 };
    this.#groups.push(range);
    this.#list(withRoot(group), prefix, options, inner, false);
    range.to = this.#pieces.length;
    if (this.#isLarge) this.#collapsedLink(group, prefix, options);
    this.#pieces.push('</details></li>');
  }

  /** When a group's content is left out on a page, the way into it is its first page. */
  #collapsedLink(group: GroupEntry, prefix: string, options: SidebarOptions): void {
    const first = group.root ?? firstRoute(group.entries);
    const href = first === undefined ? undefined : options.links.page(prefix, first);
    if (href)
      this.#pieces.push(`<ul class="nav-more"><li>${element('a', { href }, 'Open this section')}</li></ul>`);
  }

  #page(route: string, prefix: string, { links, infoOf }: SidebarOptions, groups: number[]): void {
    const info = infoOf(route);
    const href = info.url ?? links.page(prefix, route);
    if (href === undefined) return;
    const tag = info.tag ? element('span', { class: 'nav-tag' }, escapeText(info.tag)) : '';
    this.#pieces.push(`<li><a${attributes({ href })}`);
    const active = this.#pieces.push('') - 1;
    this.#pieces.push(`>${links.icon(prefix, info.icon)}${inlineCode(info.title)}${tag}</a></li>`);
    const mark = this.#marks.get(route) ?? { active: [], groups: [] };
    mark.active.push(active);
    mark.groups.push(...groups);
    this.#marks.set(route, mark);
  }
}

/** When only some pages are part of the output, a group may have none left to show. */
function leadsSomewhere(entry: NavEntry, prefix: string, links: SiteLinks): boolean {
  if (entry.kind === 'link') return true;
  if (entry.kind === 'page') return links.page(prefix, entry.route) !== undefined;
  const root = entry.root !== undefined && links.page(prefix, entry.root) !== undefined;
  return root || entry.entries.some((inner) => leadsSomewhere(inner, prefix, links));
}

/** The page that stands for a group is listed first in it. */
function withRoot(group: GroupEntry): NavEntry[] {
  return group.root === undefined ? group.entries : [{ kind: 'page', route: group.root }, ...group.entries];
}

function countEntries(entries: readonly NavEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + 1 + (entry.kind === 'group' ? countEntries(entry.entries) : 0),
    0,
  );
}

function firstRoute(entries: readonly NavEntry[]): string | undefined {
  for (const entry of entries) {
    if (entry.kind === 'page') return entry.route;
    const inner = entry.kind === 'group' ? (entry.root ?? firstRoute(entry.entries)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
