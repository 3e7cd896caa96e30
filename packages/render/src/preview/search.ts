/**
 * The search of a preview. What each page adds to the index is kept, so that after an edit only the pages that changed
 * are rendered for it; pages nobody has looked at are rendered when the index is first needed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic } from '../check/diagnostic.ts';
import { renderPages } from '../page/pool.ts';
import type { PageResult, PageTask } from '../page/task.ts';
import { SearchIndex } from '../search/build.ts';
import type { View } from './view.ts';

interface KeptTerms {
  task: PageTask;
  search: PageResult['search'];
  sourceFiles: string[] | undefined;
  diagnostics: Diagnostic[];
}

/** Leaves room for the page that somebody looks at meanwhile. */
const processes = 1;

export class PreviewSearch {
  readonly #kept = new Map<string, KeptTerms>();
  #files: Promise<Map<string, string>> | undefined;
  #stop = new AbortController();

  /** A page that was rendered for a reader need not be rendered for the index. */
  learn(task: PageTask, { search, sourceFiles, diagnostics }: PageResult): void {
    const known = this.#kept.get(task.output);
    this.#kept.set(task.output, { task, search, sourceFiles, diagnostics });
    if (!isDeepStrictEqual(known?.search, search)) this.#files = undefined;
  }

  /** After a change: `isStale` says which files are not what they were. */
  forget(isStale: (file: string) => boolean): void {
    for (const [output, { sourceFiles }] of this.#kept)
      if (!sourceFiles || sourceFiles.some(isStale)) this.#kept.delete(output);
    this.#files = undefined;
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** By path. Fails when the site changes meanwhile; what was rendered until then is kept. */
  files(view: View): Promise<Map<string, string>> {
    if (this.#files) return this.#files;
    const building = this.#build(view);
    this.#files = building;
    building.catch(() => {
      if (this.#files === building) this.#files = undefined;
    });
    return building;
  }

  /** What is wrong on the pages that are known. */
  findings(): Diagnostic[] {
    return [...this.#kept.values()].flatMap(({ diagnostics }) => diagnostics);
  }

  close(): void {
    this.#stop.abort();
  }

  async #build(view: View): Promise<Map<string, string>> {
    const { signal } = this.#stop;
    /** Only now: comparing 1,000 pages takes 10 ms, which whoever waits for an edit would see. */
    for (const [output, { task }] of this.#kept)
      if (!isDeepStrictEqual(view.tasks.get(output), task)) this.#kept.delete(output);
    const tasks = [...view.tasks.values()].filter(({ id }) => id < view.plan.rendered.length);
    const missing = tasks.filter(({ output }) => !this.#kept.has(output));
    const byId = new Map(missing.map((task) => [task.id, task]));
    if (missing.length > 0) {
      for await (const result of renderPages(missing, { plan: view.plan, concurrency: processes, signal })) {
        const task = byId.get(result.id);
        const { search, sourceFiles, diagnostics } = result;
        if (task) this.#kept.set(task.output, { task, search, sourceFiles, diagnostics });
      }
    }
    signal.throwIfAborted();
    const index = new SearchIndex(view.searched.pages, view.searched.scopes);
    const files = tasks.flatMap(({ route, output }) => index.add(route, this.#kept.get(output)?.search));
    return new Map([...files, ...index.finish()].map(({ path, content }) => [path, content]));
  }
}
