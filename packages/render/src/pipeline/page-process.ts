/**
 * What the process that renders pages does, from one message to the next. It may die on a page at any time; the pool that
 * started it notices and goes on. It talks only to its parent, over the channel it was started with.
 */
import { setImmediate as aPause } from 'node:timers/promises';
import { CodeNotReady } from '../realm/realm.ts';
import { isLargeSite } from './process-settings.ts';
import { rememberFewWords } from '../search/page-terms.ts';
import { type PageTools, loadApiPages, renderPage, renderUnread, siteTools } from './render-page.ts';
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
/** What has come and is not done, in order. */
const waiting: ToProcess[] = [];
/**
 * Pages whose code cannot be run before what runs it has started, a quarter of a second: others are rendered meanwhile. A site of 150
 * pages with one such page takes a tenth less.
 */
const putOff: Order[] = [];
let isWorking = false;

process.on('message', (message: ToProcess) => {
  waiting.push(message);
  if (!isWorking) void workOff();
});
process.send?.({ type: 'ready' } satisfies FromProcess);

async function workOff(): Promise<void> {
  isWorking = true;
  for (let message = waiting.shift(); message; message = waiting.shift()) {
    if (message.type === 'site') useSite(message);
    if (message.type === 'changed') message.files.forEach(forget);
    if (message.type === 'pages') await renderAll(message);
    // What comes next may be about another site, or not come before these are there.
    if (waiting[0]?.type !== 'pages') while (putOff.length > 0) await renderPutOff();
  }
  isWorking = false;
}

function useSite({ plan, isOneOfMany: isOne }: SiteMessage): void {
  if (isLargeSite(plan.routes.length)) rememberFewWords();
  tools = siteTools(plan);
  isOneOfMany = isOne === true;
}

function forget(file: string): void {
  tools?.sources.forget(file);
  tools?.pictureSizes.delete(file);
}

async function renderAll({ tasks, parser }: PagesMessage): Promise<void> {
  // What only some pages need is loaded when the first of them comes.
  if (tasks.some(({ api }) => api)) await loadApiPages();
  for (const task of tasks) {
    await render({ task, parser }, false);
    while (putOff.length > 0 && tools?.canRunCode()) await renderPutOff();
  }
}

async function renderPutOff(): Promise<void> {
  const order = putOff.shift();
  if (order) await render(order, true);
}

async function render(order: Order, waitsForCode: boolean): Promise<void> {
  const began = performance.now();
  const result = rendered(order, waitsForCode);
  if (result === undefined) {
    putOff.push(order);
    return;
  }
  const answer: FromProcess = {
    type: 'page',
    result: { ...result, milliseconds: performance.now() - began },
  };
  process.send?.(answer);
  await leaving(result);
}

/** Undefined when it would have to wait. */
function rendered({ task, parser }: Order, waitsForCode: boolean): UnreadPage | PageResult | undefined {
  if (!tools) throw new Error('pages arrived before the site');
  tools.waitsForCode = waitsForCode;
  try {
    return isOneOfMany ? renderPage(tools, task, parser) : renderUnread(tools, task, parser);
  } catch (error) {
    if (!(error instanceof CodeNotReady)) throw error;
    return undefined;
  }
}

const channelBytes = 150_000;

/**
 * The channel takes so many bytes at once, about three pages, and what is over leaves only while nothing runs here. Without a pause
 * after each page the parent gets most of a batch when this process has nothing left to do: 1,000 pages took a seventh longer.
 * Pages about operations may have 1 MB: with a single turn for each, both processes waited for them, and a site took 2 % longer.
 */
async function leaving({ html, aside, markdown }: UnreadPage): Promise<void> {
  const bytes = html.length + aside.length + markdown.length;
  for (let sent = 0; sent <= bytes; sent += channelBytes) await aPause();
}

/** When the parent is gone there is nobody to render for. */
process.on('disconnect', () => process.exit(0));
