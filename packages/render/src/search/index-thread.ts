/** The thread that builds the search index of a large site; see `search-builder.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PageTerms } from '../model/page.ts';
import { compressInMemory } from '../text/spill.ts';
import { type SearchFile, SearchIndex } from './build.ts';
import type { SearchedPages } from './pages.ts';

export type ToIndexThread = { route: string; terms: PageTerms | undefined } | 'finish';
/** Completed files, in reply to each page; null after the last one. */
export type FromIndexThread = SearchFile[] | null;

const { pages, scopes } = workerData as SearchedPages;
const index = new SearchIndex(pages, scopes, { spill: compressInMemory });
const maxFilesPerMessage = 200;

parentPort?.on('message', (message: ToIndexThread) => {
  if (message === 'finish') finish();
  else send(index.add(message.route, message.terms));
});

function finish(): void {
  let files: SearchFile[] = [];
  for (const file of index.finish()) {
    files.push(file);
    if (files.length < maxFilesPerMessage) continue;
    send(files);
    files = [];
  }
  if (files.length > 0) send(files);
  parentPort?.postMessage(null satisfies FromIndexThread, []);
}

function send(files: SearchFile[]): void {
  parentPort?.postMessage(files satisfies FromIndexThread, []);
}
