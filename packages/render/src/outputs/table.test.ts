import { describe, expect, it, onTestFinished } from 'vitest';
import type { CacheDecision } from '../cache/page-cache.ts';
import { loadSite, renderSite } from '../index.ts';
import type { BuildCache } from '../model/build-cache.ts';
import { matchesPath } from '../model/path-pattern.ts';
import { Preview } from '../preview/preview.ts';
import { fixture, renderFiles, renderFolder, withFolder } from '../../test/support/render-fixture.ts';
import { isListed } from '../site/visibility.ts';
import { oneLine } from '../text/html.ts';
import { plainTitle } from '../theme/titles.ts';
import type { Output, OutputContext, OutputItem } from './contract.ts';
import { protectedOutputFiles } from './site-outputs.ts';
import { common, outputs } from './table.ts';

/** The generator of the model for new outputs; see "Add an output" in docs/internals/recipes.mdx. */
function* harborList({ site, pages }: OutputContext): Generator<OutputItem> {
  const listed = pages.filter(({ route, failed }) => !failed && isListed(site, site.metas.get(route)));
  const lines = listed.map(
    ({ title, description, summary }) => `${plainTitle(title)}: ${oneLine(description || summary)}\n`,
  );
  yield { path: 'harbors.txt', content: `${site.settings.name}\n${lines.join('')}` };
}

/** The row of a new output, which goes into `table.ts`. */
const harbors: Output = {
  ...common,
  name: 'harbors',
  files: ['harbors.txt'],
  canOverride: true,
  isProtected: true,
  write: harborList,
};

const site = {
  'docs.json': JSON.stringify({ name: 'Tides', navigation: { pages: ['index', 'piers'] } }),
  'index.mdx': '---\ntitle: Start\n---\n\nWelcome. [All harbors](/harbors.txt)\n',
  'piers.mdx': '---\ntitle: Piers\n---\n\nTwo of them.\n',
};

function addRow(output: Output): void {
  const table = outputs as Output[];
  table.push(output);
  onTestFinished(() => void table.pop());
}

describe('an output that is added as one row', () => {
  it('is written by an export, and pages link to it', async () => {
    addRow(harbors);
    const { files, codes, content } = await renderFiles(site);
    expect(files.get('harbors.txt')).toBe('Tides\nStart: Welcome. All harbors\nPiers: Two of them.\n');
    expect(content('index.html')).toContain('href="harbors.txt">All harbors</a>');
    expect(codes).toEqual([]);
  });

  it('omits hidden and failed pages, and code marks in titles', async () => {
    addRow(harbors);
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Tides', navigation: { pages: ['index', 'broken'] } }),
      'index.mdx': '---\ntitle: Use `tide`\n---\n\nWelcome.\n',
      'broken.mdx': `---\ntitle: Broken\n---\n\n${'> '.repeat(250)}deep\n`,
      'draft.mdx': '---\ntitle: Draft\nhidden: true\n---\n\nLater.\n',
    });
    expect(files.get('harbors.txt')).toBe('Tides\nUse tide: Welcome.\n');
  });

  it('is a broken link without the row', async () => {
    const { files, codes } = await renderFiles(site);
    expect(files.has('harbors.txt')).toBe(false);
    expect(codes).toEqual(['broken_link']);
  });

  it('is replaced by a file of the author', async () => {
    addRow(harbors);
    const { files } = await renderFiles({ ...site, 'harbors.txt': 'mine' });
    expect(files.get('harbors.txt')).toBe('mine');
  });

  it('is omitted without an origin when it needs one', async () => {
    addRow({ ...harbors, needsOrigin: true });
    const { files, codes } = await renderFiles(site);
    expect(files.has('harbors.txt')).toBe(false);
    expect(codes).toEqual(['broken_link']);
    const published = await renderFiles(site, { origin: 'https://tides.example.com' });
    expect(published.files.has('harbors.txt')).toBe(true);
  });

  it('is shown by the preview', async () => {
    addRow(harbors);
    await withFolder(site, async (root) => {
      const preview = await Preview.open({ root });
      onTestFinished(() => preview.close());
      expect(Buffer.from((await preview.file('harbors.txt')) as Uint8Array).toString()).toContain('Piers');
    });
  });

  it('is shown by the preview when its file is in a folder of another output', async () => {
    const path = '_docyard/harbors.json';
    addRow({ ...harbors, files: [path], write: () => [{ path, content: '[]' }] });
    await withFolder(site, async (root) => {
      const preview = await Preview.open({ root });
      onTestFinished(() => preview.close());
      expect(Buffer.from((await preview.file(path)) as Uint8Array).toString()).toBe('[]');
    });
  });

  it('is regenerated from cached pages', async () => {
    addRow(harbors);
    const values = new Map<string, Uint8Array>();
    const decisions: CacheDecision[] = [];
    const cache: BuildCache = {
      get: (key) => values.get(key),
      keep: (key) => values.get(key)?.length,
      put: (key, ...parts) => void values.set(key, new Uint8Array(Buffer.concat(parts))),
    };
    await withFolder(site, async (root) => {
      const cold = await renderFolder(root);
      const first = await renderFolder(root, { cache });
      const second = await renderFolder(root, { cache, onCacheDecision: (one) => decisions.push(one) });
      expect(decisions.map(({ isReused }) => isReused)).toEqual([true, true]);
      expect(second.files).toEqual(cold.files);
      expect(first.files).toEqual(cold.files);
    });
  });

  it('is refused to agent jobs when it is protected', () => {
    addRow(harbors);
    expect(protectedOutputFiles()).toContain('harbors.txt');
  });
});

