/** Links from a page to its source: edit it, report a problem with it. */
import type { SiteSettings } from '../config/settings.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { ForgeLinks } from '../model/source-facts.ts';
import { element, escapeText } from '../text/html.ts';
import type { Words } from '../words/words.ts';

export function pageLinks(
  { feedback }: Pick<SiteSettings, 'feedback'>,
  links: ForgeLinks | undefined,
  { file }: Pick<PageMeta, 'file'>,
  words: Words,
): string {
  // The API description of a generated page may be on another host.
  if (links === undefined || /^https?:/i.test(file)) return '';
  const path = file.split('/').map(encodeURIComponent).join('/');
  return (
    (feedback.suggestEdit ? link(links.edit + path, interfaceIcon('pencil'), words.editPage) : '') +
    (feedback.raiseIssue && links.newIssue !== undefined
      ? link(links.newIssue + encodeURIComponent(file), interfaceIcon('flag'), words.raiseIssue)
      : '')
  );
}

function link(href: string, icon: string, label: string): string {
  return element('a', { href }, icon + escapeText(label));
}
