/** A run with a memory writes what a run without one writes, byte for byte, and does less for it. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadSite, readPage } from '../pipeline/load.ts';
import { type OutputFile, renderSite } from '../pipeline/render-site.ts';
import type { RenderOptions } from '../pipeline/site-plan.ts';
import { RunMemory } from './last-run.ts';
import type { SiteMemory } from './site-memory.ts';

/** What happens between the moment a page is rendered and the one it is taken in. */
const meanwhile = vi.hoisted(() => ({ rendered: (_file: string): unknown => undefined }));

/** Pages are rendered in this process. */
vi.mock(import('../pipeline/process-pool.ts'), async () => {
  const { renderPage, siteTools } = await import('../pipeline/render-page.ts');
  return {
    async *renderPages(tasks, { plan }) {
      const tools = siteTools(plan);
      for (const task of tasks) {
        const page = renderPage(tools, task, 'fast');
        meanwhile.rendered(task.file);
        yield page;
      }
    },
  };
});

class Store implements SiteMemory {
  readonly values = new Map<string, Uint8Array>();
  puts: string[] = [];
  get isEmpty(): boolean {
    return this.values.size === 0;
  }
  get(key: string): Uint8Array | undefined {
    return this.values.get(key);
  }
  has(key: string): boolean {
    return this.values.has(key);
  }
  put(key: string, ...parts: readonly Uint8Array[]): void {
    this.puts.push(key);
    this.values.set(key, new Uint8Array(Buffer.concat(parts)));
  }
  touch(): void {}
}

interface Written {
  files: Map<string, string>;
  findings: string[];
  /** Files that were taken over. */
  old: string[];
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
  'guides/second.mdx': '---\ntitle: Second\n---\n\n## Boat\n\n![A boat](/boat.svg)\n',
  'guides/third.mdx': '---\ntitle: Third\n---\n\n## Deep\n\nText with a [lost](/nowhere) link and {1 + 1}.\n',
  'snippets/note.mdx': 'A snippet about ropes.\n',
  'boat.svg': svg(10),
};

let root: string;
let store: Store;
let kept: { token: string; paths: string[]; files: Map<string, string> } | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'docyard-memory-'));
  store = new Store();
  kept = undefined;
  for (const [path, text] of Object.entries(site)) write(path, text);
});

afterEach(() => rmSync(root, { recursive: true }));

/** Long ago, so that the file counts as settled. */
function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), 1_000_000, 1_000_000);
}

async function render(options: RenderOptions = {}, files?: Map<string, string>): Promise<Written> {
  const loaded = await loadSite({ root, ...(options.memory ? { memory: options.memory.load } : {}) });
  const written: Written = { files: new Map(), findings: [], old: [] };
  for await (const event of renderSite(loaded, { concurrency: 1, ...options })) {
    if (event.type === 'diagnostic') written.findings.push(JSON.stringify(event.diagnostic));
    if (event.type === 'old')
      for (const path of event.paths) {
        written.old.push(path);
        written.files.set(path, files?.get(path) ?? 'lost');
      }
    if (event.type !== 'file') continue;
    const { path, content } = event.file;
    const bytes = bytesOf(content);
    written.files.set(path, Buffer.from(bytes).toString('latin1'));
  }
  written.findings.sort();
  return written;
}

function bytesOf(content: OutputFile['content']): Uint8Array {
  if (content instanceof Uint8Array) return content;
  return 'copyFrom' in content
    ? readFileSync(content.copyFrom)
    : Buffer.concat(Array.from(content.pieces, (piece) => Buffer.from(piece)));
}

/** What was written just before a run may have been written while it was under way. */
const aMoment = (): Promise<void> => setTimeout(20);

