/**
 * The navigation of a branch as a script that guest pages load before they paint. `~/` stands for the site
 * root.
 */
import type { SiteSettings } from '../config/settings.ts';
import { type PagePlace, placesIn } from '../navigation/branches.ts';
import type { Branch } from '../navigation/tree.ts';
import type { BranchPages } from './branch-pages.ts';
import type { PlaceParts } from './place-parts.ts';
import { eyebrowHtml, neighbourHtml, paginationStart } from './shell.ts';
import type { SiteLinks } from './site-links.ts';
import { inlineCode } from './titles.ts';
import { type Words, isRightToLeft } from '../words/words.ts';

export const rootMark = '~/';

export function branchScriptPath({ name }: Branch): string {
  return `_docyard/nav/branch-${name}.js`;
}

export interface BranchScriptParts {
  header: string;
  sidebar: string;
  footer: string;
  language: string | undefined;
  words: Words;
  settings: Pick<SiteSettings, 'breadcrumbs'>;
  links: SiteLinks;
  branches: BranchPages;
  places: PlaceParts;
}

/** `isAlone`: the page shows no pagination. */
type PageRow = [route: string, href: string, title: string, trail: number, isAlone?: 1];

export function branchScript(branch: Branch, parts: BranchScriptParts): string {
  const { header, sidebar, footer, language, words, settings, links, branches, places } = parts;
  const pages: PageRow[] = [];
  const trails: string[] = [];
  const directories: Record<string, string> = {};
  const trailOf = (place: PagePlace): number => {
    const html = eyebrowHtml(places.eyebrow(place, links, rootMark), settings, words);
    const known = trails.indexOf(html);
    return known >= 0 ? known : trails.push(html) - 1;
  };
  for (const [route, place] of placesIn(branch)) {
    const neighbour = places.asNeighbour(route, links, rootMark);
    if (!neighbour) continue;
    const isGuest = branches.isGuest(route, branch);
    const row: PageRow = [route, neighbour.href, inlineCode(neighbour.title), isGuest ? trailOf(place) : -1];
    if (places.hidesNeighbours(route)) row.push(1);
    pages.push(row);
    const directory = isGuest ? places.directory(place, links, rootMark) : '';
    if (directory !== '') directories[route] = directory;
  }
  const pagination = [
    paginationStart(words, ' id="pagination"'),
    neighbourHtml({ href: '~href~', titleHtml: '~title~' }, words.previous, 'prev'),
    neighbourHtml({ href: '~href~', titleHtml: '~title~' }, words.next, 'next'),
  ];
  const direction = language === undefined ? undefined : isRightToLeft(language) ? 'rtl' : 'ltr';
  const data = { language, direction, header, sidebar, footer, pages, trails, pagination, directories };
  return `docyardNavigation.branch = ${JSON.stringify(data)};\n`;
}
