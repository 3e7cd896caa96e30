/**
 * The public interface of the renderer: load a documentation folder, render it into static files, check it,
 * preview it. Nothing here opens a network connection or writes to disk. `report.ts` formats findings,
 * `source-rules.ts` reads sources without rendering.
 */
import { Preview, type PreviewOptions } from './preview/preview.ts';

export { audiencesOf, renderAudience } from './pipeline/audiences.ts';
export { loadSite } from './pipeline/load.ts';
export { checkSite, renderSite } from './pipeline/render-site.ts';

/** Throws `SiteLoadError` when there is nothing to show. */
export function previewSite(options: PreviewOptions): Promise<Preview> {
  return Preview.open(options);
}

export { DamagedCacheError } from './cache/page-cache.ts';
export { SiteLoadError } from './model/diagnostic.ts';
export { engineVersion } from './engine-version.ts';
export { needsSourceFacts } from './site/source-facts.ts';

export type { CacheDecision } from './cache/page-cache.ts';
export type { SiteReport } from './check/report.ts';
export type { BuildCache } from './model/build-cache.ts';
export type { Diagnostic, Severity } from './model/diagnostic.ts';
export type { FileContent } from './model/file-content.ts';
export type { ForgeLinks, SourceFacts } from './model/source-facts.ts';
export type { UrlStyle } from './model/site-plan.ts';
export type { CheckOptions, OutputFile, RenderEvent, RenderOptions } from './pipeline/render-site.ts';
export type { Preview, PreviewOptions } from './preview/preview.ts';
export type { PreviewPage } from './preview/preview-page.ts';
export type { SiteAudience, SiteAudiences } from './pipeline/audiences.ts';
export type { LoadOptions, PageRef, Site } from './site/site.ts';