async function remembered(options: RenderOptions = {}, engine = 'engine 1'): Promise<Written> {
  await aMoment();
  const memory = new RunMemory(store, engine, root);
  const last = kept?.token === memory.lastToken ? kept?.files : undefined;
  store.puts = [];
  const written = await render(
    {
      ...options,
      memory,
      ...(last && {
        lastFiles: {
          has: (path) => last.has(path),
          paths: () => kept?.paths ?? [],
          areAllThere: () => (kept?.paths ?? []).every((path) => last.has(path)),
          read: (path) => {
            const text = last.get(path);
            return text === undefined ? undefined : Buffer.from(text, 'latin1');
          },
          async readAhead(path) {
            const bytes = Buffer.from(last.get(path) ?? '', 'latin1');
            /** In pieces that no section ends with. */
            return [bytes.subarray(0, 100), bytes.subarray(100, 101), bytes.subarray(101)];
          },
        },
      }),
    },
    last,
  );
  memory.commit();
  kept = { token: memory.token, paths: [...written.files.keys()], files: written.files };
  return written;
}

/** What is remembered must be what would be rendered. Returns the pages that were rendered, and those that were taken over. */
async function runAgain(options: RenderOptions = {}): Promise<{ rendered: number; old: string[] }> {
  const { rendered, old } = await runOnceMore(options);
  const isOfPage = (path: string): boolean => /^(?!print|404).*\.html$/.test(path);
  return { rendered, old: old.filter(isOfPage).toSorted() };
}

async function runOnceMore(options: RenderOptions = {}): Promise<{ rendered: number; old: string[] }> {
  const written = await remembered(options);
  const plain = await render(options);
  expect([...written.files.keys()].toSorted()).toEqual([...plain.files.keys()].toSorted());
  for (const [path, text] of plain.files) expect(written.files.get(path), path).toBe(text);
  expect(written.findings).toEqual(plain.findings);
  return { rendered: store.puts.filter((key) => key.startsWith('page:')).length, old: written.old };
}

const all = ['guides/first.html', 'guides/second.html', 'guides/third.html', 'index.html'];

describe('a file that is edited while pages are rendered for the first time is not taken for what it has become', () => {
  it.each([
    { file: 'index.mdx', text: 'As it is then.\n', page: 'index', rendered: 1 },
    { file: 'snippets/note.mdx', text: 'As it is then.\n', page: 'guides/first', rendered: 1 },
    { file: 'boat.svg', text: svg(4711), page: 'guides/second', rendered: 1 },
    { file: 'docs.json', text: docs('guides/first', 'index'), page: 'index', rendered: 4 },
  ])('$file', async ({ file, text, page, rendered }) => {
    meanwhile.rendered = (justNow) => justNow === `${page}.mdx` && write(file, text);
    await remembered();
    meanwhile.rendered = () => undefined;
    const before = kept?.files.get(`${page}.html`);
    expect((await runAgain()).rendered).toBe(rendered);
    expect(kept?.files.get(`${page}.html`)).not.toBe(before);
  });
});

