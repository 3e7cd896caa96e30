/** A site of a few pages with its search index, as an export contains it. */
import { indexFiles, type TestPage } from '../../../render/test/support/memory-search.ts';

export interface Page extends TestPage {
  markdown: string;
}

export function searchableFiles(pages: readonly Page[]): Record<string, string> {
  const files: Record<string, string> = Object.fromEntries(indexFiles(pages));
  for (const [at, { html, markdown }] of pages.entries()) {
    files[`p${at}.html`] = html;
    files[`p${at}.md`] = markdown;
  }
  return files;
}
