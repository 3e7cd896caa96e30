/** Pages that are rendered and wait for the ids of others that they lead to. */
import type { RememberedPage } from '../cache/page-memory.ts';
import type { PageTask } from '../model/page.ts';
import type { Run } from './prepare.ts';

export interface ReadyPage {
  task: PageTask;
  page: RememberedPage;
}

interface HeldPage {
  task: PageTask;
  page: () => RememberedPage;
  waitsFor: Set<string>;
}

export class HeldPages {
  readonly #run: Pick<Run, 'anchorLinks' | 'isLarge' | 'options'>;
  /** By the output that is waited for. */
  readonly #byTarget = new Map<string, HeldPage[]>();
  readonly #held = new Set<HeldPage>();

  constructor(run: Pick<Run, 'anchorLinks' | 'isLarge' | 'options'>) {
    this.#run = run;
  }

  /** Takes a page that was rendered, and gives those that wait for none any more. */
  *add(task: PageTask, page: RememberedPage): Generator<ReadyPage> {
    const { anchorLinks } = this.#run;
    const { output } = task;
    anchorLinks.learn(output, page.result.content);
    const unknown = anchorLinks
      .awaitedBy(output, page.result.content)
      .filter((target) => !anchorLinks.isKnown(target));
    if (unknown.length === 0) yield { task, page };
    else this.#hold({ task, page: this.#aside(page), waitsFor: new Set(unknown) });
    for (const held of this.#byTarget.get(output) ?? []) {
      held.waitsFor.delete(output);
      if (held.waitsFor.size === 0 && this.#held.delete(held)) yield { task: held.task, page: held.page() };
    }
    this.#byTarget.delete(output);
  }

  /** Those whose targets are not rendered in this run. */
  *rest(): Generator<ReadyPage> {
    for (const { task, page } of this.#held) yield { task, page: page() };
    this.#held.clear();
  }

  #hold(held: HeldPage): void {
    this.#held.add(held);
    for (const target of held.waitsFor) {
      const waiting = this.#byTarget.get(target) ?? [];
      waiting.push(held);
      this.#byTarget.set(target, waiting);
    }
  }

  /** The long texts of a large site lie elsewhere until they are needed. */
  #aside(page: RememberedPage): () => RememberedPage {
    const { isLarge, options } = this.#run;
    if (!isLarge || !options.setAside) return () => page;
    const { html, markdown, ...rest } = page.result;
    const [htmlBack, markdownBack] = [options.setAside(html), options.setAside(markdown)];
    return () => ({ ...page, result: { ...rest, html: htmlBack(), markdown: markdownBack() } });
  }
}
