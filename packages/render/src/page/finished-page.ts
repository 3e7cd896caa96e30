/**
 * Encodes a page's long texts and extracts the facts that the site checks need from them. It imports no
 * parser, because the supervisor of the render processes uses it.
 */
import { contentFacts } from '../facts/output-facts.ts';
import { findSecrets } from '../facts/secrets.ts';
import { decodedText, encodedText } from '../text/encoded-text.ts';
import { oneLine, textOfHtml } from '../text/html.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';

/** A page whose long texts are still strings. */
export type PageDraft = Omit<UnreadPage, LongText | 'summary'> & Record<LongText, string>;

type LongText = 'html' | 'aside' | 'markdown';

export function finishedPage(task: PageTask, draft: PageDraft): PageResult {
  return withPageFacts(task, encodedPage(draft), draft);
}

export function encodedPage(draft: PageDraft): UnreadPage {
  const { html, aside, markdown, ...rest } = draft;
  return {
    ...rest,
    html: encodedText(html),
    aside: encodedText(aside),
    markdown: encodedText(markdown),
    summary: textOfHtml(draft.description) === '' ? summaryOf(html) : '',
  };
}

/** Can run in another process: then the page's own texts are the only input. */
export function withPageFacts(
  task: PageTask,
  page: UnreadPage | PageResult,
  draft?: Pick<PageDraft, 'markdown'>,
): PageResult {
  if ('content' in page) return page;
  return {
    ...page,
    content: contentFacts([page.aside, page.html], mayContainMoreThanMarkdown(task, page)),
    secretsBeside: findSecrets([page.markdown], () => draft?.markdown ?? decodedText(page.markdown)),
  };
}

/**
 * Whether the HTML may contain text that is missing from the Markdown: results of code or an API description.
 */
export function mayContainMoreThanMarkdown(
  { api }: PageTask,
  { failed, tier }: Pick<PageResult, 'failed' | 'tier'>,
): boolean {
  return failed || tier !== 'none' || api !== undefined;
}

function summaryOf(html: string): string {
  const start = html.indexOf('<p>');
  if (start < 0) return '';
  const end = html.indexOf('</p>', start);
  const paragraph = html.slice(start, Math.min(end < 0 ? html.length : end, start + 2000));
  return oneLine(textOfHtml(paragraph)).slice(0, 300);
}
