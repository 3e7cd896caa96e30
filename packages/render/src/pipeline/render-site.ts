/**
 * Renders a loaded site and yields files as they become ready. The same site and options give the same bytes.
 */
import { withPageCache } from '../cache/page-cache.ts';
import type { PageTime, OutputCheck } from '../check/output-check.ts';
import { reportHtml } from '../check/report-html.ts';
import { visibleSite } from '../site/visible-site.ts';
import { type SiteReport, buildReport, reportJson } from '../check/report.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageTier } from '../model/page.ts';
import type { Site } from '../site/site.ts';
import { type RunEvent, diagnostic, text } from './events.ts';
import { siteFiles } from './files.ts';
import { SitePageRenderer } from './page-renderer.ts';
import { type SiteBuild, prepareBuild } from './site-build.ts';
import type { RenderOptions } from './site-plan.ts';
import { SiteSummaries } from './site-summaries.ts';

export type { RenderOptions } from './site-plan.ts';
export type { OutputFile } from './events.ts';

export type RenderEvent =
  /** The first event. `pages` is the number of files of kind `page` that follow. */
  | { type: 'planned'; pages: number }
  | RunEvent
  /** The last event, with all findings. Timings and tiers are part of no file. */
  | { type: 'report'; report: SiteReport; slowest: PageTime[]; tiers: Record<PageTier, number> };

export async function* renderSite(site: Site, options: RenderOptions = {}): AsyncGenerator<RenderEvent> {
  const build = await prepareBuild(visibleSite(site, options), options);
  const findings: Diagnostic[] = [];
  yield { type: 'planned', pages: build.tasks.length };
  for await (const event of withCheck(siteEvents(build), build.check)) {
    if (event.type === 'diagnostic') findings.push(event.diagnostic);
    yield event;
  }
  const { findings: found, slowest, tiers, ...result } = build.check.finish();
  for (const finding of found) yield diagnostic(finding);
  const all = [...findings, ...found];
  const report = buildReport(all, result);
  const published = build.site.whole ? buildReport(publishedFindings(build.site, all), result) : report;
  yield text('report.json', reportJson(published), 'output');
  yield text('report.html', reportHtml(published, site.name), 'output');
  yield { type: 'report', report, slowest, tiers };
}

/** Other files, such as the configuration, may name pages that the readers must not know of. */
function publishedFindings({ metas }: Site, findings: readonly Diagnostic[]): Diagnostic[] {
  const files = new Set([...metas.values()].filter(({ generated }) => !generated).map(({ file }) => file));
  return findings.filter(({ file }) => files.has(file));
}

export interface CheckOptions extends RenderOptions {
  onPage?: (done: number, total: number) => void;
}

export async function checkSite(
  site: Site,
  { onPage, ...options }: CheckOptions = {},
): Promise<SiteReport & { slowest: PageTime[] }> {
  let pages = 0;
  let total = 0;
  for await (const event of renderSite(site, options)) {
    if (event.type === 'planned') total = event.pages;
    if (event.type === 'report') return { ...event.report, slowest: event.slowest };
    if (event.type === 'file' && event.file.kind === 'page') onPage?.(++pages, total);
  }
  throw new Error('the renderer ended without a report');
}

async function* siteEvents(build: SiteBuild): AsyncGenerator<RunEvent> {
  for (const { path, content } of build.frameDownloads) yield text(path, content, 'asset');
  for (const finding of build.findings) yield diagnostic(finding);
  const pages = withPageCache(new SitePageRenderer(build), build.options.cache, build);
  const summaries = new SiteSummaries(build);
  try {
    for await (const page of pages.render(build.tasks, () => undefined)) {
      if ('picture' in page) yield text(page.path, page.picture, 'asset');
      else yield* summaries.add(page);
      await summaries.search.room();
    }
    yield* siteFiles(build, summaries);
    for await (const { path, content } of summaries.search.finish()) yield text(path, content, 'output');
  } finally {
    summaries.search.close();
  }
}

/** The check sees every file here except pages, which it has seen already. */
async function* withCheck(events: AsyncGenerator<RunEvent>, check: OutputCheck): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.type === 'file' && !event.isSeen) check.seeFile({ ...event.file, text: event.text });
    yield event;
  }
}
