/** Rendered pages that wait for the ids of the pages they link to. */
import type { PageResult, PageTask } from '../model/page.ts';
import type { SpillBytes } from '../text/spill.ts';
import type { AnchorLinks } from './anchor-links.ts';

interface UnfinishedPage {
  task: PageTask;
  result: PageResult;
}

interface WaitingPage<Page> {
  page: () => Page;
  missing: Set<string>;
}

export class WaitingPages<Page extends UnfinishedPage> {
  readonly #anchorLinks: AnchorLinks;
  readonly #spill: SpillBytes | undefined;
  /** By the output whose ids are missing. */
  readonly #byTarget = new Map<string, WaitingPage<Page>[]>();
  readonly #waiting = new Set<WaitingPage<Page>>();

  constructor(anchorLinks: AnchorLinks, { spill }: { spill?: SpillBytes }) {
    this.#anchorLinks = anchorLinks;
    this.#spill = spill;
  }

  *add(page: Page): Generator<Page> {
    const { output } = page.task;
    const { content } = page.result;
    this.#anchorLinks.addPage(output, content);
    const missing = this.#anchorLinks
      .awaitedBy(output, content)
      .filter((target) => !this.#anchorLinks.isKnown(target));
    if (missing.length === 0) yield page;
    else this.#hold({ page: this.#stored(page), missing: new Set(missing) });
    for (const waiting of this.#byTarget.get(output) ?? []) {
      waiting.missing.delete(output);
      if (waiting.missing.size === 0 && this.#waiting.delete(waiting)) yield waiting.page();
    }
    this.#byTarget.delete(output);
  }

  /** Pages whose targets are not rendered in this build. */
  *rest(): Generator<Page> {
    for (const { page } of this.#waiting) yield page();
    this.#waiting.clear();
  }

  #hold(waiting: WaitingPage<Page>): void {
    this.#waiting.add(waiting);
    for (const target of waiting.missing) {
      const others = this.#byTarget.get(target) ?? [];
      others.push(waiting);
      this.#byTarget.set(target, others);
    }
  }

  #stored(page: Page): () => Page {
    if (!this.#spill) return () => page;
    const { html, markdown, ...rest } = page.result;
    const [storedHtml, storedMarkdown] = [this.#spill(html), this.#spill(markdown)];
    return () => ({ ...page, result: { ...rest, html: storedHtml(), markdown: storedMarkdown() } });
  }
}