describe('after a run', () => {
  beforeEach(async () => {
    expect(await runAgain()).toEqual({ rendered: 4, old: [] });
  });

  it('everything is taken over when nothing changed', async () => {
    expect(await runAgain()).toEqual({ rendered: 0, old: all });
  });

  it('an edit of a text costs one page', async () => {
    write('index.mdx', `${site['index.mdx']}\nMore words about anchors, and [lost](/nowhere/else).\n`);
    expect(await runAgain()).toEqual({ rendered: 1, old: all.slice(0, 3) });
    expect(await runAgain()).toEqual({ rendered: 0, old: all });
  });

  it('a heading that is gone breaks the links of pages that were not touched', async () => {
    write('guides/third.mdx', site['guides/third.mdx']?.replace('## Deep', '## Shallow') ?? '');
    expect(await runAgain()).toEqual({
      rendered: 1,
      old: ['guides/first.html', 'guides/second.html', 'index.html'],
    });
    expect((await render()).findings.join()).toContain('broken_anchor');
  });

  it('a heading that got another id is found again by the links around all pages', async () => {
    const withHeader = {
      ...JSON.parse(site['docs.json'] ?? ''),
      navbar: { links: [{ label: 'Deep', href: '/guides/third#DEEP_sea' }] },
    };
    write('docs.json', JSON.stringify(withHeader));
    await runAgain();
    expect(kept?.files.get('index.html')).toContain('href="guides/third.html#DEEP_sea"');
    write('guides/third.mdx', (site['guides/third.mdx'] ?? '').replace('Deep', 'Deep sea'));
    await runAgain();
    expect(kept?.files.get('index.html')).toContain('href="guides/third.html#deep-sea"');
    write('index.mdx', `${site['index.mdx']}\nMore words.\n`);
    expect(await runAgain()).toEqual({ rendered: 1, old: all.slice(0, 3) });
    expect(kept?.files.get('index.html')).toContain('href="guides/third.html#deep-sea"');
  });

  it('a heading that got another id is found again by the links of pages that were not touched', async () => {
    write('guides/third.mdx', site['guides/third.mdx']?.replace('## Deep', '## D_e_ep') ?? '');
    const again = await runAgain();
    expect(again.rendered).toBe(1);
    expect(again.old).not.toContain('index.html');
    const { files, findings } = await render();
    expect(files.get('index.html')).toContain('#d_e_ep"');
    expect(findings.join()).not.toContain('broken_anchor');
  });

  it('an edit of a snippet or a picture costs the pages that show it', async () => {
    write('snippets/note.mdx', 'A snippet about sails.\n');
    expect(await runAgain()).toEqual({ rendered: 1, old: all.slice(1) });
    write('boat.svg', svg(99));
    expect(await runAgain()).toEqual({
      rendered: 1,
      old: ['guides/first.html', 'guides/third.html', 'index.html'],
    });
  });

  it('a drawing with code is written without it and reported by every run', async () => {
    write('boat.svg', svg(99).replace('/>', '><script>alert(1)</script><path d="M0"/></svg>'));
    for (const text of ['', 'More words.\n', 'Even more words.\n']) {
      write('index.mdx', `${site['index.mdx']}\n${text}`);
      await runAgain();
      expect(kept?.files.get('boat.svg')).toContain('<path d="M0"');
      expect(kept?.files.get('boat.svg')).not.toContain('script');
    }
    const { findings, files } = await render();
    expect(findings.join()).toContain('svg_active');
    write('boat.svg', '<svg><script>alert(1)</script>');
    await runAgain();
    expect(files.has('boat.svg')).toBe(true);
    expect(kept?.files.has('boat.svg')).toBe(false);
  });

  it('a page that has a mistake now is gone from what repeats it, and back when it has none', async () => {
    write('guides/second.mdx', '---\ntitle: Second\n---\n\n<Steps>\n```\nx\n');
    expect((await runAgain()).old).toEqual(['guides/first.html', 'guides/third.html', 'index.html']);
    expect(kept?.files.get('llms-full.txt')).not.toContain('# Second');
    write('guides/second.mdx', site['guides/second.mdx'] ?? '');
    await runAgain();
    expect(kept?.files.get('llms-full.txt')).toContain('# Second');
  });

  it('another title is written on every page, which are not rendered again', async () => {
    write('guides/second.mdx', site['guides/second.mdx']?.replace('Second', 'Number two') ?? '');
    expect(await runAgain()).toEqual({ rendered: 1, old: [] });
  });

  it('a new page costs itself and the pages whose links lead to it now', async () => {
    write('nowhere.mdx', '---\ntitle: Somewhere\n---\n\nFound.\n');
    expect(await runAgain()).toEqual({ rendered: 2, old: [] });
    rmSync(join(root, 'nowhere.mdx'));
    expect(await runAgain()).toEqual({ rendered: 1, old: [] });
  });

  it('a change of the configuration is seen everywhere', async () => {
    write('docs.json', docs('guides/first', 'index', 'guides/second', 'guides/third'));
    expect((await runAgain()).old).toEqual([]);
  });

  it('other options, and another program, begin anew', async () => {
    expect((await runAgain({ origin: 'https://docs.example.com' })).old).toEqual([]);
    expect((await remembered({}, 'engine 2')).old).toEqual([]);
    expect(store.puts.filter((key) => key.startsWith('page:'))).toHaveLength(4);
  });

  it('a file about all pages that is gone is made again, though no page has changed', async () => {
    const whole = kept?.files.get('llms-full.txt');
    kept?.files.delete('llms-full.txt');
    const { files } = await remembered();
    expect(files.get('llms-full.txt')).toBe(whole);
    expect(whole).toContain('Harbour');
  });

  it('a run that was not committed never was', async () => {
    write('index.mdx', '---\ntitle: Start\n---\n\nNobody sees this.\n');
    const memory = new RunMemory(store, 'engine 1', root);
    await render({ memory });
    write('index.mdx', site['index.mdx'] ?? '');
    expect(await runAgain()).toEqual({ rendered: 0, old: all });
  });
});

