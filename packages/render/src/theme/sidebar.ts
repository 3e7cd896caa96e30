/**
 * The sidebar of a branch. A small one is part of every page. Pages of a large branch show their surroundings
 * only; shared scripts load the rest, at once or in parts.
 */
import type { MarkedText, SharedText } from '../text/encoded-text.ts';
import type { Branch, NavEntry } from '../navigation/tree.ts';
import { LargeSidebar, type SidebarTree, pathsOf } from './large-sidebar.ts';
import type { SidebarOptions } from './sidebar-entry.ts';
import { SidebarUnits } from './sidebar-units.ts';
import type { SiteLinks } from './site-links.ts';
import { WholeSidebar } from './whole-sidebar.ts';

export interface Sidebar {
  from(prefix: string): PageSidebar;
  files(): { path: string; content: string }[];
}

export interface PageSidebar {
  textFor(route: string): SharedText | MarkedText;
}

/** In entries. */
const largeBranch = 150;
/** In characters. */
const largeHtml = 20_000;
/** In characters: larger sidebars are loaded in parts. */
const atOnceHtml = 32_000;
/** A lower bound, in characters. */
const entryHtml = 40;
/** The prefix of most pages, used to measure the sidebar. */
const usualPrefix = '../';
/** Minimum characters per part; more when the number of parts would be too large. */
const partHtml = 30_000;
const partsAtMost = 64;

export function createSidebar(
  { id, entries }: Pick<Branch, 'id' | 'entries'>,
  options: SidebarOptions,
): Sidebar {
  const shown = shownEntries(entries, options.links);
  const count = countEntries(shown);
  const script = `_docyard/nav/${id}`;
  if (count * entryHtml > atOnceHtml) return inParts(shown, script, options);
  const whole = new WholeSidebar(shown, usualPrefix, options);
  const { length } = whole.textFor('').text;
  if (length > atOnceHtml) return inParts(shown, script, options);
  if (count > largeBranch || length > largeHtml) return atOnce(shown, script, options);
  return {
    from: (prefix) => (prefix === usualPrefix ? whole : new WholeSidebar(shown, prefix, options)),
    files: () => [],
  };
}

export function wholeSidebarHtml(
  { entries }: Pick<Branch, 'entries'>,
  prefix: string,
  options: SidebarOptions,
): string {
  return new WholeSidebar(shownEntries(entries, options.links), prefix, options).textFor('').text;
}

/** `~/` stands for the site root. */
function atOnce(entries: readonly NavEntry[], script: string, options: SidebarOptions): Sidebar {
  const tree: SidebarTree = { entries, paths: pathsOf(entries) };
  return {
    from(prefix) {
      return new LargeSidebar(tree, prefix, options, inTree('data-nav', `${prefix}${script}.js`));
    },
    files() {
      const html = new WholeSidebar(entries, '~/', options).textFor('').text;
      return [{ path: `${script}.js`, content: `docyard.fillNavigation(${JSON.stringify(html)});\n` }];
    },
  };
}

/** A page carries the path of the parts, the navigation's fingerprint, and the first unit of each part. */
function inParts(entries: readonly NavEntry[], script: string, options: SidebarOptions): Sidebar {
  const units = new SidebarUnits(entries);
  const tree = { entries, paths: pathsOf(entries), units };
  const texts = unitTexts(tree, options);
  const starts = partStarts(texts);
  const facts = `${units.fingerprint} ${starts.join(' ')}`;
  return {
    from(prefix) {
      return new LargeSidebar(tree, prefix, options, inTree('data-nav-parts', `${prefix}${script} ${facts}`));
    },
    files: () =>
      starts.map((start, part) => ({
        path: `${script}-${part}.js`,
        content: `docyard.takeNavigation("${units.fingerprint}",${start},[${texts.slice(start, starts[part + 1]).join(',\n')}]);\n`,
      })),
  };
}

/** A separate function, so that the closure does not keep the sidebar alive. */
function unitTexts(tree: SidebarTree & { units: SidebarUnits }, options: SidebarOptions): string[] {
  const source = new LargeSidebar(tree, '~/', options);
  return tree.units.units.map((unit) => JSON.stringify(source.pieces(unit)));
}

function inTree(attribute: string, value: string): [string, string] {
  return [`<div class="dy-nav-tree" ${attribute}="${value}">`, '</div>'];
}

function partStarts(texts: readonly string[]): number[] {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const least = Math.max(partHtml, total / partsAtMost);
  const starts: number[] = [];
  let length = least;
  texts.forEach((text, unit) => {
    if (length >= least) {
      starts.push(unit);
      length = 0;
    }
    length += text.length;
  });
  return starts;
}

/** In a partial output, groups without pages are omitted. */
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
