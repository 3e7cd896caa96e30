/** One page of a preview: its HTML and its findings. */
import { type Diagnostic, compareDiagnostics } from '../model/diagnostic.ts';
import { OutputCheck, type WrittenPage } from '../check/output-check.ts';
import { withoutRepeats } from '../check/output-findings.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { decodedText, encodedPieces } from '../text/encoded-text.ts';
import { wholePage } from '../theme/shell.ts';
import type { View } from './view.ts';

export interface PreviewPage {
  /** The source file. */
  file: string;
  html: string;
  findings: Diagnostic[];
}

export async function previewPage(view: View, task: PageTask, result: PageResult): Promise<PreviewPage> {
  const document = view.composer.compose(task, result);
  const bytes = encodedPieces(wholePage(document));
  const findings = findingsOf(view, task, result, { document, bytes: bytes.length });
  return { file: task.file, html: decodedText(bytes), findings };
}

/** A preview creates files on demand, so these checks would report false findings. */
const ofWholeSite = new Set(['broken_link', 'image_missing', 'orphan_page']);

/**
 * The findings of one page without the rest of the site: those of loading, rendering and checking its HTML.
 * Orphaned pages and anchors on other pages need a check of the whole site.
 */
function findingsOf(
  view: View,
  task: PageTask,
  result: PageResult,
  written: Pick<WrittenPage, 'document' | 'bytes'>,
): Diagnostic[] {
  const check = new OutputCheck(view.site, view.plan.urlStyle);
  for (const { output, route } of view.tasks.values()) {
    check.seeFile({ path: output, kind: 'output' });
    check.seeFile({ path: markdownPath(route), kind: 'output' });
  }
  check.addPage(task, check.checkPage(task, result, { ...written, markdownHead: '' }), 0);
  const seen = check.finish();
  const own = new Set([task.file, ...(result.sourceFiles ?? [])]);
  return withoutRepeats([
    ...view.site.diagnostics.filter(({ file }) => file === task.file),
    ...result.diagnostics,
    ...seen.findings.filter(({ file, code }) => own.has(file) && !ofWholeSite.has(code)),
  ]).toSorted(compareDiagnostics);
}
