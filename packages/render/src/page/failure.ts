/**
 * Pages that cannot be rendered: the error that says why, and the result that stands in for them. It loads no parser,
 * so that the supervisor of the render processes can use it.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { errorPanel, hintFor } from './error-panel.ts';
import { finishedPage } from './finished-page.ts';
import type { PageDraft, PageResult, PageTask } from '../model/page.ts';
import { DocumentError } from '../document/document-error.ts';

/** The result for a page that no parser survives. */
export function crashedPage(task: PageTask): PageResult {
  return failedAt(task, 'page_crashed', 'The page ended the process that rendered it, or took too long');
}

/** The result for a page that takes too long. */
export function latePage(task: PageTask): PageResult {
  return failedAt(task, 'page_timeout', 'Rendering the page took too long');
}

function failedAt(task: PageTask, code: DiagnosticCode, message: string): PageResult {
  const error = new DocumentError(code, message, { file: task.file, line: 1, column: 1 });
  return finishedPage(task, failedPage(task, error));
}

/** The result for a page that cannot be rendered. */
export function failedPage(task: PageTask, error: unknown): PageDraft {
  const known = error instanceof DocumentError ? error : undefined;
  const code = known?.code ?? 'page_failed';
  const message = error instanceof Error ? error.message : String(error);
  const failure = {
    code,
    message,
    file: known?.place?.file ?? task.file,
    line: known?.place?.line,
    excerpt: known?.excerpt ?? [],
    excerptStart: known?.excerptStart ?? 1,
  };
  return {
    id: task.id,
    html: errorPanel(failure),
    aside: '',
    bar: '',
    connectSources: [],
    description: '',
    banner: '',
    headings: [],
    styles: [],
    features: [],
    mathStyles: [],
    classes: [],
    assets: [],
    markdown: '',
    updates: [],
    diagnostics: [
      {
        severity: 'error',
        code,
        message,
        file: failure.file,
        ...(known?.place ? { line: known.place.line, column: known.place.column } : {}),
        hint: hintFor(code),
      },
    ],
    failed: true,
  };
}
