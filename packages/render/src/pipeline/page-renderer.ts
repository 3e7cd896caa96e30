/**
 * Renders pages in a pool of processes and finishes each as soon as the ids of the pages that it leads to are known. Pages
 * that show pictures of other hosts are rendered twice: which pictures those are is known after the first time.
 */
import { availableParallelism } from 'node:os';
import type { FetchedPicture, FinishedPage, IdsOf, PageRenderer } from '../model/finished-page.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { finishPage } from './finish-page.ts';
import { type PoolOptions, renderPages } from './process-pool.ts';
import { type SiteBuild, fetchPictures } from './site-build.ts';
import { WaitingPages } from './waiting-pages.ts';

interface RenderedPage {
  task: PageTask;
  result: PageResult;
  /** Rendering the page again gives the same bytes. */
  isRepeatable: boolean;
}

export class SitePageRenderer implements PageRenderer {
  readonly #build: SiteBuild;

  constructor(build: SiteBuild) {
    this.#build = build;
  }

  async *render(tasks: readonly PageTask[], idsOf: IdsOf): AsyncGenerator<FinishedPage | FetchedPicture> {
    const build = this.#build;
    const { anchorLinks, aside } = build;
    anchorLinks.useIdsOf(idsOf);
    const waiting = new WaitingPages<RenderedPage>(anchorLinks, aside);
    for await (const item of this.#rendered(this.#inOrder(tasks))) {
      if ('picture' in item) yield item;
      else for (const page of waiting.add(item)) yield finishPage(build, page.task, page);
    }
    for (const page of waiting.rest()) yield finishPage(build, page.task, page);
  }

  /** The pages whose ids every frame needs come first. */
  #inOrder(tasks: readonly PageTask[]): PageTask[] {
    const first = new Set(this.#build.anchorLinks.frameTargets);
    if (first.size === 0) return [...tasks];
    return [
      ...tasks.filter(({ output }) => first.has(output)),
      ...tasks.filter(({ output }) => !first.has(output)),
    ];
  }

  async *#rendered(tasks: readonly PageTask[]): AsyncGenerator<RenderedPage | FetchedPicture> {
    const { plan, options } = this.#build;
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const again: PageTask[] = [];
    const wanted = new Set<string>();
    const pool: PoolOptions = {
      plan,
      concurrency: options.concurrency ?? availableParallelism(),
      signal: options.signal,
      keepsProcess: () => again.length > 0,
    };
    for await (const result of renderPages(tasks, pool)) {
      const task = byId.get(result.id) as PageTask;
      if (result.wantedPictures === undefined) yield { task, result, isRepeatable: true };
      else {
        again.push(task);
        for (const address of result.wantedPictures) wanted.add(address);
      }
    }
    if (again.length === 0) return;
    yield* fetchPictures(this.#build, wanted);
    const withPictures = { ...pool, plan: { ...plan, asksForPictures: false } };
    for await (const result of renderPages(
      again.toSorted((a, b) => a.id - b.id),
      withPictures,
    ))
      yield { task: byId.get(result.id) as PageTask, result, isRepeatable: false };
  }
}
