/** Rendered pages that wait for the ids of the pages they lead to. */
import type { PageResult, PageTask } from '../model/page.ts';
import type { SetAside } from '../text/kept.ts';
import type { AnchorLinks } from './anchor-links.ts';

interface RenderedPage {
  task: PageTask;
  result: PageResult;
}

interface WaitingPage<Page> {
  page: () => Page;
  missing: Set<string>;
}

export class WaitingPages<Page extends RenderedPage> {
  readonly #anchorLinks: AnchorLinks;
  readonly #setAside: SetAside | undefined;
  /** By the output whose ids are missing. */
  readonly #byTarget = new Map<string, WaitingPage<Page>[]>();
  readonly #waiting = new Set<WaitingPage<Page>>();

  constructor(anchorLinks: AnchorLinks, { setAside }: { setAside?: SetAside }) {
    this.#anchorLinks = anchorLinks;
    this.#setAside = setAside;
  }

  /** Adds a page; yields the pages that are complete now. */
  *add(page: Page): Generator<Page> {
    const { output } = page.task;
    const { content } = page.result;
    this.#anchorLinks.learn(output, content);
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

  /** Pages whose targets are not rendered. */
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
    if (!this.#setAside) return () => page;
    const { html, markdown, ...rest } = page.result;
    const [storedHtml, storedMarkdown] = [this.#setAside(html), this.#setAside(markdown)];
    return () => ({ ...page, result: { ...rest, html: storedHtml(), markdown: storedMarkdown() } });
  }
}
