/** The HTML of single entries of the navigation, as seen from one folder and without any mark of the current page. */
import { attributes, element, escapeText } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { GroupEntry, LinkEntry } from '../navigation/tree.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './text.ts';
import { hooked, hookedIcon } from '../model/style-hooks.ts';

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

export class EntryHtml {
  readonly #prefix: string;
  readonly options: SidebarOptions;

  constructor(prefix: string, options: SidebarOptions) {
    this.#prefix = prefix;
    this.options = options;
  }

  /** In two parts, as pages are. */
  link(entry: LinkEntry): [string, string] {
    const { links } = this.options;
    const href = links.address(this.#prefix, entry.href);
    if (href === undefined) return ['', ''];
    const outside = /^https?:/i.test(href) ? interfaceIcon('arrow-up-right') : '';
    const label = `<span>${inlineCode(entry.label)}</span>`;
    return [
      `<li><a${attributes({ href })}`,
      `>${links.icon(this.#prefix, entry.icon)}${label}${outside}</a></li>`,
    ];
  }

  /** In two parts, between which the mark of the current page belongs. */
  page(route: string): [string, string] {
    const { infoOf, links } = this.options;
    const info = infoOf(route);
    const outside = info.url === undefined ? undefined : (links.address(this.#prefix, info.url) ?? info.url);
    const href = outside ?? links.page(this.#prefix, route);
    const classes = info.deprecated ? 'dy-nav-deprecated' : undefined;
    const arrow = outside !== undefined && /^https?:/i.test(outside) ? interfaceIcon('arrow-up-right') : '';
    const label = `<span>${inlineCode(info.title)}</span>${tagHtml(info.tag)}${arrow}`;
    const icon = methodMark(info.method) || links.icon(this.#prefix, info.icon);
    return [`<li><a${attributes({ href, class: classes })}`, `>${icon}${label}</a></li>`];
  }

  /** The name of a group; a link when the group has a page of its own or groups lead to their first page. */
  label(group: GroupEntry, isTop: boolean, alwaysLink = false): [string, string] {
    const { links, drilldown, more } = this.options;
    const name = inlineCode(group.label) || (alwaysLink ? `${escapeText(more)} …` : '');
    const icon = hookedIcon(links.icon(this.#prefix, group.icon), 'sidebar-group-icon');
    const text = `${icon}<span>${name}</span>${tagHtml(group.tag)}`;
    const target = group.root ?? (drilldown || alwaysLink ? firstRouteOf(group.entries) : undefined);
    const href = target === undefined ? undefined : links.page(this.#prefix, target);
    const classes = isTop ? hooked('dy-nav-label', 'sidebar-title') : 'dy-nav-label';
    if (href === undefined) return [`<span class="${classes}"`, `>${text}</span>`];
    return [`<a class="${classes}"${attributes({ href })}`, `>${text}</a>`];
  }
}

const tagClass = hooked('dy-nav-tag', 'nav-tag-pill', 'nav-tag-pill-text');

/** A label beside a name of the navigation. */
export function tagHtml(tag: string | undefined): string {
  return tag ? element('span', { class: tagClass }, escapeText(tag)) : '';
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
  return element(
    'span',
    { class: `${hooked('dy-method dy-nav-method', 'method-nav-pill')} dy-method-${method.toLowerCase()}` },
    escapeText(short),
  );
}

export function isLink([start]: [string, string]): boolean {
  return start.startsWith('<a');
}

/** A name that is a link cannot be the button that opens its group as well; the button stands beside it. */
export function summaryBeside(group: GroupEntry): string {
  return `<summary${attributes({ 'aria-label': group.label })}></summary>`;
}

/** What stands before and after the entries of a section. */
export const sectionParts = {
  header: `<h2 class="${hooked('', 'sidebar-group-header')}">`,
  list: `<ul class="${hooked('', 'sidebar-group')}"`,
};

/** Marks of the current page: on its link, on the entry that holds the link, and on the list of its section. */
export const currentMark = ' aria-current="page"';
export const activeMark = ' data-active="true"';

/** The start of an entry, behind which it can be marked. */
export const entryStart = '<li';
