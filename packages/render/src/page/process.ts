/**
 * The process that renders pages. It may die on a page at any time; the pool that started it notices and goes on.
 * It talks only to its parent, over the channel it was started with.
 */
import { flushCompileCache } from 'node:module';
import { type PageTools, loadApiPages, renderPage, siteTools } from './render-page.ts';
import type { FromProcess, ToProcess } from './task.ts';

type PagesMessage = Extract<ToProcess, { type: 'pages' }>;

let tools: PageTools | undefined;

process.on('message', (message: ToProcess) => {
  if (message.type === 'site') tools = siteTools(message.plan);
  else if (message.type === 'changed') message.files.forEach(forget);
  else {
    // What only some pages need is loaded when the first of them comes.
    if (message.tasks.some(({ api }) => api)) void loadApiPages().then(() => renderAll(message));
    else renderAll(message);
  }
});

function forget(file: string): void {
  tools?.sources.forget(file);
  tools?.pictureSizes.delete(file);
}

function renderAll(message: PagesMessage): void {
  for (const task of message.tasks) {
    if (!tools) throw new Error('pages arrived before the site');
    const began = performance.now();
    const result = renderPage(tools, task, message.parser);
    const answer: FromProcess = {
      type: 'page',
      result: { ...result, milliseconds: performance.now() - began },
    };
    process.send?.(answer);
  }
  keepCompiledCode();
}

let batches = 0;

/**
 * This process is ended, not asked to end; what it has compiled would be lost with it. Some of it is loaded late, when the
 * first page needs it, so this is done after the first batch, the second, the fourth and so on.
 */
function keepCompiledCode(): void {
  batches += 1;
  if ((batches & (batches - 1)) === 0) flushCompileCache();
}

/** When the parent is gone there is nobody to render for. */
process.on('disconnect', () => process.exit(0));
