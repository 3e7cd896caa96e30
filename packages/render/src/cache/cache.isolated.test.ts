/** A build with a cache gives the bytes and findings of a build without one. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryCache } from '../../test/support/memory-cache.ts';
import { loadSite } from '../pipeline/load.ts';
import { type OutputFile, renderSite } from '../pipeline/render-site.ts';
import type { RenderOptions } from '../pipeline/site-plan.ts';
import { type CacheDecision, DamagedCacheError } from './page-cache.ts';

/** Called right after a page was rendered. */
const meanwhile = vi.hoisted(() => ({ rendered: (_file: string): unknown => undefined, openPools: 0 }));

/** Pages are rendered in this process. */
vi.mock(import('../pipeline/process-pool.ts'), async () => {
  const { renderPage, siteTools } = await import('../pipeline/render-page.ts');
  return {
    async *renderPages(tasks, { plan }) {
      const tools = siteTools(plan);
      meanwhile.openPools += 1;
      try {
        for (const task of tasks) {
          const page = renderPage(tools, task, 'fast');
          meanwhile.rendered(task.file);
          yield page;
        }
      } finally {
        meanwhile.openPools -= 1;
      }
    },
  };
});

interface Built {
  files: Map<string, string>;
  findings: string[];
  decisions: CacheDecision[];
}

const docs = (...pages: string[]): string =>
  JSON.stringify({ name: 'Harbour', colors: { primary: '#0f766e' }, navigation: { pages } }, null, 2);
const svg = (width: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"/>`;

const site: Record<string, string> = {
  'docs.json': docs('index', 'guides/first', 'guides/second', 'guides/third'),
  'index.mdx':
    '---\ntitle: Start\n---\n\nWelcome to the [first](/guides/first) guide, and [more](/guides/third#deep).\n',
  'guides/first.mdx':
    '---\ntitle: First\n---\n\nimport Note from "/snippets/note.mdx";\n\n## Harbour\n\n<Note />\n',
  'guides/second.mdx': '---\ntitle: Second\n---\n\n## Boat\n\n![A boat](/boat.svg)\n\n#### Sails\n',
  'guides/third.mdx': '---\ntitle: Third\n---\n\n## Deep\n\nText with a [lost](/nowhere) link and {1 + 1}.\n',
  'snippets/note.mdx': 'A snippet about ropes.\n',
  'boat.svg': svg(10),
};
const pages = ['guides/first.html', 'guides/second.html', 'guides/third.html', 'index.html'];

let root: string;
let cache: MemoryCache;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'docyard-cache-'));
  cache = new MemoryCache();
  for (const [path, text] of Object.entries(site)) write(path, text);
});

afterEach(() => {
  rmSync(root, { recursive: true });
  meanwhile.rendered = () => undefined;
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), 1_000_000, 1_000_000);
}

async function build(options: RenderOptions = {}): Promise<Built> {
  // A file that changes after the start of a build is not cached.
  if (options.cache) await setTimeout(25);
  const built: Built = { files: new Map(), findings: [], decisions: [] };
  const onCacheDecision = (decision: CacheDecision): unknown => built.decisions.push(decision);
  for await (const event of renderSite(await loadSite({ root }), {
    concurrency: 1,
    onCacheDecision,
    ...options,
  })) {
    if (event.type === 'diagnostic') built.findings.push(JSON.stringify(event.diagnostic));
    if (event.type === 'file')
      built.files.set(event.file.path, Buffer.from(bytesOf(event.file.content)).toString('latin1'));
  }
  built.findings.sort();
  return built;
}

function bytesOf(content: OutputFile['content']): Uint8Array {
  if ('read' in content) return content.read();
  return 'copyFrom' in content
    ? readFileSync(content.copyFrom)
    : Buffer.concat(Array.from(content.pieces, (piece) => Buffer.from(piece)));
}

/** Builds with the cache, compares with a build without it, and returns the outputs that were rendered. */
async function rebuild(options: RenderOptions = {}): Promise<string[]> {
  const cached = await build({ cache, engine: 'engine 1', ...options });
  const fresh = await build({ ...options, engine: 'engine 1' });
  expect(cached.files).toEqual(fresh.files);
  expect(cached.findings).toEqual(fresh.findings);
  const reused = new Set(cached.decisions.filter(({ isReused }) => isReused).map(({ output }) => output));
  return [...cached.files.keys()].filter((path) => pages.includes(path) && !reused.has(path)).toSorted();
}

