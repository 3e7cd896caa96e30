/**
 * The last steps of a page: its long texts become bytes, and what a check has to know of them is read out of them, so that nobody
 * has to read them again to write the site. It loads no parser, so that a supervisor can use it.
 */
import { contentFacts } from '../facts/output-facts.ts';
import { findSecrets } from '../facts/secrets.ts';
import { decodedText, encodedText } from '../text/encoded-text.ts';
import { oneLine, textOfHtml } from '../text/html.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';

/** A page whose long texts are not bytes yet. */
export type PageDraft = Omit<UnreadPage, LongText | 'summary'> & Record<LongText, string>;

type LongText = 'html' | 'aside' | 'markdown';

export function finishedPage(task: PageTask, draft: PageDraft): PageResult {
  return readPage(task, encodedPage(draft), draft);
}

/** The first step. */
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

/** The second step, if it was not taken yet. Another process can take it: then it has no text but what is in the page. */
export function readPage(
  task: PageTask,
  page: UnreadPage | PageResult,
  draft?: Pick<PageDraft, 'markdown'>,
): PageResult {
  if ('content' in page) return page;
  return {
    ...page,
    content: contentFacts([page.aside, page.html], saysMore(task, page)),
    secretsBeside: findSecrets([page.markdown], () => draft?.markdown ?? decodedText(page.markdown)),
  };
}

/** What authors wrote is in the Markdown as well; what code or a description added may be on the page alone. */
export function saysMore({ api }: PageTask, { failed, tier }: Pick<PageResult, 'failed' | 'tier'>): boolean {
  return failed || tier !== 'none' || api !== undefined;
}

/** The first paragraph. */
function summaryOf(html: string): string {
  const start = html.indexOf('<p>');
  if (start < 0) return '';
  const end = html.indexOf('</p>', start);
  const paragraph = html.slice(start, Math.min(end < 0 ? html.length : end, start + 2000));
  return oneLine(textOfHtml(paragraph)).slice(0, 300);
}
