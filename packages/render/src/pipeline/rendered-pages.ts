/**
 * Every page of a run, rendered or remembered, as it becomes ready. Pages that show pictures of other hosts come last: which
 * pictures those are is known once a page is rendered.
 */
import type { PageMemory, RememberedPage } from '../cache/page-memory.ts';
import { type PoolOptions, renderPages } from './process-pool.ts';
import type { PageTask } from '../model/page.ts';

/** Gives each picture that was fetched, in whatever form the caller passes files on. */
export type FetchPictures<File> = (addresses: Iterable<string>) => AsyncGenerator<File>;

interface PagesOptions<File> extends PoolOptions {
  fetchPictures: FetchPictures<File>;
  memory: PageMemory | undefined;
}

/**
 * Which pictures of other hosts a page shows is known once it is rendered, whatever they came from: text, an expression,
 * a snippet. Those few pages (29 of 3,342 on nine real sites) are rendered once more when the pictures are there.
 */
export async function* renderedPages<File>(
  tasks: readonly PageTask[],
  { fetchPictures, memory, ...rendering }: PagesOptions<File>,
): AsyncGenerator<RememberedPage | File> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const held = new Set<number>();
  const wanted = new Set<string>();
  const keepsProcess = (): boolean => held.size > 0;
  for await (const page of rememberedOrRendered(tasks, { ...rendering, keepsProcess }, memory)) {
    const { wantedPictures, id } = page.result;
    if (wantedPictures === undefined) yield kept(page, byId, memory);
    else {
      held.add(id);
      for (const address of wantedPictures) wanted.add(address);
    }
  }
  if (held.size === 0) return;
  yield* fetchPictures(wanted);
  const plan = { ...rendering.plan, asksForPictures: false };
  const again = tasks.filter(({ id }) => held.has(id));
  for await (const result of renderPages(again, { ...rendering, plan })) yield { result, key: undefined };
}

async function* rememberedOrRendered(
  tasks: readonly PageTask[],
  rendering: PoolOptions,
  memory: PageMemory | undefined,
): AsyncGenerator<RememberedPage> {
  const known = memory?.mayKnow(tasks) ?? [];
  const isKnown = new Set(known);
  const rendered = renderPages(
    tasks.filter((task) => !isKnown.has(task)),
    rendering,
  );
  /** Asked for at once, so that the processes work while the others are remembered. */
  let next = rendered.next();
  const forgotten: PageTask[] = [];
  for (const task of known) {
    const page = memory?.recall(task);
    if (page) yield page;
    else forgotten.push(task);
  }
  for (let one = await next; !one.done; one = await next) {
    next = rendered.next();
    yield { result: one.value, key: undefined };
  }
  for await (const result of renderPages(forgotten, rendering)) yield { result, key: undefined };
}

function kept(
  page: RememberedPage,
  tasks: ReadonlyMap<number, PageTask>,
  memory: PageMemory | undefined,
): RememberedPage {
  const task = page.key === undefined ? tasks.get(page.result.id) : undefined;
  return task && memory ? { result: page.result, key: memory.keep(task, page.result) } : page;
}
