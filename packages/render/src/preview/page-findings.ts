/**
 * What is wrong with one page, as far as the page alone can tell: findings of loading and rendering it, and of a look at
 * its HTML. Whether other pages lead here, or have the ids that this one names, only a check of the whole site knows.
 */
import { type Diagnostic, compareDiagnostics } from '../model/diagnostic.ts';
import { RenderedCheck, type WrittenPage } from '../check/rendered.ts';
import { withoutRepeats } from '../check/output-findings.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import type { View } from './view.ts';

/** The check would miss what a preview makes only when it is asked for. */
const ofWholeSite = new Set(['broken_link', 'image_missing', 'orphan_page']);

export function pageFindings(
  view: View,
  task: PageTask,
  result: PageResult,
  written: Pick<WrittenPage, 'document' | 'bytes'>,
): Diagnostic[] {
  const check = new RenderedCheck(view.site, view.plan.urlStyle);
  for (const { output, route } of view.tasks.values()) {
    check.seeFile({ path: output, kind: 'output' });
    check.seeFile({ path: markdownPath(route), kind: 'output' });
  }
  check.addPage(task, check.judgePage(task, result, { ...written, markdownHead: '' }), 0);
  const seen = check.finish();
  const own = new Set([task.file, ...(result.sourceFiles ?? [])]);
  return withoutRepeats([
    ...view.site.diagnostics.filter(({ file }) => file === task.file),
    ...result.diagnostics,
    ...seen.findings.filter(({ file, code }) => own.has(file) && !ofWholeSite.has(code)),
  ]).toSorted(compareDiagnostics);
}