describe('a second build', () => {
  beforeEach(async () => {
    expect(await rebuild()).toEqual(pages);
  });

  it('a second build renders no page when nothing changed', async () => {
    expect(await rebuild()).toEqual([]);
  });

  it('a second build renders the page whose date changed, and all pages when their repository did', async () => {
    write(
      'docs.json',
      docs('index', 'guides/first', 'guides/second', 'guides/third').replace(
        '{',
        '{"metadata":{"timestamp":true},"feedback":{"suggestEdit":true},',
      ),
    );
    const changedOn = new Map(pages.map((page) => [page.replace('.html', '.mdx'), '2026-05-14']));
    const links = { edit: 'https://git.example.com/edit/main/' };
    expect(await rebuild({ sourceFacts: { changedOn, links } })).toEqual(pages);
    expect(await rebuild({ sourceFacts: { changedOn, links } })).toEqual([]);
    const later = new Map([...changedOn, ['guides/first.mdx', '2026-05-15']]);
    expect(await rebuild({ sourceFacts: { changedOn: later, links } })).toEqual(['guides/first.html']);
    const moved = { edit: 'https://git.example.com/edit/next/' };
    expect(await rebuild({ sourceFacts: { changedOn: later, links: moved } })).toEqual(pages);
  });

  it('a second build renders the page whose text changed', async () => {
    write('guides/second.mdx', `${site['guides/second.mdx']}\nMore words.\n`);
    expect(await rebuild()).toEqual(['guides/second.html']);
    write('guides/second.mdx', site['guides/second.mdx'] ?? '');
    expect(await rebuild()).toEqual([]);
  });

  it('a second build renders the pages that use a changed snippet or show a changed picture', async () => {
    write('snippets/note.mdx', 'A snippet about sails.\n');
    expect(await rebuild()).toEqual(['guides/first.html']);
    write('boat.svg', svg(99));
    expect(await rebuild()).toEqual(['guides/second.html']);
  });

  it('a second build renders the pages that link to a heading whose id changed', async () => {
    write('guides/third.mdx', site['guides/third.mdx']?.replace('## Deep', '## D_e_ep') ?? '');
    expect(await rebuild()).toEqual(['guides/third.html', 'index.html']);
    write('guides/third.mdx', site['guides/third.mdx'] ?? '');
    expect(await rebuild()).toEqual(['index.html']);
  });

  it.each([
    {
      change: 'a title',
      file: 'guides/second.mdx',
      now: site['guides/second.mdx']?.replace('Second', 'Two'),
    },
    { change: 'a new page', file: 'nowhere.mdx', now: '---\ntitle: Somewhere\n---\n\nFound.\n' },
    {
      change: 'the configuration',
      file: 'docs.json',
      now: docs('guides/first', 'index', 'guides/second', 'guides/third'),
    },
  ])('a second build renders every page after a change of $change', async ({ file, now }) => {
    write(file, now ?? '');
    expect(await rebuild()).toEqual(pages);
  });

  it('a second build renders every page with other options or another engine version', async () => {
    expect(await rebuild({ origin: 'https://docs.example.com' })).toEqual(pages);
    expect(await rebuild({ engine: 'engine 2' })).toEqual(pages);
  });

  it('a second build renders every page when a downloaded font changed', async () => {
    write('docs.json', docs().replace('{', '{ "fonts": { "family": "Own", "source": "https://x.test/a" },'));
    const fonts = (content: string): RenderOptions => ({
      fetchFont: () => Promise.resolve(Buffer.from(`wOF2${content}`)),
    });
    expect(await rebuild(fonts('first'))).toEqual(pages);
    expect(await rebuild(fonts('first'))).toEqual([]);
    expect(await rebuild(fonts('second'))).toEqual(pages);
  });

  it('a page with an error is rendered in every build', async () => {
    write('guides/second.mdx', '---\ntitle: Second\n---\n\n<Steps>\n```\nx\n');
    expect(await rebuild()).toEqual(['guides/second.html']);
    expect(await rebuild()).toEqual(['guides/second.html']);
  });

  it('a build reports why each page was rendered', async () => {
    write('snippets/note.mdx', 'A snippet about sails.\n');
    const { decisions } = await build({ cache, engine: 'engine 1' });
    expect(decisions).toContainEqual({
      output: 'guides/first.html',
      isReused: false,
      reason: 'snippets/note.mdx changed',
    });
    expect(decisions).toContainEqual({
      output: 'index.html',
      isReused: true,
      reason: 'same source, site, files and ids',
    });
  });

  it('a damaged cache does not change the output', async () => {
    for (let round = 1; round <= 20; round += 1) {
      cache.damage(round);
      await rebuild();
    }
  });
});

it('a page whose file changed while it was rendered is not cached', async () => {
  meanwhile.rendered = (file) => {
    if (file === 'guides/second.mdx') writeFileSync(join(root, file), `${site[file]}\nToo late.\n`);
  };
  await build({ cache, engine: 'engine 1' });
  meanwhile.rendered = () => undefined;
  expect(await rebuild()).toEqual(['guides/second.html']);
});

it('an aborted build leaves its finished pages in the cache', async () => {
  await setTimeout(25);
  let finished = 0;
  for await (const event of renderSite(await loadSite({ root }), {
    cache,
    engine: 'engine 1',
    concurrency: 1,
  }))
    if (event.type === 'file' && event.file.kind === 'page' && ++finished === 3) break;
  expect((await rebuild()).length).toBeLessThan(3);
});

it('a file that is damaged after the build began ends the build', async () => {
  await build({ cache, engine: 'engine 1' });
  const files: OutputFile[] = [];
  for await (const event of renderSite(await loadSite({ root }), { cache, engine: 'engine 1' }))
    if (event.type === 'file') files.push(event.file);
  for (const key of cache.values.keys()) if (key.startsWith('file:')) cache.values.set(key, new Uint8Array());
  const page = files.find(({ path }) => path === 'guides/second.html');
  expect(() => page && bytesOf(page.content)).toThrow(DamagedCacheError);
});

it('a build that stops at a reused page ends the processes that render the others', async () => {
  await build({ cache });
  write('guides/third.mdx', '---\ntitle: Third\n---\n\n## Deep\n\nAnother text.\n');
  await setTimeout(25);
  for await (const event of renderSite(await loadSite({ root }), { concurrency: 1, cache }))
    if (event.type === 'file' && event.file.kind === 'page') break;
  expect(meanwhile.openPools).toBe(0);
});
