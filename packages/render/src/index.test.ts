import { beforeAll, describe, expect, it } from 'vitest';
import { SiteLoadError, engineVersion, loadSite, renderSite } from './index.ts';
import { unknownPaths } from './pipeline/load.ts';
import {
  type Rendered,
  fixture,
  renderFiles,
  renderFixture,
  renderFolder,
  withFolder,
} from '../test/support/render-fixture.ts';

describe('a rendered site', () => {
  let small: Rendered;

  beforeAll(async () => {
    small = await renderFixture('small');
  });

  it('a site has a page for each listed and hidden page, a not-found page and a sign-in page', () => {
    const { files } = small;
    const pages = [...files].filter(([path, html]) => path.endsWith('.html') && !isRedirect(html));
    expect(pages.map(([path]) => path).toSorted()).toEqual([
      '404.html',
      '_docyard/sign-in.html',
      'guides/deep/index.html',
      'guides/start.html',
      'hidden.html',
      'index.html',
      'print.html',
    ]);
  });

  it('only used files are copied', () => {
    const { files } = small;
    expect([...files].filter(([, content]) => content === 'copy').map(([path]) => path)).toEqual([
      'favicon.svg',
      'logo.svg',
    ]);
  });

  it('page links are relative with .html, so that a site opens from disk and from any folder', () => {
    const { content, files } = small;
    expect(content('index.html')).toContain(
      '<a class="link" href="guides/start.html#first-step">the start</a>',
    );
    expect(content('guides/deep/index.html')).toContain(
      '<a class="link" href="../../guides/start.html">up</a>',
    );
    expect(content('guides/deep/index.html')).toContain('<a class="link" href="../../index.html">home</a>');
    expect(files.get('guides/start.html')).toContain('href="../_docyard/style.css"');
  });

  it('pages declare a strict policy and contain no inline script, style or handler', () => {
    const { files } = small;
    for (const [path, html] of files) {
      if (!path.endsWith('.html') || ['404.html', '_docyard/sign-in.html'].includes(path) || isRedirect(html))
        continue;
      expect(html).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:/i);
    }
  });

  it('a page has one h1, landmarks, a skip link and the current page marked', () => {
    const html = small.files.get('guides/start.html') ?? '';
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toContain('<a class="dy-skip-link" href="#content-area">');
    expect(html).toMatch(/<nav id="sidebar" class="dy-site-sidebar" aria-label="Pages">/);
    expect(html).toContain('<a href="../guides/start.html" aria-current="page"><span>Start</span></a>');
    expect(html).toMatch(/rel="prev"[^>]*>.*Welcome/);
  });

  it('the output does not depend on the concurrency', async () => {
    const again = await renderFixture('small', { concurrency: 2 });
    expect(new Map([...again.files].toSorted())).toEqual(new Map([...small.files].toSorted()));
  });

  it('the output contains nothing of the machine', () => {
    const { files } = small;
    for (const content of files.values()) expect(content).not.toContain(fixture('small'));
  });

  it('omitted parts are reported', () => {
    const { diagnostics } = small;
    expect(diagnostics.map(({ code, file, line }) => [code, file, line])).toEqual([
      ['nav_page_missing', 'docs.json', 15],
      ['openapi_operation_missing', 'docs.json', 15],
      ['custom_script_skipped', 'extra.js', undefined],
      ['color_contrast', 'docs.json', undefined],
      ['orphan_page', 'hidden.mdx', undefined],
    ]);
  });

  it('snippets, their properties and components are evaluated without running code', () => {
    const { content } = small;
    const html = content('guides/start.html');
    expect(html).toContain('<p>Hello, Ada!</p>');
    expect(html).toMatch(/echo<\/span> Ada/);
    expect(html).toContain('<p>The limit is 60.</p>');
    expect(html).toContain('<b>one</b><b>two</b>');
    expect(html).toContain('<em>HI there</em>');
  });

  it('inline styles become classes of the site', () => {
    const { content, files } = small;
    const name = /<div class="(dy-s-[0-9a-f]+) box"/.exec(content('guides/start.html'))?.[1];
    expect(files.get('_docyard/site.css')).toContain(
      `.${name}:not(#\\##\\#) { margin-top: 8px; color: red }`,
    );
  });

  it('variables are inserted as text, and headings have the ids of the format', () => {
    const { content } = small;
    const html = content('index.html');
    expect(html).toContain('Hello from Acme Cloud.');
    expect(html.match(/<h2 id="[^"]+"/g)).toEqual([
      '<h2 id="config-json-options"',
      '<h2 id="config-json-options-2"',
      '<h2 id="my-id"',
    ]);
  });
});

