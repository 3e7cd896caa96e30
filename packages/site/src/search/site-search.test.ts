import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rankingFile, rankingSource } from '../../test/support/ranking-source.ts';
import { type Page, searchableFiles } from '../../test/support/searchable-site.ts';
import { makeSite } from '../../test/support/served-releases.ts';
import { SearchIndexError } from './shards.ts';
import { siteSearch } from './site-search.ts';

const install: Page = {
  title: 'Install the harbor',
  html: '<p>Everything about moorings.</p><h2 id="linux">On Linux</h2><p>Unpack the archive below a folder.</p><h2 id="windows">On Windows</h2><p>Run the installer with administrator rights.</p>',
  markdown:
    '# Install the harbor\n\nEverything about moorings.\n\n## On Linux\n\nUnpack the archive below a folder.\n\n```sh\n# On Windows\ntar -xzf harbor.tar.gz\n```\n\n## On Windows\n\nRun the installer with administrator rights.\n',
};
const backup: Page = {
  title: 'Backups',
  html: '<p>Copy the database every night.</p><h2 id="restore">Restore a backup</h2><p>Stop the service and unpack the copy.</p>',
  markdown:
    '# Backups\n\nCopy the database every night.\n\n## Restore a backup\n\nStop the service and unpack the copy.\n',
};

const searchOver = async (files: Record<string, string>) => siteSearch(await makeSite(files));

test('the committed ranking matches the script of the theme', async () => {
  expect(
    await readFile(rankingFile, 'utf8'),
    'search/files/ranking.js is stale. Run `npm run search-ranking` and commit the result.',
  ).toBe(await rankingSource());
});

test('a question finds the section that answers it, with its Markdown and its address', async () => {
  const site = await makeSite(searchableFiles([install, backup]));
  site.configure({ basePath: '/docs' });
  const [passage] = await siteSearch(site).find('How can I restore a backup?', { limit: 3 });
  expect(passage).toMatchObject({
    path: 'p1.html',
    url: '/docs/p1.html#restore',
    title: 'Backups',
    heading: 'Restore a backup',
    id: 'restore',
    text: '## Restore a backup\n\nStop the service and unpack the copy.',
    coverage: 1,
  });
});

test('a passage is without the line that leads agents to the list of pages', async () => {
  const markdown = `> All pages of this documentation are listed in [llms.txt](../llms.txt).\n\n${backup.markdown}`;
  const search = await searchOver(searchableFiles([{ ...backup, markdown }]));
  const [passage] = await search.find('copy the database every night', { limit: 1 });
  expect(passage?.text).toBe('# Backups\n\nCopy the database every night.');
});

test('a comment in a code block does not end a section', async () => {
  const search = await searchOver(searchableFiles([install, backup]));
  const [passage] = await search.find('unpack the archive on Linux', { limit: 1 });
  expect(passage?.text).toContain('tar -xzf harbor.tar.gz');
});

test('a question with a typo and with words that the page lacks finds its page', async () => {
  const search = await searchOver(searchableFiles([install, backup]));
  const [passage] = await search.find('please tell me, must I restroe something on Tuesdays?', { limit: 1 });
  expect(passage?.id).toBe('restore');
  expect(passage?.coverage).toBeLessThan(1);
});

test('a question about something else finds nothing or passages with little coverage', async () => {
  const search = await searchOver(searchableFiles([install, backup]));
  for (const { coverage } of await search.find('Who won the football cup?', { limit: 5 }))
    expect(coverage).toBeLessThan(0.3);
});

test('a passage that two versions repeat is found once', async () => {
  const search = await searchOver(searchableFiles([backup, install, backup]));
  const found = await search.find('restore a backup', { limit: 5 });
  expect(found.filter(({ id }) => id === 'restore').map(({ path }) => path)).toEqual(['p0.html']);
});

test('a page without Markdown has its excerpt, and a page that is not served has no passage', async () => {
  const files = searchableFiles([install, backup]);
  delete files['p1.md'];
  const excerpt = await (await searchOver(files)).find('restore a backup', { limit: 1 });
  expect(excerpt[0]?.text).toBe('Stop the service and unpack the copy.');
  delete files['p1.html'];
  const found = await (await searchOver(files)).find('restore a backup', { limit: 5 });
  expect(found.map(({ path }) => path)).not.toContain('p1.html');
});

test('a site without a search index has no passages', async () => {
  expect(await (await searchOver({ 'index.html': 'home' })).find('anything', { limit: 5 })).toEqual([]);
});

test('readers of two groups find only passages of their own files', async () => {
  const forA = await searchOver(searchableFiles([install]));
  const forB = await searchOver(searchableFiles([backup]));
  const texts = async (search: typeof forA) =>
    JSON.stringify(await search.find('restore a backup, unpack the archive', { limit: 10 }));
  expect(await texts(forA)).not.toContain('Restore');
  expect(await texts(forB)).not.toContain('Linux');
});

test.each([
  ['a program', 'index', 'globalThis.wasRun = true\n'],
  ['a call with an expression', 'index', 'docyardSearch("index",globalThis.wasRun = true)\n'],
  ['another shape', 'index', 'docyardSearch("index",{"sections":5})\n'],
  ['terms that end early', 't0', 'docyardSearch("t0",`!restore`)\n'],
  ['pages without sections', 'p0', 'docyardSearch("p0",[0,0,["a","p1.html","",[]]])\n'],
  ['nothing', 'p0', ''],
])('an index file with %s is refused and not run', async (_, name, content) => {
  const files = searchableFiles([install, backup]);
  const search = await searchOver({ ...files, [`_docyard/search/${name}.js`]: content });
  await expect(search.find('restore a backup', { limit: 5 })).rejects.toThrow(SearchIndexError);
  expect('wasRun' in globalThis).toBe(false);
});

test('an index that claims more sections than a site can have is refused', async () => {
  const files = searchableFiles([install]);
  const index = files['_docyard/search/index.js'] ?? '';
  const search = await searchOver({
    ...files,
    '_docyard/search/index.js': index.replace(/"sections":"[^"]*"/, `"sections":"${'~'.repeat(300_000)}"`),
  });
  await expect(search.find('restore', { limit: 5 })).rejects.toThrow(SearchIndexError);
});

test('an address of a page cannot lead out of the site', async () => {
  const files = searchableFiles([install, backup]);
  const pages = files['_docyard/search/p0.js'] ?? '';
  const search = await searchOver({
    ...files,
    '_docyard/search/p0.js': pages.replaceAll('p1.html', '../../../etc/passwd'),
  });
  const found = await search.find('restore a backup', { limit: 5 });
  expect(found.every(({ path }) => path === 'p0.html')).toBe(true);
});
