/** The list of a group's entries below the content of the group's root page. */
import { element, escapeAttribute, escapeText } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import { firstRouteOf } from '../navigation/branches.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './titles.ts';
import { hooked, part } from '../model/style-hooks.ts';

export interface DirectoryOptions {
  links: SiteLinks;
  prefix: string;
  infoOf: (route: string) => {
    title: string;
    description: string;
    icon?: string | undefined;
    url?: string | undefined;
  };
}

interface Item {
  href: string;
  title: string;
  description: string;
  icon: string;
  inner: Item[];
}

export function directoryHtml(group: GroupEntry, options: DirectoryOptions): string {
  const items = group.entries.flatMap((entry) => itemOf(entry, options));
  if (!group.directory || items.length === 0) return '';
  const content =
    group.directory === 'card'
      ? `<div class="${hooked('dy-cards dy-cards-2', 'directory-group')}">${items.map(cardHtml).join('')}</div>`
      : items.map(foldHtml).join('');
  return `<nav class="${hooked('dy-directory', 'directory')} dy-directory-${group.directory} dy-content" aria-label="${escapeAttribute(group.label)}">${content}</nav>\n`;
}

function itemOf(entry: NavEntry, options: DirectoryOptions): Item[] {
  const { links, prefix, infoOf } = options;
  if (entry.kind === 'link') {
    const href = links.address(prefix, entry.href);
    if (!href) return [];
    return [{ href, title: entry.label, description: '', icon: links.icon(prefix, entry.icon), inner: [] }];
  }
  const route = entry.kind === 'page' ? entry.route : (entry.root ?? firstRouteOf(entry.entries));
  const href = route === undefined ? undefined : links.page(prefix, route);
  if (route === undefined || href === undefined) return [];
  const { url, ...info } = infoOf(route);
  if (entry.kind === 'page')
    return [{ ...info, href: url ?? href, icon: links.icon(prefix, info.icon), inner: [] }];
  const description = entry.root === undefined ? '' : info.description;
  const inner = entry.entries.flatMap((child) => itemOf(child, options));
  return [
    { href, title: entry.label, description, icon: links.icon(prefix, entry.icon ?? info.icon), inner },
  ];
}

function cardHtml({ href, title, description, icon }: Item): string {
  return element(
    'a',
    { class: hooked('dy-card dy-card-link', 'card', 'directory-card'), href },
    (icon ? element('span', { class: 'dy-card-icon', ...part('card-icon') }, icon) : '') +
      element(
        'div',
        { class: 'dy-card-text', ...part('card-content-container') },
        element('p', { class: 'dy-card-title', ...part('card-title') }, inlineCode(title)) +
          (description
            ? element(
                'div',
                { class: 'dy-card-body', ...part('card-content') },
                `<p>${escapeText(description)}</p>`,
              )
            : ''),
      ),
  );
}

function foldHtml(item: Item): string {
  const link = element('a', { href: item.href }, item.icon + inlineCode(item.title));
  const note = item.description ? `<p>${escapeText(item.description)}</p>` : '';
  if (item.inner.length === 0)
    return `<div class="${hooked('dy-directory-row', 'directory-page')}">${link}${note}</div>`;
  return (
    `<details class="${hooked('dy-directory-row', 'directory-group')}" open><summary>${link}${interfaceIcon('chevron-right')}</summary>` +
    `${note}<div class="dy-directory-inner">${item.inner.map(foldHtml).join('')}</div></details>`
  );
}
