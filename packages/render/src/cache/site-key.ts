/** The part of a page's cache key that all pages share: everything that may be visible on any page. */
import { extname } from 'node:path';
import type { SitePlan } from '../model/site-plan.ts';
import type { SiteOptions } from '../site/render-options.ts';
import type { Site } from '../site/site.ts';
import { shortHash } from '../text/short-hash.ts';
import type { CacheDecision } from './page-cache.ts';
import type { FileHashes } from './file-hashes.ts';

export interface KeyedSite {
  site: Pick<Site, 'root' | 'files' | 'metas' | 'sourceHashes' | 'loadStartedAtMs'>;
  plan: SitePlan;
  options: SiteOptions & { engine?: string; onCacheDecision?: (decision: CacheDecision) => void };
  /** Files that the frame shows. */
  pictures: { files: readonly string[] };
}

/** Files of these kinds affect only the pages that depend on them. */
const filesOfPages = new Set(
  '.md .mdx .css .png .jpg .jpeg .gif .webp .avif .svg .mp4 .webm .pdf'.split(' '),
);

export function siteKeyOf({ site, plan, options, pictures }: KeyedSite, hashes: FileHashes): string {
  const { root: _root, clockMs: _clockMs, pictures: remotePictures, ...planned } = plan;
  const { fetchPicture, engine, version, customScripts } = options;
  const shared = site.files.all.filter((file) => !filesOfPages.has(extname(file).toLowerCase()));
  const files = [...shared, ...pictures.files].map((file) => [file, hashes.of(file)]);
  const chosen = { engine, version, customScripts, fetches: fetchPicture !== undefined };
  return shortHash(JSON.stringify([chosen, planned, [...remotePictures], files, [...site.metas.values()]]));
}
