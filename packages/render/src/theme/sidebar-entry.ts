/** The HTML of single navigation entries, relative to one folder and without current-page marks. */
import { attributes, element, escapeText } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { GroupEntry, LinkEntry } from '../navigation/tree.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './titles.ts';
import { hooked, hookedIcon } from '../model/style-hooks.ts';

export interface EntryInfo {
  title: string;
  icon?: string | undefined;
  tag?: string | undefined;
  deprecated?: boolean | undefined;
  /** Replaces the page as the target of the entry. */
  url?: string | undefined;
  method?: string | undefined;
}

export interface SidebarOptions {
  links: SiteLinks;
  infoOf: (route: string) => EntryInfo;
  drilldown: boolean;
  more: string;
}

export class EntryHtml {
  readonly #prefix: string;
  readonly options: SidebarOptions;

  constructor(prefix: string, options: SidebarOptions) {
    this.#prefix = prefix;
    this.options = options;
  }

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

  /** In two parts; the current-page mark is inserted between them. */
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

  /** A link when the group has a root page or groups open their first page. */
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

export function tagHtml(tag: string | undefined): string {
  return tag ? element('span', { class: tagClass }, escapeText(tag)) : '';
}

const shortMethods = new Map([
  ['DELETE', 'DEL'],
  ['OPTIONS', 'OPT'],
  ['WEBHOOK', 'HOOK'],
]);

/** Abbreviated so that names stay aligned. */
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

/** A label that is a link cannot also be the summary, so a separate button opens the group. */
export function summaryBeside(group: GroupEntry): string {
  return `<summary${attributes({ 'aria-label': group.label })}></summary>`;
}

export const sectionParts = {
  header: `<h2 class="${hooked('', 'sidebar-group-header')}">`,
  list: `<ul class="${hooked('', 'sidebar-group')}"`,
};

/** Current-page marks: on the link, its entry, and the list of its section. */
export const currentMark = ' aria-current="page"';
export const activeMark = ' data-active="true"';

/** The mark of an entry is inserted after it. */
export const entryStart = '<li';
