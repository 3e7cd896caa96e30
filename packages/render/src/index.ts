/**
 * The public interface of the renderer: load a documentation folder, render it into static files, check it. Nothing here opens a
 * network connection or writes to disk.
 */
import type { PageCode } from './check/page-code.ts';
import manifest from '../package.json' with { type: 'json' };

export const engineVersion: string = manifest.version;

export { type CheckOptions, checkSite } from './pipeline/check-site.ts';
export { placesOf } from './check/aggregate.ts';
export { diagnosticCodes } from './model/finding-codes.ts';
export {
  type SiteReport,
  countingFindings,
  isNewSince,
  narrowReport,
  reportJson,
  unknownFindings,
} from './check/report.ts';
export { reportHtml } from './check/report-html.ts';
export { reportMarkdown } from './check/report-markdown.ts';
export { reportJunit } from './check/junit.ts';
export { reportSarif } from './check/sarif.ts';
export type { PageAddress, PageCode } from './check/page-code.ts';
export { findSecrets } from './facts/secrets.ts';
export { type FoundSecret } from './model/page.ts';
export { type Diagnostic, type Severity, SiteLoadError } from './model/diagnostic.ts';
export { loadSite, unknownPaths } from './pipeline/load.ts';
export { type LoadOptions, type PageRef, type Site } from './site/site.ts';
export { prepareRenderProcesses } from './pipeline/start-process.ts';
export { type OutputFile, type RenderEvent, type RenderOptions, renderSite } from './pipeline/render-site.ts';
export type { CacheDecision } from './cache/page-cache.ts';
export type { BuildCache } from './model/build-cache.ts';
export type { UrlStyle } from './model/site-plan.ts';
export { isForeignFolder, isHiddenFile, isPageFile, routeOfFile } from './navigation/files.ts';
export { type LinkResolver, type LinkTarget, createLinkResolver } from './navigation/links.ts';
export { generatedFiles, protectedOutputFiles } from './outputs/site-outputs.ts';
export { slugOf } from './page/headings.ts';
export { Preview, type PreviewPage } from './preview/preview.ts';

/** Loaded when asked for: the parser is native code, and a process that must not end keeps away from it. */
export async function pageCodeReader(parser: 'fast' | 'slow'): Promise<(source: string) => PageCode> {
  return (await import('./check/page-code.ts')).pageCodeReader(parser);
}