describe('address styles', () => {
  it('the directory style writes folders with an index file', async () => {
    const { files, content } = await renderFixture('small', { urlStyle: 'directory' });
    expect(files.has('guides/start/index.html')).toBe(true);
    expect(content('guides/deep/index.html')).toContain('<a class="link" href="../../guides/start/">up</a>');
    expect(content('guides/deep/index.html')).toContain('<a class="link" href="../../">home</a>');
  });

  it('the clean style omits extensions for servers that add them', async () => {
    const { files, content } = await renderFixture('small', { urlStyle: 'clean' });
    expect(files.has('guides/start.html')).toBe(true);
    expect(content('index.html')).toContain('<a class="link" href="guides/start#first-step">');
    expect(content('guides/deep/index.html')).toContain('<a class="link" href="../../">home</a>');
  });

  it('canonical addresses have no extension', async () => {
    const { files } = await renderFixture('small', { origin: 'https://docs.example.com/', basePath: 'docs' });
    expect(files.get('guides/start.html')).toContain(
      '<link rel="canonical" href="https://docs.example.com/docs/guides/start">',
    );
    expect(files.get('guides/deep/index.html')).toContain('href="https://docs.example.com/docs/guides/deep"');
    expect(files.get('404.html')).toContain('<a href="/docs/">');
  });
});

describe('choosing pages', () => {
  it('only the requested paths are rendered, and nothing links to the others', async () => {
    const { files, content, codes } = await renderFixture('small', { paths: ['/guides/start', 'index.mdx'] });
    expect(files.has('hidden.html')).toBe(false);
    expect(files.get('index.html')).not.toContain('deep');
    expect(content('index.html')).toContain('href="guides/start.html#first-step"');
    expect(codes).not.toContain('broken_link');
  });

  it('the first page is also at the root when there is no index page', async () => {
    const { files } = await renderFixture('small', { paths: ['guides/start'] });
    expect(files.get('index.html')).toContain('<h1 id="page-title">Start</h1>');
    expect(files.get('index.html')).toContain('href="_docyard/style.css"');
  });

  it('pages of other groups are omitted', async () => {
    const guests = await renderFixture('small', { groups: ['guests'] });
    const staff = await renderFixture('small', { groups: ['staff'] });
    expect(guests.files.has('guides/deep/index.html')).toBe(false);
    expect(staff.files.has('guides/deep/index.html')).toBe(true);
  });

  it('unknown paths are reported; slashes and extensions are tolerated', async () => {
    const site = await loadSite({ root: fixture('small') });
    expect(unknownPaths(site, ['/index', 'guides/start.mdx', 'guides/deep/', 'guides/nope', ''])).toEqual([
      'guides/nope',
    ]);
  });
});

