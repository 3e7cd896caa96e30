/**
 * The message loop of a render process. It may crash on any page; the pool restarts it. It communicates only
 * with its parent.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CodeNotReadyError } from '../realm/realm.ts';
import { isLargeSite } from './process-settings.ts';
import { useSmallWordCache } from '../search/page-terms.ts';
import { type PageTools, loadApiPages, renderPage, renderWithoutFacts, siteTools } from './render-page.ts';
import type { ParserName } from '../document/parser.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';

type SiteMessage = Extract<ToProcess, { type: 'site' }>;
type PagesMessage = Extract<ToProcess, { type: 'pages' }>;

interface Order {
  task: PageTask;
  parser: ParserName;
}

let tools: PageTools | undefined;
let isOneOfMany = false;
/** Messages that are not processed yet, in order. */
const queue: ToProcess[] = [];
/** Pages whose code needs the realm while it is starting; other pages are rendered meanwhile. */
const deferred: Order[] = [];
let isWorking = false;

process.on('message', (message: ToProcess) => {
  queue.push(message);
  if (!isWorking) void processQueue();
});
process.send?.({ type: 'ready' } satisfies FromProcess);

async function processQueue(): Promise<void> {
  isWorking = true;
  for (let message = queue.shift(); message; message = queue.shift()) {
    if (message.type === 'site') useSite(message);
    if (message.type === 'changed') message.files.forEach(invalidate);
    if (message.type === 'pages') await renderAll(message);
    // The next message may concern another site, or arrive only after these pages are sent.
    if (queue[0]?.type !== 'pages') while (deferred.length > 0) await renderDeferred();
  }
  isWorking = false;
}

function useSite({ plan, isOneOfMany: isOne }: SiteMessage): void {
  if (isLargeSite(plan.routes.length)) useSmallWordCache();
  tools = siteTools(plan);
  isOneOfMany = isOne === true;
}

function invalidate(file: string): void {
  tools?.sources.invalidate(file);
  tools?.pictureSizes.delete(file);
}

async function renderAll({ tasks, parser }: PagesMessage): Promise<void> {
  // Loaded at the first page that needs it.
  if (tasks.some(({ api }) => api)) await loadApiPages();
  for (const task of tasks) {
    await render({ task, parser }, false);
    while (deferred.length > 0 && tools?.canRunCode()) await renderDeferred();
  }
}

async function renderDeferred(): Promise<void> {
  const order = deferred.shift();
  if (order) await render(order, true);
}

async function render(order: Order, waitsForCode: boolean): Promise<void> {
  const began = performance.now();
  const result = tryRender(order, waitsForCode);
  if (result === undefined) {
    deferred.push(order);
    return;
  }
  const answer: FromProcess = {
    type: 'page',
    result: { ...result, milliseconds: performance.now() - began },
  };
  process.send?.(answer);
  await flush(result);
}

/** Undefined when it would have to wait for the realm. */
function tryRender({ task, parser }: Order, waitsForCode: boolean): UnreadPage | PageResult | undefined {
  if (!tools) throw new Error('pages arrived before the site');
  tools.waitsForCode = waitsForCode;
  try {
    return isOneOfMany ? renderPage(tools, task, parser) : renderWithoutFacts(tools, task, parser);
  } catch (error) {
    if (!(error instanceof CodeNotReadyError)) throw error;
    return undefined;
  }
}

const channelBytes = 150_000;

/**
 * The channel buffers a few pages and is flushed only while this process is idle. Large pages need several
 * turns.
 */
async function flush({ html, aside, markdown }: UnreadPage): Promise<void> {
  const bytes = html.length + aside.length + markdown.length;
  for (let sent = 0; sent <= bytes; sent += channelBytes) await nextTurn();
}

process.on('disconnect', () => process.exit(0));
