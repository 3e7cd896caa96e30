/**
 * Implements the format's visibility table for `hidden`, `noindex` and pages outside of the navigation: its
 * columns "sitemap" and "llms". `search/pages.ts` implements the column "search".
 */
import type { Branch } from '../navigation/tree.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { Site } from './site.ts';

type ListingSite = Pick<Site, 'settings' | 'navigation' | 'searchRules'>;

export function isExcludedFromIndex({ settings }: Pick<ListingSite, 'settings'>, meta: PageMeta): boolean {
  if (/\bnoindex\b|\bnone\b/i.test(new Map(meta.metatags).get('robots') ?? '')) return true;
  return meta.hidden ? !settings.indexHidden : meta.noIndex;
}

/** False without front matter, as `site.metas.get(route)` may return undefined. */
export function isListed(site: ListingSite, meta: PageMeta | undefined): boolean {
  if (meta === undefined || meta.url || isExcludedFromIndex(site, meta)) return false;
  const inNavigation =
    site.navigation.places.has(meta.route) || site.searchRules.get(meta.route)?.found === true;
  return inNavigation || site.settings.indexHidden;
}

/** The branch shown to a reader without a chosen language or version. */
export function isDefaultBranch({ steps }: Branch): boolean {
  return steps.every(({ switcher, division }) => {
    if (switcher.kind !== 'language' && switcher.kind !== 'version') return true;
    return division === (switcher.divisions.find((other) => other.isDefault) ?? switcher.divisions[0]);
  });
}
