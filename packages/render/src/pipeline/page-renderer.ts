/**
 * Renders pages in a pool of processes and finishes each one when the ids of its link targets are known.
 * Pages with pictures of other hosts are rendered twice, because the first rendering finds the pictures.
 */
import { availableParallelism } from 'node:os';
import type { FetchedPicture, IdsOf, PageRenderer, RenderedPage } from '../model/finished-page.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { finishPage } from './finish-page.ts';
import { type PoolOptions, renderPages } from './process-pool.ts';
import { type SiteBuild, fetchPictures } from './site-build.ts';
import { WaitingPages } from './waiting-pages.ts';

interface UnfinishedPage {
  task: PageTask;
  result: PageResult;
  /** Rendering the page again gives the same bytes. */
  isRepeatable: boolean;
}

export class SitePageRenderer implements PageRenderer<RenderedPage> {
  readonly #build: SiteBuild;

  constructor(build: SiteBuild) {
    this.#build = build;
  }

  async *render(tasks: readonly PageTask[], idsOf: IdsOf): AsyncGenerator<RenderedPage | FetchedPicture> {
    const build = this.#build;
    const { anchorLinks, aside } = build;
    anchorLinks.useIdsOf(idsOf);
    const waiting = new WaitingPages<UnfinishedPage>(anchorLinks, aside);
    for await (const item of this.#unfinishedPages(this.#inOrder(tasks))) {
      if ('picture' in item) yield item;
      else for (const page of waiting.add(item)) yield finishPage(build, page.task, page);
    }
    for (const page of waiting.rest()) yield finishPage(build, page.task, page);
  }

  #inOrder(tasks: readonly PageTask[]): PageTask[] {
    const first = new Set(this.#build.anchorLinks.frameTargets);
    if (first.size === 0) return [...tasks];
    return [
      ...tasks.filter(({ output }) => first.has(output)),
      ...tasks.filter(({ output }) => !first.has(output)),
    ];
  }

  async *#unfinishedPages(tasks: readonly PageTask[]): AsyncGenerator<UnfinishedPage | FetchedPicture> {
    const { plan, options } = this.#build;
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const again: PageTask[] = [];
    const addresses = new Set<string>();
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
        for (const address of result.wantedPictures) addresses.add(address);
      }
    }
    if (again.length === 0) return;
    yield* fetchPictures(this.#build, addresses);
    const withPictures = { ...pool, plan: { ...plan, asksForPictures: false } };
    for await (const result of renderPages(
      again.toSorted((a, b) => a.id - b.id),
      withPictures,
    ))
      yield { task: byId.get(result.id) as PageTask, result, isRepeatable: false };
  }
}
