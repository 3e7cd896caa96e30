import { expect, it } from 'vitest';
import type { SearchFile } from './build.ts';
import { pageTerms } from './page-terms.ts';
import type { SearchedPage, SearchedPages } from './pages.ts';
import { WorkerThreadBuilder, SameThreadBuilder, type SearchBuilder } from './search-builder.ts';

const task = { keywords: [], boost: 1, hints: '' };
const routes = Array.from({ length: 300 }, (_, at) => `page-${at}`);
const searched: SearchedPages = {
  pages: new Map(
    routes.map((route): [string, SearchedPage] => [
      route,
      { title: route, href: `${route}.html`, trail: [], scopes: [], task },
    ]),
  ),
  scopes: [],
};

async function filesOf(builder: SearchBuilder): Promise<SearchFile[]> {
  const files: SearchFile[] = [];
  for (const [at, route] of routes.entries()) {
    const html = `<h2 id="a">Rope ${at}</h2><p>${'harbor boat sail '.repeat(at % 7)}number${at}</p>`;
    files.push(...builder.add(route, pageTerms({ html, title: route, description: '' }, task)));
  }
  for await (const file of builder.finish()) files.push(file);
  builder.close();
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

it('the worker thread builds the same files as this thread', async () => {
  const own = await filesOf(new SameThreadBuilder(searched));
  expect(own.length).toBeGreaterThan(2);
  expect(await filesOf(new WorkerThreadBuilder(searched))).toEqual(own);
});

it('a failing thread is reported', async () => {
  const builder = new WorkerThreadBuilder({
    ...searched,
    pages: undefined as unknown as SearchedPages['pages'],
  });
  await expect(filesOf(builder)).rejects.toThrow();
});

it('the caller waits while the thread is behind', async () => {
  const builder = new WorkerThreadBuilder(searched);
  for (const route of routes) builder.add(route, undefined);
  let rounds = 0;
  for (let room = builder.room(); room; room = builder.room()) {
    await room;
    rounds += 1;
  }
  expect(rounds).toBeGreaterThan(0);
  builder.close();
});