describe('the table of outputs', () => {
  it('lists every generated file of an export', async () => {
    const loaded = await loadSite({ root: fixture('outputs') });
    const routes = new Set(loaded.pages.map(({ path }) => path));
    const unlisted: string[] = [];
    for await (const event of renderSite(loaded, { origin: 'https://tides.example.com' })) {
      if (event.type !== 'file' || event.file.kind !== 'output') continue;
      const { path } = event.file;
      const isListed = outputs.some(({ files }) =>
        files.some((pattern) => matchesPath(pattern, path, (route) => routes.has(route))),
      );
      if (!isListed && !loaded.files.all.includes(path)) unlisted.push(path);
    }
    expect(unlisted).toEqual([]);
  });

  it('contains only files that the preview can show', async () => {
    const root = fixture('outputs');
    const preview = await Preview.open({ root });
    onTestFinished(() => preview.close());
    const missing: string[] = [];
    for await (const event of renderSite(await loadSite({ root }), { groups: [] })) {
      if (event.type !== 'file') continue;
      const { kind, path } = event.file;
      if (kind === 'page') await preview.page(path);
      if (kind === 'output' && (await preview.file(path)) === undefined) missing.push(path);
    }
    // The preview serves this page for unknown addresses.
    expect(missing).toEqual(['404.html']);
  });

  it('lists each output and each file once', () => {
    const names = outputs.map(({ name }) => name);
    const files = outputs.flatMap((output) => output.files);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(files).size).toBe(files.length);
  });
});

describe('a pattern of output files', () => {
  it.each([
    ['llms.txt', 'llms.txt', true],
    ['llms.txt', 'guides/llms.txt', false],
    ['sitemap-*.xml', 'sitemap-2.xml', true],
    ['sitemap-*.xml', 'sitemap.xml', false],
    ['print/*.html', 'print/guides.html', true],
    ['print/*.html', 'print/a/b.html', false],
    ['aa*aa', 'aaa', false],
    ['{page}/rss.xml', 'guides/start/rss.xml', true],
    ['{page}/rss.xml', 'guides/nowhere/rss.xml', false],
    ['{page}.md', 'guides/start.md', true],
  ])('%s for the path %s: %s', (pattern, path, matches) => {
    expect(matchesPath(pattern, path, (route) => route === 'guides/start')).toBe(matches);
  });
});
