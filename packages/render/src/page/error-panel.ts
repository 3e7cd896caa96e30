/** What a reader sees in place of a page that could not be rendered: file, line, the lines around it, and advice. */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { element, escapeText } from '../text/html.ts';

export interface PageFailure {
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

export function hintFor(code: DiagnosticCode): string {
  return hints[code] ?? 'See the report of this export for details.';
}

export function errorPanel(failure: PageFailure): string {
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
