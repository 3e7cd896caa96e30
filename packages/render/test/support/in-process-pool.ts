/** Renders pages in the test's process, because starting others is slower than rendering a fixture. */
import type { PageResult, PageTask } from '../../src/model/page.ts';
import type { PoolOptions } from '../../src/pipeline/process-pool.ts';
import { loadApiPages, renderPage, siteTools } from '../../src/pipeline/render-page.ts';

export async function* renderPages(
  tasks: readonly PageTask[],
  { plan }: PoolOptions,
): AsyncGenerator<PageResult> {
  await loadApiPages();
  const tools = siteTools(plan);
  for (const task of tasks) yield renderPage(tools, task, 'fast');
}
