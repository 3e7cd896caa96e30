/**
 * The process that renders pages. It may die on a page at any time; the pool that started it notices and goes on.
 * It talks only to its parent, over the channel it was started with.
 */
import { flushCompileCache } from 'node:module';
import type { SiteTools } from './record.ts';
import { loadSlowParser } from './parser.ts';
import { renderPage, siteTools } from './render-page.ts';
import type { FromProcess, ToProcess } from './task.ts';

let tools: SiteTools | undefined;

process.on('message', (message: ToProcess) => {
  if (message.type === 'site') tools = siteTools(message.plan);
  else if (message.parser === 'slow') void loadSlowParser().then(() => renderAll(message));
  else renderAll(message);
});

function renderAll(message: Extract<ToProcess, { type: 'pages' }>): void {
  for (const task of message.tasks) {
    if (!tools) throw new Error('pages arrived before the site');
    const answer: FromProcess = { type: 'page', result: renderPage(tools, task, message.parser) };
    process.send?.(answer);
  }
  keepCompiledCode();
}

let kept = false;

/** This process is ended, not asked to end; what it has compiled would be lost with it. */
function keepCompiledCode(): void {
  if (kept) return;
  kept = true;
  flushCompileCache();
}

/** When the parent is gone there is nobody to render for. */
process.on('disconnect', () => process.exit(0));
