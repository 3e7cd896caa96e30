import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/test-context.ts';
import { openSiteChecks } from '../site-check.ts';
import { movePage } from './move-page.ts';
import { search } from './search.ts';
import { bench, benchOn, type TestBench } from '../../../test/support/tool-bench.ts';

const never = new AbortController().signal;
const docs = (more: object): string =>
  JSON.stringify({ name: 'Boats', theme: 'mint', colors: { primary: '#0f766e' }, ...more }, null, 2);
const page = (title: string, body: string): string =>
  `---\ntitle: ${title}\ndescription: About ${title}.\n---\n\n${body}\n`;

function boats(options: { scopePaths?: string[] } = {}): TestBench {
  return bench(
    {
      'docs.json': `${docs({
        navigation: {
          tabs: [
            {
              tab: 'Guides',
              groups: [{ group: 'Start', root: 'guides/start', pages: ['index', 'guides/oars'] }],
            },
          ],
        },
        navbar: { links: [{ label: 'Begin', href: '/guides/start' }] },
        redirects: [{ source: '/begin', destination: '/guides/start' }],
      })}\n`,
      'index.mdx': page(
        'Home',
        'See [start](/guides/start#row), [again](guides/start) and `[code](/guides/start)`.\n\n<Card title="Go" href="/guides/start" />\n\n[ref]: /guides/start\n\n```md\n[kept](/guides/start)\n```',
      ),
      'guides/start.mdx': page(
        'Start',
        "import Part from '../snippets/part.mdx';\n\n## Row\n\n<Part />\n\n[oars](./oars) [home](../index) [me](/guides/start#row) ![boat](../boat.svg)",
      ),
      'guides/oars.mdx': page('Oars', 'Back to [the start](./start.mdx#row) or [there](start).'),
      'snippets/part.mdx': 'Part of [start](/guides/start).\n',
      'boat.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    },
    options,
  );
}

describe('a moved page', () => {
  test('the page is at its new path, and all links lead there', async () => {
    const site = boats();
    const result = await site.run(movePage, { from: 'guides/start.mdx', to: 'first/steps/begin.mdx' });
    expect(result.isError).toBeUndefined();
    expect(existsSync(join(site.folder, 'guides/start.mdx'))).toBe(false);
    expect(site.read('index.mdx')).toContain('[start](/first/steps/begin#row), [again](first/steps/begin)');
    expect(site.read('index.mdx')).toContain('href="/first/steps/begin"');
    expect(site.read('index.mdx')).toContain('[ref]: /first/steps/begin');
    expect(site.read('guides/oars.mdx')).toContain('[the start](../first/steps/begin.mdx#row)');
    expect(site.read('guides/oars.mdx')).toContain('[there](../first/steps/begin)');
    expect(site.read('snippets/part.mdx')).toContain('(/first/steps/begin)');
  });

  test('code stays unchanged', async () => {
    const site = boats();
    await site.run(movePage, { from: 'guides/start.mdx', to: 'begin.mdx' });
    expect(site.read('index.mdx')).toContain('`[code](/guides/start)`');
    expect(site.read('index.mdx')).toContain('[kept](/guides/start)');
  });

  test('relative links, images and imports of the page keep working', async () => {
    const site = boats();
    await site.run(movePage, { from: 'guides/start.mdx', to: 'first/steps/begin.mdx' });
    const text = site.read('first/steps/begin.mdx');
    expect(text).toContain("from '../../snippets/part.mdx'");
    expect(text).toContain('[oars](../../guides/oars)');
    expect(text).toContain('[home](../../index)');
    expect(text).toContain('[me](/first/steps/begin#row)');
    expect(text).toContain('![boat](../../boat.svg)');
  });

  test('entries, links and redirects in the configuration are updated and the rest is unchanged', async () => {
    const site = boats();
    const before = site.read('docs.json');
    await site.run(movePage, { from: 'guides/start.mdx', to: 'guides/begin.mdx' });
    const config = site.read('docs.json');
    const parsed = JSON.parse(config) as { redirects: unknown };
    expect(parsed.redirects).toEqual([
      { source: '/begin', destination: '/guides/begin' },
      { source: '/guides/start', destination: '/guides/begin' },
    ]);
    expect(config).toContain('"root": "guides/begin"');
    expect(config).toContain('"href": "/guides/begin"');
    expect(config.split('\n').slice(0, 8)).toEqual(before.split('\n').slice(0, 8));
  });

  test('the report lists the changes of each file', async () => {
    const { text, changes } = await boats().run(movePage, {
      from: 'guides/start.mdx',
      to: 'guides/begin.mdx',
    });
    expect(text).toMatchInlineSnapshot(`
      "Moved guides/start.mdx to guides/begin.mdx. Its address is /guides/begin.
      Changed:
      - guides/begin.mdx: 1 link of its own
      - guides/oars.mdx: 2 links (line 6)
      - index.mdx: 4 links (line 6, 8, 10)
      - snippets/part.mdx: 1 link (line 1)
      - docs.json: navigation entry (line 14), link (line 28), redirect destination (line 35)
      - docs.json: redirect /guides/start → /guides/begin added"
    `);
    expect(changes?.map(({ path, content }) => [path, content === null])).toEqual([
      ['guides/begin.mdx', false],
      ['guides/oars.mdx', false],
      ['index.mdx', false],
      ['snippets/part.mdx', false],
      ['docs.json', false],
      ['guides/start.mdx', true],
    ]);
  });

  test('scripts stay unchanged and are named', async () => {
    const site = boats();
    site.write('snippets/cards.jsx', 'export const links = [\n  { href: "/guides/start" },\n];\n');
    const { text } = await site.run(movePage, { from: 'guides/start.mdx', to: 'guides/begin.mdx' });
    expect(text).toContain('Unchanged:\n- snippets/cards.jsx (line 2) is a script and names the old address');
    expect(site.read('snippets/cards.jsx')).toContain('/guides/start');
  });

  test('moving back removes the redirect', async () => {
    const site = boats();
    const before = site.read('index.mdx');
    await site.run(movePage, { from: 'guides/start.mdx', to: 'guides/begin.mdx' });
    await site.run(movePage, { from: 'guides/begin.mdx', to: 'guides/start.mdx' });
    const { redirects } = JSON.parse(site.read('docs.json')) as { redirects: unknown };
    expect(redirects).toEqual([
      { source: '/begin', destination: '/guides/start' },
      { source: '/guides/begin', destination: '/guides/start' },
    ]);
    expect(site.read('index.mdx')).toBe(before);
  });

  test('the renderer reports no new findings', async () => {
    const site = boats();
    const checks = await openSiteChecks(
      { folder: site.folder, renderProcesses: 1, customCode: 'run' },
      never,
    );
    await site.run(movePage, { from: 'guides/start.mdx', to: 'first/steps/begin.mdx' });
    expect((await checks.validate(never)).filter(({ isNew }) => isNew)).toEqual([]);
  });
});

describe('configurations', () => {
  test('an older mint.json with comments, tabs and Windows line endings is preserved', async () => {
    const config =
      '{\r\n\t// ours\r\n\t"name": "Old",\r\n\t"navigation": [{ "group": "A", "pages": ["a", {"group": "B", "pages": ["b"]}] }],\r\n}\r\n';
    const site = bench({ 'mint.json': config, 'a.mdx': '[b](/b)', 'b.mdx': 'B' });
    await site.run(movePage, { from: 'b.mdx', to: 'c.mdx' });
    const now = site.read('mint.json');
    expect(now).toContain('\t// ours\r\n');
    expect(now).toContain('"pages": ["a", {"group": "B", "pages": ["c"]}]');
    expect(now).toMatch(
      /\r\n\t"redirects": \[\r\n\t\t\{\r\n\t\t\t"source": "\/b",\r\n\t\t\t"destination": "\/c"/,
    );
    expect(now.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('included configuration files are updated', async () => {
    const site = bench({
      'docs.json': docs({
        navigation: { $ref: './config/nav.json' },
        redirects: { $ref: 'config/redirects.json' },
      }),
      'config/nav.json': '{ "groups": [{ "group": "A", "pages": { "$ref": "./pages.json" } }] }',
      'config/pages.json': '["a", "b"]',
      'config/redirects.json': '[\n    { "source": "/z", "destination": "/b" }\n]\n',
      'a.mdx': 'A',
      'b.mdx': 'B',
    });
    await site.run(movePage, { from: 'b.mdx', to: 'c.mdx' });
    expect(site.read('config/pages.json')).toBe('["a", "c"]');
    expect(JSON.parse(site.read('config/redirects.json'))).toEqual([
      { source: '/z', destination: '/c' },
      { source: '/b', destination: '/c' },
    ]);
    expect(site.read('docs.json')).not.toContain('"/b"');
  });

  test('an index page stands for its folder', async () => {
    const site = bench({
      'docs.json': docs({ navigation: { pages: ['a', 'guides/index', 'guides/more'] } }),
      'a.mdx': '[folder](/guides) and [file](/guides/index)',
      'guides/index.mdx': '[more](more)',
      'guides/more.mdx': '[up](./)',
    });
    await site.run(movePage, { from: 'guides/index.mdx', to: 'intro.mdx' });
    expect(site.read('a.mdx')).toBe('[folder](/intro) and [file](/intro)');
    expect(site.read('intro.mdx')).toBe('[more](guides/more)');
    expect(site.read('docs.json')).toContain('"source": "/guides"');
  });

  test('a site without configuration works', async () => {
    const site = bench({ 'a.mdx': '[b](./b)', 'b.mdx': 'B' });
    const { text } = await site.run(movePage, { from: 'b.mdx', to: 'c.mdx' });
    expect(site.read('a.mdx')).toBe('[b](./c)');
    expect(text).toContain('no redirect leads from /b to /c');
  });
});

describe('refused moves', () => {
  const refusals: [string, { from: string; to: string }, string][] = [
    ['a page that is not there', { from: 'guides/strat.mdx', to: 'x.mdx' }, 'Did you mean guides/start.mdx'],
    ['a place that is taken', { from: 'guides/start.mdx', to: 'guides/oars.mdx' }, 'Choose another path'],
    ['another extension', { from: 'guides/start.mdx', to: 'guides/begin.md' }, 'ends with .mdx'],
    ['no change', { from: 'guides/start.mdx', to: 'guides/start.mdx' }, 'are the same'],
    ['a picture', { from: 'boat.svg', to: 'ship.svg' }, 'only .mdx and .md files'],
    ['a path outside the tree', { from: 'guides/start.mdx', to: '../x.mdx' }, 'leaves the docs folder'],
  ];
  test.each(refusals)('the refusal of %s says what to do', async (_, input, words) => {
    const site = boats();
    const result = await site.run(movePage, input);
    expect(result).toMatchObject({ isError: true });
    expect(result.text).toContain(words);
    expect(existsSync(join(site.folder, 'guides/start.mdx'))).toBe(true);
  });

  test('a navigation outside the scope refuses the move, and nothing is written', async () => {
    const site = boats({ scopePaths: ['guides'] });
    const result = await site.run(movePage, { from: 'guides/start.mdx', to: 'guides/begin.mdx' });
    expect(result.text).toContain('docs.json names this page, and that file is outside the scope');
    expect(site.read('guides/oars.mdx')).toContain('./start.mdx');
  });

  test('an invalid configuration refuses the move', async () => {
    const site = boats();
    site.write('docs.json', '{ "name": ');
    const result = await site.run(movePage, { from: 'guides/start.mdx', to: 'guides/begin.mdx' });
    expect(result.text).toContain('docs.json is not valid JSON');
  });
});

/** An optional archive of a real site next to the repository. */
const archive = fileURLToPath(
  new URL('../../../../../../shared/sites/superradcompany+microsandbox.tar.gz', import.meta.url),
);

const isLong = process.env['LONG_TESTS'] !== undefined;

describe.runIf(isLong && existsSync(archive))('a real site of 140 pages', () => {
  test('the site has no new findings after its most linked pages have moved', async () => {
    const parent = temporaryFolder('real-site');
    execFileSync('tar', ['-xzf', archive, '-C', parent]);
    const folder = join(parent, 'superradcompany+microsandbox');
    const site = benchOn(folder);
    const checks = await openSiteChecks({ folder, renderProcesses: 2, customCode: 'run' }, never);
    const moves = [
      ['cli/sandbox-commands.mdx', 'reference/cli/sandboxes.mdx'],
      ['sandboxes/secrets.mdx', 'security/handling-secrets.mdx'],
      ['networking/overview.mdx', 'networking/index.mdx'],
    ];
    for (const [from, to] of moves) {
      const result = await site.run(movePage, { from, to });
      expect(result.text).toMatch(/^Moved [\s\S]+ links? [\s\S]+navigation entry[\s\S]+redirect/);
    }
    expect((await checks.validate(never)).filter(({ isNew }) => isNew)).toEqual([]);
    const leftOver = await site.run(search, {
      pattern: '\\]\\(/(cli/sandbox-commands|sandboxes/secrets)',
      regex: true,
    });
    expect(leftOver.text).toContain('Nothing matches');
  }, 180_000);
});
