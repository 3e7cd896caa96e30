/**
 * The error of a page that cannot be rendered, and the result that replaces it. It imports no parser, because
 * the supervisor of the render processes uses it.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { type PageDraft, finishedPage } from './finished-page.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { DocumentError } from '../document/document-error.ts';
import { element, escapeText } from '../text/html.ts';

export function crashedPage(task: PageTask): PageResult {
  return failedAt(task, 'page_crashed', 'The page crashed its render process or took too long');
}

export function timedOutPage(task: PageTask): PageResult {
  return failedAt(task, 'page_timeout', 'Rendering the page took too long');
}

function failedAt(task: PageTask, code: DiagnosticCode, message: string): PageResult {
  const error = new DocumentError(code, message, { file: task.file, line: 1, column: 1 });
  return finishedPage(task, failedPage(task, error));
}

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

interface PageFailure {
  code: DiagnosticCode;
  message: string;
  file: string;
  line?: number | undefined;
  excerpt: string[];
  excerptStart: number;
}

const hints: Record<string, string> = {
  mdx_syntax:
    'Close every tag, write {"{"} for a brace and &lt; for a "less than" sign, and put code in backticks.',
  page_too_large: 'Split the page into several.',
  page_too_deep: 'Flatten the lists, quotes or elements of this page.',
  page_too_dense:
    'Put empty lines between the parts of the page, or move data into a file that the page imports.',
  page_output_too_large: 'Look for snippets that include one another, and for code that repeats its result.',
  page_timeout: 'Make the page shorter, and look for code blocks or diagrams that are very long.',
  page_crashed: 'Remove the last change to this page and add it again piece by piece.',
};

function hintFor(code: DiagnosticCode): string {
  return hints[code] ?? 'See the report of this export for details.';
}

function errorPanel(failure: PageFailure): string {
  const where = failure.line === undefined ? failure.file : `${failure.file}, line ${failure.line}`;
  const lines = failure.excerpt.map((text, index) => {
    const number = failure.excerptStart + index;
    const classes = number === failure.line ? 'dy-line dy-line-marked' : 'dy-line';
    return `<span class="${classes}">${escapeText(`${String(number).padStart(4)}  ${text.slice(0, 300)}`)}</span>`;
  });
  return element(
    'section',
    { class: 'dy-error-panel', role: 'alert', 'data-code': failure.code },
    element('h2', {}, 'This page could not be rendered') +
      element('p', {}, `${element('code', {}, escapeText(where))}: ${escapeText(failure.message)}`) +
      (lines.length ? `<pre tabindex="0"><code>${lines.join('\n')}</code></pre>` : '') +
      element('p', { class: 'dy-error-hint' }, escapeText(hintFor(failure.code))),
  );
}
