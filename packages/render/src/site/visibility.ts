/**
 * Which pages programs are told of: the visibility table of the format for `hidden`, `noindex` and pages outside of the
 * navigation, columns "sitemap" and "llms". The column "search" is in `search/pages.ts`.
 */
import type { Branch } from '../navigation/tree.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { Site } from './site.ts';

type ListingSite = Pick<Site, 'settings' | 'navigation' | 'searchRules'>;

/** The page asks search engines to leave it out. */
export function isKeptFromIndex({ settings }: Pick<ListingSite, 'settings'>, meta: PageMeta): boolean {
  if (/\bnoindex\b|\bnone\b/i.test(new Map(meta.metatags).get('robots') ?? '')) return true;
  return meta.hidden ? !settings.indexHidden : meta.noIndex;
}

/** The page is part of what the site tells programs it holds. */
export function isListed(site: ListingSite, meta: PageMeta): boolean {
  if (meta.url || isKeptFromIndex(site, meta)) return false;
  const inNavigation =
    site.navigation.places.has(meta.route) || site.searchRules.get(meta.route)?.found === true;
  return inNavigation || site.settings.indexHidden;
}

/** The part of the navigation that a reader sees who has chosen no language and no version. */
export function isDefaultBranch({ steps }: Branch): boolean {
  return steps.every(({ switcher, division }) => {
    if (switcher.kind !== 'language' && switcher.kind !== 'version') return true;
    return division === (switcher.divisions.find((other) => other.isDefault) ?? switcher.divisions[0]);
  });
}
