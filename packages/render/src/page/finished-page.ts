/**
 * The last step of a page in the process that renders it: whatever reads its long texts does so here, beside the other
 * pages, and whoever puts the site together gets bytes and facts. It loads no parser, so that a supervisor can use it.
 */
import { contentFacts } from '../check/output-facts.ts';
import { findSecrets } from '../check/secrets.ts';
import { encodedText } from '../encoded-text.ts';
import { textOfHtml } from '../html.ts';
import type { PageDraft, PageResult, PageTask } from './task.ts';

export function finishedPage(task: PageTask, draft: PageDraft): PageResult {
  const { html, aside, markdown, ...rest } = draft;
  return {
    ...rest,
    html: encodedText(html),
    aside: encodedText(aside),
    content: contentFacts(aside + html, saysMore(task, draft)),
    markdown: encodedText(markdown),
    secretsBeside: findSecrets(markdown, () => markdown),
    summary: textOfHtml(draft.description) === '' ? summaryOf(html) : '',
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
  return textOfHtml(paragraph).replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