describe('nothing but words', () => {
  /** With a finding that has a place of its own, one that the page knows, and one that somebody has to look for. */
  const text = [
    '---',
    'title: Ropes',
    '---',
    '',
    'About ropes, and [more](/guides/third#deep).',
    '',
    '## Knots',
    '',
    '#### Loops',
    '',
    'A loop.',
    '',
  ].join('\n');

  beforeEach(async () => {
    write(
      'docs.json',
      docs('index', 'ropes', 'guides/first', 'guides/second', 'guides/third', 'guides/fourth'),
    );
    write('ropes.mdx', text);
    // What lists say of a page are its first words.
    write(
      'guides/first.mdx',
      `${site['guides/first.mdx']?.replace('<Note />', `${'Words. '.repeat(50)}\n\n<Note />`)}`,
    );
    write(
      'guides/fourth.mdx',
      '---\ntitle: Fourth\n---\n\nTwice: <b id="a">a</b> and <b id="a">b</b>.\n\nMore.\n',
    );
    await runOnceMore();
  });

  /** A file that knows all pages is taken over only then. */
  const staysAsItIs = async (): Promise<boolean> => (await runOnceMore()).old.includes('404.html');

  it.each([
    { edit: 'words at the end', file: 'ropes.mdx', now: `${text}Another loop.\n` },
    { edit: 'a link to another page', file: 'ropes.mdx', now: `${text}As in the [first](/guides/first).\n` },
    {
      edit: 'lines above links',
      file: 'index.mdx',
      now: site['index.mdx']?.replace('\n\nWel', '\n\n{/* ! */}\n\nWel'),
    },
    { edit: 'words of a snippet', file: 'snippets/note.mdx', now: 'A snippet about sails.\n' },
  ])('$edit: what is not of the page stays as it is', async ({ file, now }) => {
    write(file, now ?? '');
    expect(await staysAsItIs()).toBe(true);
    expect(await runOnceMore()).toMatchObject({ rendered: 0 });
    // Again, after a run that has taken most of itself from the one before.
    write('guides/second.mdx', `${site['guides/second.mdx']}\nIt floats.\n`);
    expect(await staysAsItIs()).toBe(true);
  });

  it.each([
    { edit: 'a heading', file: 'ropes.mdx', now: `${text}## Hitches\n` },
    { edit: 'the first words, which lists repeat', file: 'ropes.mdx', now: text.replace('About', 'On') },
    { edit: 'a link that leads nowhere', file: 'ropes.mdx', now: `${text}[Lost](/nowhere).\n` },
    {
      edit: 'a link to an id that is not there',
      file: 'ropes.mdx',
      now: `${text}[Lost](/guides/third#no).\n`,
    },
    { edit: 'a picture', file: 'ropes.mdx', now: `${text}![A boat](/boat.svg)\n` },
    { edit: 'a style', file: 'ropes.mdx', now: `${text}<b style={{ color: 'red' }}>Red</b>\n` },
    {
      edit: 'what a finding is about has moved',
      file: 'ropes.mdx',
      now: text.replace('About', '{/* ! */}\n\nAbout'),
    },
    {
      edit: 'what a finding is about may have moved',
      file: 'guides/fourth.mdx',
      now: '---\ntitle: Fourth\n---\n\n{/* ! */}\n\nTwice: <b id="a">a</b> and <b id="a">b</b>.\n\nMore.\n',
    },
    { edit: 'a picture that the site shows', file: 'boat.svg', now: svg(30) },
    { edit: 'a secret', file: 'ropes.mdx', now: `${text}AKIAIOSFODNN7EXAMPLX\n` },
    { edit: 'a formula, the first one', file: 'ropes.mdx', now: `${text}$$a^2$$\n` },
  ])('more than words: $edit', async ({ file, now }) => {
    write(file, now);
    expect(await staysAsItIs()).toBe(false);
  });

  it('a file that is gone meanwhile is made again', async () => {
    write('ropes.mdx', `${text}Another loop.\n`);
    kept?.files.delete('sitemap.xml');
    kept?.files.delete('robots.txt');
    expect(await staysAsItIs()).toBe(false);
  });
});