describe('a page that fails', () => {
  let broken: Rendered;

  beforeAll(async () => {
    broken = await renderFixture('broken');
  });

  it('a failing page shows an error panel with file, line, excerpt and hint, and the rest is rendered', () => {
    const { content, diagnostics } = broken;
    expect(content('good.html')).toBe('<p>Fine.</p>');
    expect(content('bad.html')).toContain('This page could not be rendered');
    expect(content('bad.html')).toContain('bad.mdx, line 7');
    expect(content('bad.html')).toContain('&lt;Card title="x"&gt;');
    expect(
      diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ code, file, line }) => [code, file, line]),
    ).toEqual(
      expect.arrayContaining([
        ['mdx_syntax', 'bad.mdx', 7],
        ['page_too_deep', 'deep.mdx', 5],
      ]),
    );
  });

  it('common mistakes are repaired outside of code', () => {
    const { content, codes } = broken;
    const html = content('almost.html');
    expect(html).not.toContain('a comment');
    expect(html).toContain('A line<br>break, x &lt;= 3');
    expect(html).toContain('<a class="link" href="https://example.com">https://example.com</a>');
    expect(html).toContain('use &lt;port&gt; and {“json”: 1}');
    expect(html).toMatch(/kept/);
    expect(codes).toContain('mdx_repaired');
  });

  it('input that crashes the native parser is rendered with the slow one or as an error', async () => {
    const depth = 20_000;
    const { content, diagnostics } = await renderFiles({
      'index.mdx': 'Before.',
      'braces.mdx': `Deep {${'('.repeat(depth)}1${')'.repeat(depth)}}`,
      'export.mdx': `export const a = ${'['.repeat(depth)}${']'.repeat(depth)}`,
      'zebra.mdx': 'After.',
    });
    expect(content('index.html')).toBe('<p>Before.</p>');
    expect(content('zebra.html')).toBe('<p>After.</p>');
    expect(content('braces.html')).toContain('<p>Deep {((((');
    expect(content('export.html')).toContain('This page could not be rendered');
    expect(diagnostics.map(({ file, severity }) => [file, severity]).toSorted()).toEqual([
      ['braces.mdx', 'warning'],
      ['export.mdx', 'error'],
    ]);
  });

  it('a page over one megabyte is rejected', async () => {
    const { content } = await renderFiles({ 'index.mdx': `# Big\n${'x'.repeat(1_000_001)}` });
    expect(content('index.html')).toContain('data-code="page_too_large"');
  });
});

describe('loading', () => {
  it('loading fails without a folder with pages', async () => {
    await expect(loadSite({ root: '/no/such/folder' })).rejects.toMatchObject({
      diagnostic: { code: 'site_missing' },
    });
    await withFolder({ 'README.md': '# Notes' }, async (root) => {
      await expect(loadSite({ root })).rejects.toBeInstanceOf(SiteLoadError);
    });
  });

  it('without a configuration the navigation follows the folders', async () => {
    const site = await loadSite({ root: fixture('plain-folder') });
    expect(site.pages).toEqual([
      { path: 'index', file: 'index.md', title: 'Home page' },
      { path: 'guides/getting-started', file: 'guides/getting-started.md', title: 'Getting started' },
    ]);
  });

  it('a legacy mint.json is read', async () => {
    const { files } = await renderFixture('legacy');
    const html = files.get('introduction.html') ?? '';
    expect(html).toContain('>API</a>');
    expect(html).toMatch(/<a href="https:\/\/example.com\/chat">(?:<svg.*?<\/svg>)?Chat/);
    expect(html).toContain('<a class="dy-button" href="https://example.com">Go</a>');
  });

  it('ignored files and repository notes are skipped', async () => {
    await withFolder(
      {
        '.mintignore': 'drafts/\n*.draft.mdx',
        'drafts/a.mdx': 'x',
        'b.draft.mdx': 'x',
        'c.mdx': 'x',
        'CONTRIBUTING.md': 'x',
      },
      async (root) => {
        const site = await loadSite({ root });
        expect(site.pages.map(({ path }) => path)).toEqual(['c']);
      },
    );
  });

  it('the engine version is the version of the package', () => {
    expect(engineVersion).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('stopping', () => {
  it('rendering stops at once when it is aborted', async () => {
    const site = await loadSite({ root: fixture('small') });
    const stop = new AbortController();
    stop.abort();
    const run = async (): Promise<void> => {
      for await (const event of renderSite(site, { signal: stop.signal })) void event;
    };
    await expect(run()).rejects.toThrow(/abort/i);
  });
});

describe('links', () => {
  it('broken links are reported, and schemes that could run code are rejected', async () => {
    const { diagnostics, files } = await renderFolder(fixture('links'));
    const found = diagnostics.map(({ code, line }) => `${code}:${line}`).toSorted();
    expect(found).toEqual([
      'broken_anchor:5',
      'broken_link:5',
      'color_contrast:undefined',
      'image_missing:7',
      'unsafe_link:5',
      'unsafe_link:5',
      'unsafe_link:6',
    ]);
    const html = files.get('a/one.html') ?? '';
    expect(html).toContain('<a class="link" href="../a/two.html#x">ok</a>');
    expect(html).toContain('<a href="mailto:a@b.c">mail</a>');
    expect(html).not.toMatch(/script:|data:text/);
  });
});

function isRedirect(html: string): boolean {
  return html.includes('<meta http-equiv="refresh"');
}
