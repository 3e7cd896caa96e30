/**
 * Renders a loaded site into files, as they become ready: pages from the render processes, then the shared files,
 * stylesheets, assets and the not-found page. The same site and options give the same bytes.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { type PageTime, RenderedCheck } from '../check/rendered.ts';
import { type SiteReport, buildReport, reportJson } from '../check/report.ts';
import { reportHtml } from '../check/report-html.ts';
import type { WordEdit } from '../cache/word-edit.ts';
import type { PageTier } from '../model/page.ts';
import type { RenderOptions } from './site-plan.ts';
import { type RunEvent, diagnostic, text } from './events.ts';
import { siteEvents } from './site-run.ts';
import type { Site } from '../site/site.ts';

export type { RenderOptions } from './site-plan.ts';
export type { OutputFile } from './events.ts';

export type RenderEvent =
  | RunEvent
  /** Comes last. How long pages took, and how many needed their code to be run, is part of no file. */
  | ({ type: 'report' } & Verdict);

interface Verdict {
  report: SiteReport;
  slowest: PageTime[];
  tiers: Record<PageTier, number>;
}

export async function* renderSite(site: Site, options: RenderOptions = {}): AsyncGenerator<RenderEvent> {
  const check = new RenderedCheck(site, options.urlStyle ?? 'html');
  const told: Diagnostic[] = [];
  let edit: WordEdit | undefined;
  for await (const event of siteEvents(site, options, check)) {
    if (event.type === 'word-edit') {
      edit = event.edit;
      continue;
    }
    if (event.type === 'file' && !event.isSeen) check.seeFile({ ...event.file, text: event.text });
    /** Of old pages it knows more than that they are there. */
    if (event.type === 'old' && event.kind !== 'page')
      for (const path of event.paths) check.seeFile({ path, kind: event.kind });
    if (event.type === 'diagnostic') told.push(event.diagnostic);
    yield event;
  }
  const { findings, ...verdict } = edit ? knownVerdict(edit, check, told) : newVerdict(check, told);
  for (const finding of findings) yield diagnostic(finding);
  yield text('report.json', reportJson(verdict.report), 'output');
  yield text('report.html', reportHtml(verdict.report, site.name), 'output');
  yield { type: 'report', ...verdict };
}

/** With the findings that nobody was told of. */
function newVerdict(check: RenderedCheck, told: readonly Diagnostic[]): Verdict & { findings: Diagnostic[] } {
  const { findings, slowest, tiers, ...result } = check.finish();
  return { findings, slowest, tiers, report: buildReport([...told, ...findings], result) };
}

/** What the last run has found holds for this one. */
function knownVerdict(
  edit: WordEdit,
  { slowest }: RenderedCheck,
  told: readonly Diagnostic[],
): Verdict & { findings: Diagnostic[] } {
  return { findings: edit.untold(told), slowest, tiers: edit.tiers, report: edit.report };
}