it('pages that a run had finished before it was killed are not rendered again', async () => {
  await aMoment();
  const memory = new RunMemory(store, 'engine 1', root);
  let pages = 0;
  for await (const event of renderSite(await loadSite({ root, memory: memory.load }), {
    memory,
    concurrency: 1,
  }))
    if (event.type === 'file' && event.file.kind === 'page' && ++pages === 3) break;
  const finished = store.puts.filter((key) => key.startsWith('page:')).length;
  expect(finished).toBeGreaterThanOrEqual(2);
  expect(await runAgain()).toEqual({ rendered: 4 - finished, old: [] });
});

it('of what was read of pages, only the parts with a change are written down again', async () => {
  const files = Array.from({ length: 5000 }, (_, index) => `files/${String(index).padStart(4, '0')}.mdx`);
  for (const file of files) write(file, file);
  const readOf = (file: string) => readPage(root, file, file.replace('.mdx', ''));
  /** As a run would do it that reads what is not known, and nothing else. */
  const run = async (): Promise<{ unknown: string[]; parts: string[] }> => {
    await aMoment();
    store.puts = [];
    const memory = new RunMemory(store, 'engine 1', root);
    const unknown = files.filter((file) => !memory.load.pages.has(file));
    for (const file of unknown) memory.load.pages.set(file, readOf(file));
    const frame = { references: [], unresolved: [], reached: [] };
    const facts = {
      frame,
      hasRemote: false,
      printed: { partition: '', features: [], bytes: [] },
      anchorTargets: [],
      pageKeys: [],
      tiers: { none: 0, static: 0, run: 0, refused: 0 },
      searchReserve: new Uint8Array(),
      fullText: [],
    };
    memory.finish({ options: '', files, edited: undefined }, facts);
    memory.commit();
    const parts = store.puts.flatMap((key) => /reads:\d+$/.exec(key) ?? []);
    return { unknown, parts };
  };
  expect(await run()).toEqual({ unknown: files, parts: ['reads:0', 'reads:2000', 'reads:4000'] });
  // The last part is not full, so that more may come to it.
  expect(await run()).toEqual({ unknown: [], parts: ['reads:4000'] });
  write('files/2345.mdx', 'another text');
  expect(await run()).toEqual({ unknown: ['files/2345.mdx'], parts: ['reads:2000', 'reads:4000'] });
  expect((await run()).unknown).toEqual([]);
});
