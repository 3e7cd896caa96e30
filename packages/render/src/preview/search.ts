/**
 * The search of a preview. Terms of unchanged pages are kept; pages that were never requested are rendered
 * when the index is first needed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic } from '../model/diagnostic.ts';
import { renderPages } from '../pipeline/process-pool.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { SearchIndex } from '../search/build.ts';
import type { View } from './view.ts';
import type { SitePlan } from '../model/site-plan.ts';

interface KeptTerms {
  task: PageTask;
  search: PageResult['search'];
  sourceFiles: string[] | undefined;
  diagnostics: Diagnostic[];
}

/** Leaves capacity for the requested page. */
const processes = 1;

export class PreviewSearch {
  readonly #kept = new Map<string, KeptTerms>();
  readonly #stop = new AbortController();
  #files: Promise<Map<string, string>> | undefined;
  #isBuilding = false;
  /** Changes while pages were being rendered, whose results may be outdated. */
  #changesMeanwhile: ((file: string) => boolean)[] = [];

  /** A page that was rendered for a reader is not rendered again for the index. */
  addPage(task: PageTask, result: PageResult): void {
    const known = this.#kept.get(task.output);
    this.#keep(task, result);
    if (!this.#isBuilding && !isDeepStrictEqual(known?.search, result.search)) this.#files = undefined;
  }

  /** `isStale` reports whether a file has changed. */
  invalidate(isStale: (file: string) => boolean): void {
    for (const [output, { sourceFiles }] of this.#kept)
      if (!sourceFiles || sourceFiles.some(isStale)) this.#kept.delete(output);
    if (this.#isBuilding) this.#changesMeanwhile.push(isStale);
    else this.#files = undefined;
  }

  /** By path. Repeats until every page matches the current site. */
  async files(current: () => View): Promise<Map<string, string>> {
    this.#files ??= this.#build(current);
    const files = await this.#files;
    this.#stop.signal.throwIfAborted();
    return files;
  }

  findings(): Diagnostic[] {
    return [...this.#kept.values()].flatMap(({ diagnostics }) => diagnostics);
  }

  close(): void {
    this.#stop.abort();
  }

  async #build(current: () => View): Promise<Map<string, string>> {
    this.#isBuilding = true;
    try {
      for (;;) {
        const view = current();
        const tasks = [...view.tasks.values()].filter(({ id }) => id < view.plan.rendered.length);
        const missing = tasks.filter((task) => !isDeepStrictEqual(this.#kept.get(task.output)?.task, task));
        if (missing.length === 0) return this.#index(view, tasks);
        await this.#render(missing, view.plan);
      }
    } catch (error) {
      this.#files = undefined;
      throw error;
    } finally {
      this.#isBuilding = false;
    }
  }

  async #render(tasks: PageTask[], plan: SitePlan): Promise<void> {
    this.#changesMeanwhile = [];
    const { signal } = this.#stop;
    const byId = new Map(tasks.map((task) => [task.id, task]));
    for await (const result of renderPages(tasks, { plan, concurrency: processes, signal })) {
      const task = byId.get(result.id);
      const isOlder = this.#changesMeanwhile.some((isStale) => result.sourceFiles?.some(isStale) ?? true);
      if (task && !isOlder) this.#keep(task, result);
    }
  }

  #keep(task: PageTask, { search, sourceFiles, diagnostics }: PageResult): void {
    this.#kept.set(task.output, { task, search, sourceFiles, diagnostics });
  }

  #index(view: View, tasks: readonly PageTask[]): Map<string, string> {
    const outputs = new Set(tasks.map(({ output }) => output));
    for (const output of this.#kept.keys()) if (!outputs.has(output)) this.#kept.delete(output);
    const index = new SearchIndex(view.searched.pages, view.searched.scopes);
    const files = tasks.flatMap(({ route, output }) => index.add(route, this.#kept.get(output)?.search));
    return new Map([...files, ...index.finish()].map(({ path, content }) => [path, content]));
  }
}
