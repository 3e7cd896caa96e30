/**
 * The part of a site that some readers may see. Everything that is rendered from it knows nothing of the other pages, except
 * that links to them become plain text.
 */
import type { ApiTarget, SpecDocument } from '../model/site-plan.ts';
import type { PageMeta } from '../model/page-source.ts';
import { mapNavigation } from '../navigation/branches.ts';
import { visibleSection } from '../navigation/visible-tree.ts';
import { withoutTargets } from '../openapi/visible.ts';
import { isVisibleTo } from '../source/page-meta.ts';
import type { SiteOptions } from './render-options.ts';
import type { Site } from './site.ts';

export type Readers = Pick<SiteOptions, 'groups' | 'publicOnly'>;

/** The same object if the readers may see all pages. */
export function visibleSite(site: Site, readers: Readers): Site {
  const metas = new Map([...site.metas].filter(([, meta]) => isVisible(meta, readers)));
  if (metas.size === site.metas.size) return site;
  const navigationRoot = visibleSection(site.navigationRoot, (route) => metas.has(route));
  return {
    ...site,
    whole: site,
    metas,
    pages: site.pages.filter(({ path }) => metas.has(path)),
    navigationRoot,
    navigation: mapNavigation(navigationRoot),
    renamedRoutes: new Map([...site.renamedRoutes].filter(([, route]) => metas.has(route))),
    specOf: visibleSpecs(site, metas, readers),
  };
}

/** Pages of the site that its readers may not see. */
export function withheldRoutes(site: Site): string[] {
  return (site.whole?.pages ?? []).map(({ path }) => path).filter((route) => !site.metas.has(route));
}

function isVisible({ groups, isPublic }: PageMeta, { groups: own, publicOnly }: Readers): boolean {
  if (publicOnly) return isPublic === true && isVisibleTo([], groups);
  return own === undefined || isVisibleTo(own, groups);
}

/**
 * Without the operations that only hidden pages show. For readers who see only public pages, an operation without a page is hidden
 * too.
 */
function visibleSpecs(
  site: Site,
  metas: ReadonlyMap<string, PageMeta>,
  { publicOnly = false }: Readers,
): Site['specOf'] {
  const shown = targetsOf(metas.values());
  const hidden = targetsOf([...site.metas.values()].filter(({ route }) => !metas.has(route)));
  const isHidden = (target: ApiTarget): boolean => {
    const key = JSON.stringify(target);
    return !shown.has(key) && (publicOnly || hidden.has(key));
  };
  const known = new Map<string, SpecDocument | undefined>();
  return (name) => {
    if (!known.has(name)) {
      const document = site.specOf(name);
      known.set(name, document && withoutTargets(document, name, isHidden));
    }
    return known.get(name);
  };
}

function targetsOf(metas: Iterable<PageMeta>): Set<string> {
  return new Set([...metas].flatMap(({ api }) => (api === undefined ? [] : [JSON.stringify(api)])));
}
