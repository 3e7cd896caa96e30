import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import { deleteFile } from './delete-file.ts';
import { existingPath } from './existing-path.ts';
import { listFiles } from './list-files.ts';
import { movePage } from './move-page.ts';
import { readFile } from './read-file.ts';
import { search } from './search.ts';
import { writeFile } from './write-file.ts';

const site = () =>
  bench({
    'docs.json': '{}',
    'guides/start.mdx': 'start',
    'guides/both.mdx': 'x',
    'guides/both.md': 'x',
    'guides/index.mdx': 'index',
    'v1/old.md': 'old',
  });

describe('a path that a model writes', () => {
  const meant: [given: string, file: string][] = [
    ['guides/start', 'guides/start.mdx'],
    ['guides/start.md', 'guides/start.mdx'],
    ['guides/start.html', 'guides/start.mdx'],
    ['Guides/Start.mdx', 'guides/start.mdx'],
    ['guides/start.mdx:12', 'guides/start.mdx'],
    ['guides/start#install', 'guides/start.mdx'],
    ['https://docs.example.com/guides/start?x=1#y', 'guides/start.mdx'],
    ['docs/guides/start', 'guides/start.mdx'],
    ['workspace/docs/guides/start.mdx', 'guides/start.mdx'],
    ['guides/', 'guides/index.mdx'],
    ['guides', 'guides/index.mdx'],
    ['v1/old', 'v1/old.md'],
  ];
  test.each(meant)('%s means %s', async (given, file) => {
    expect(await existingPath(site().context.tree, given, { inAnyFolder: true })).toBe(file);
  });

  test('a path with several files or none stays as it is', async () => {
    for (const given of ['guides/both', 'guides/none', 'v1/guides/start', 'start.mdx', '..', '/'])
      expect(await existingPath(site().context.tree, given, { inAnyFolder: true })).toBe(given);
  });

  test('folders that do not exist are ignored only by tools that read', async () => {
    const { tree } = site().context;
    expect(await existingPath(tree, 'v2/guides/start', { inAnyFolder: false })).toBe('v2/guides/start');
    const result = await site().run(deleteFile, { path: 'v2/guides/start.mdx' });
    expect(result.text).toContain('v2/guides/start.mdx does not exist');
  });

  test('tools name the file that they found', async () => {
    const bound = site();
    expect((await bound.run(readFile, { path: '"@/guides/start"' })).text).toContain(
      'guides/start.mdx: lines 1–1',
    );
    expect((await bound.run(search, { pattern: 'start', path: 'docs/guides' })).text).toContain(
      'guides/start.mdx',
    );
    expect((await bound.run(listFiles, { path: 'docs/v1' })).text).toContain('v1/old.md');
    const moved = await bound.run(movePage, { from: 'guides/start', to: 'guides/begin' });
    expect(moved.text).toContain('Moved guides/start.mdx to guides/begin.mdx.');
  });

  test('a new file is written to the given path, and an address does not get a second page', async () => {
    const bound = site();
    expect((await bound.run(writeFile, { path: 'docs/new.mdx', content: 'x' })).text).toContain(
      'Created docs/new.mdx',
    );
    expect((await bound.run(writeFile, { path: 'v1/old.mdx', content: 'x' })).text).toContain(
      'v1/old.md was not changed',
    );
  });
});
