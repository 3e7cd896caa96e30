import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { diffSites, type Side, type SiteDiff } from './diff.ts';

const markdown = (title: string, more = '') => `> About the whole.\n\n# ${title}\n\n${prose(title)}${more}\n`;
const prose = (title: string) =>
  Array.from({ length: 60 }, (_, index) => `Sentence ${index} of ${title}.`).join(' ');

/** The HTML of a page is derived from its Markdown and the frame. */
function site(pages: Record<string, string>, others: Record<string, string> = {}, frame = 'frame'): Side {
  const files = new Map(Object.entries(others));
  for (const [name, text] of Object.entries(pages)) {
    files.set(`${name}.md`, text).set(`${name}.html`, `${frame}${text}`);
  }
  const list = [...files].map(([path, text]) => ({
    path,
    sizeBytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  return {
    manifest: {
      format: 1,
      engine: 'docyard/1.0.0',
      version: null,
      commit: null,
      committedAt: null,
      pages: Object.keys(pages).length,
      files: list,
    },
    read: async (paths) =>
      new Map(
        [...files].filter(([path]) => paths.has(path)).map(([path, text]) => [path, Buffer.from(text)]),
      ),
  };
}

const nothing: Pick<SiteDiff, 'pages' | 'files'> = {
  pages: { added: [], changed: [], removed: [], moved: [], restyled: [] },
  files: { added: [], changed: [], removed: [] },
};

test('two identical sites have no differences', async () => {
  const one = site({ index: markdown('Start') }, { 'app.js': 'x' });
  expect(await diffSites(one, one)).toMatchObject({ identical: true, changedBytes: 0, ...nothing });
});

test('new, changed and removed pages are listed with their titles', async () => {
  const before = site({ index: markdown('Start'), 'guides/a': markdown('A'), old: markdown('Old') });
  const after = site({
    index: markdown('Start'),
    'guides/a': markdown('A', ' Edited.'),
    new: markdown('New'),
  });
  expect(await diffSites(before, after)).toMatchObject({
    identical: false,
    pages: {
      added: [{ path: '/new', title: 'New' }],
      changed: [{ path: '/guides/a', title: 'A', titleBefore: 'A' }],
      removed: [{ path: '/old', title: 'Old' }],
      moved: [],
      restyled: [],
    },
    files: nothing.files,
  });
});

test('the index page has the path /', async () => {
  const diff = await diffSites(site({ index: markdown('A') }), site({ index: markdown('B') }));
  expect(diff.pages.changed).toEqual([{ path: '/', title: 'B', titleBefore: 'A' }]);
});

test('a page with the same text at another path has moved', async () => {
  const before = site({ 'guides/start': markdown('Start') });
  const diff = await diffSites(before, site({ 'learn/first-steps': markdown('Start') }));
  expect(diff.pages).toEqual({
    ...nothing.pages,
    moved: [
      {
        path: '/learn/first-steps',
        from: '/guides/start',
        title: 'Start',
        titleBefore: 'Start',
        changed: false,
      },
    ],
  });
});

test('a page of the same name with mostly the same text has moved and was edited', async () => {
  const before = site({ 'guides/start': markdown('Start') });
  const diff = await diffSites(before, site({ 'learn/more/start': markdown('Start', ' And more.') }));
  expect(diff.pages).toEqual({
    ...nothing.pages,
    moved: [
      {
        path: '/learn/more/start',
        from: '/guides/start',
        title: 'Start',
        titleBefore: 'Start',
        changed: true,
      },
    ],
  });
});

test('a page of the same name with other text is a different page', async () => {
  const before = site({ 'guides/overview': markdown('Guides') });
  const { pages } = await diffSites(before, site({ 'api/overview': markdown('The programming interface') }));
  expect(pages).toMatchObject({
    added: [{ path: '/api/overview' }],
    removed: [{ path: '/guides/overview' }],
    moved: [],
  });
});

test('identical pages are not reported as moved', async () => {
  const same = markdown('Twin');
  const { pages } = await diffSites(site({ a: same, b: same }), site({ c: same }));
  expect(pages).toMatchObject({
    added: [{ path: '/c' }],
    removed: [{ path: '/a' }, { path: '/b' }],
    moved: [],
  });
});

test('a page with the same text and another frame is restyled', async () => {
  const pages = { index: markdown('Start'), a: markdown('A') };
  expect(await diffSites(site(pages, {}, 'old frame'), site(pages, {}, 'new frame'))).toMatchObject({
    identical: false,
    pages: { ...nothing.pages, restyled: ['/a', '/'] },
  });
});

test('pages as index.html in a folder are pages', async () => {
  const directory = (text: string) => site({}, { 'a.md': text, 'a/index.html': `<p>${text}` });
  const diff = await diffSites(directory('# One'), directory('# Two'));
  expect(diff.pages.changed).toEqual([{ path: '/a', title: 'Two', titleBefore: 'One' }]);
});

test('other files are listed with the size of changed ones', async () => {
  const before = site({}, { 'app.js': '1', 'gone.png': '12', 'notes.md': 'no page: there is no HTML' });
  const after = site({}, { 'app.js': '123', 'new.png': '1234', 'notes.md': 'no page: there is no HTML' });
  expect(await diffSites(before, after)).toMatchObject({
    pages: nothing.pages,
    files: { added: ['new.png'], changed: ['app.js'], removed: ['gone.png'] },
    changedBytes: 7,
  });
});

const onlyManifest = ({ manifest }: Side): Side => ({ manifest });

test('manifests alone provide titles and moves by hash', async () => {
  const withTitles = ({ manifest }: Side, titles: Record<string, string>): Side => ({
    manifest: {
      ...manifest,
      files: manifest.files.map((file) => ({ ...file, title: titles[file.path] })),
    },
  });
  const before = site({ a: markdown('A'), 'x/same': markdown('Same'), old: markdown('Old') });
  const after = site({ a: markdown('A', '!'), 'y/same': markdown('Same'), new: markdown('New') });
  const diff = await diffSites(
    withTitles(before, { 'a.md': 'A', 'x/same.md': 'Same', 'old.md': 'Old' }),
    withTitles(after, { 'a.md': 'Better A', 'y/same.md': 'Same', 'new.md': 'New' }),
  );
  expect(diff.pages).toEqual({
    ...nothing.pages,
    added: [{ path: '/new', title: 'New' }],
    changed: [{ path: '/a', title: 'Better A', titleBefore: 'A' }],
    moved: [{ path: '/y/same', from: '/x/same', title: 'Same', titleBefore: 'Same', changed: false }],
    removed: [{ path: '/old', title: 'Old' }],
  });
});

test('older manifests have no titles', async () => {
  const before = site({ a: markdown('A') });
  const after = site({ a: markdown('A', '!') });
  expect((await diffSites(onlyManifest(before), onlyManifest(after))).pages.changed).toEqual([
    { path: '/a', title: null, titleBefore: null },
  ]);
});
