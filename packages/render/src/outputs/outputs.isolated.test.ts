import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isFixedPath } from '../model/path-pattern.ts';
import { type Rendered, renderFiles, renderFixture } from '../../test/support/render-fixture.ts';
import { outputs } from './table.ts';

vi.mock(import('../pipeline/process-pool.ts'), () => import('../../test/support/in-process-pool.ts'));

let published: Rendered;
let offline: Rendered;

beforeAll(async () => {
  published = await renderFixture('outputs', { origin: 'https://tides.example.com', basePath: '/docs' });
  offline = await renderFixture('outputs');
});

function file(path: string, site = published): string {
  return site.files.get(path) ?? '';
}

describe('the Markdown of a page', () => {
  it('is the page without imports, exports and comments, with snippets and values filled in', () => {
    expect(file('index.md')).toBe(`> All pages of this documentation are listed in [llms.txt](llms.txt).

# Welcome

> Start here.

Tides come every 12 hours. The limit is 3 m.

<Note>
  Mind the *old* pier.
</Note>

\`\`\`text
the *old* pier floods every 12 hours
\`\`\`

<Card title="Read on" href="/guides/reading">
  High water, <Tooltip tip="Checked">low water</Tooltip>.
</Card>

Call the API:

\`\`\`bash
curl https://api.example.com/harbours/1   # {hours} {/* stays */}
\`\`\`

- A list
  An older line

  with a second one.

The height is $h = a \\cdot \\sin(t)$.

\`\`\`js title="import.js"
import a from 'b';
export const c = {/* stays */};
\`\`\`
`);
  });

  it('exists for every page, including hidden ones', () => {
    for (const path of ['guides/hidden.md', 'guides/unlisted.md', 'es/index.md', 'changelog.md'])
      expect(published.files.has(path), path).toBe(true);
  });

  it('links to the index from any depth', () => {
    expect(file('guides/reading.md')).toContain('](../llms.txt)');
  });

  it('ends with an excerpt of the API description', () => {
    const markdown = file('guides/harbour.md');
    expect(markdown).toContain('## OpenAPI\n\n```yaml openapi.json GET /harbours/{id}\n');
    expect(markdown).toContain('Harbour:');
    expect(markdown).not.toContain('/unrelated');
    expect(markdown).not.toContain('Other:');
  });

  it('omits the API description when the site disables it', async () => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'A', markdown: { schema: false } }),
      'openapi.json': JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'A', version: '1' },
        paths: { '/a': { get: { responses: {} } } },
      }),
      'index.mdx': '---\ntitle: A\nopenapi: GET /a\n---\n\nText.\n',
    });
    expect(files.get('index.md')).toContain('Text.');
    expect(files.get('index.md')).not.toContain('OpenAPI');
  });

  it('stays within bounds when snippets use snippets twice, twelve deep', async () => {
    const chain = Array.from({ length: 12 }, (_, level) => [
      `snippets/level-${level}.mdx`,
      `import Next from '/snippets/level-${level + 1}.mdx';\n\nword <Next /> <Next />\n`,
    ]);
    const { files } = await renderFiles({
      ...(Object.fromEntries(chain) as Record<string, string>),
      'snippets/level-12.mdx': 'end',
      'index.mdx': "import Next from '/snippets/level-0.mdx';\n\n<Next />\n",
    });
    const words = (files.get('index.md') ?? '').match(/word/g)?.length ?? 0;
    expect(words).toBeGreaterThan(500);
    expect(words).toBeLessThanOrEqual(2000);
  });

  it('says that a failed page could not be rendered', async () => {
    const { files } = await renderFiles({
      'index.mdx': `---\ntitle: Broken\n---\n\n${'> '.repeat(250)}deep\n`,
    });
    expect(files.get('index.md')).toContain('# Broken\n\nThis page has a mistake in its source');
  });
});

describe('llms.txt', () => {
  it('lists the default language in the order of the navigation', () => {
    expect(file('llms.txt')).toBe(`# Tide tables

> When the water comes, and when it goes.

- Times are in UTC.
- Heights are in metres.

## Start

- [Welcome](https://tides.example.com/docs/index.md): Start here.
- [Reading \\[tables\\] & more](https://tides.example.com/docs/guides/reading.md): The first paragraph says what this page is about.

## News

- [Changes](https://tides.example.com/docs/changelog.md): What is new.

## API

- [Harbours](https://tides.example.com/docs/guides/harbour.md): Ends </script> here & there.

## Other pages

- [Found all the same](https://tides.example.com/docs/guides/found.md): Not in the navigation, but found.

## OpenAPI specs

- [openapi.json](https://tides.example.com/docs/openapi.json)

## Optional

- [Forum](https://forum.example.com)
`);
    expect(published.files.has('openapi.json')).toBe(true);
  });

  it('has relative addresses without an origin', () => {
    expect(file('llms.txt', offline)).toContain('](guides/reading.md)');
    expect(file('.well-known/llms.txt', offline)).toContain('](../guides/reading.md)');
  });

  it('stays below 50,000 characters, first with shorter descriptions, then with fewer pages', async () => {
    const pages = (count: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `page-${index}.mdx`,
          `---\ntitle: Page ${index}\ndescription: ${'word '.repeat(60)}\n---\n`,
        ]),
      );
    const some = (await renderFiles(pages(450))).files.get('llms.txt') ?? '';
    expect(some.length).toBeLessThanOrEqual(50_000);
    expect(some.match(/^- \[/gm)).toHaveLength(450);
    expect(some).toContain('word…');
  });
});

it('a file of the repository replaces each output that authors may replace, under all its fixed paths', async () => {
  const replaceable = outputs.filter(({ canOverride }) => canOverride);
  const own = Object.fromEntries(replaceable.map(({ name, files: [path = ''] }) => [path, `my ${name}`]));
  const { files } = await renderFiles(
    { ...own, 'index.mdx': 'Read [this](/llms.txt).' },
    { origin: 'https://a.example' },
  );
  expect(files.get('.well-known/llms.txt')).toBe('my llms');
  for (const output of replaceable)
    for (const path of output.files.filter(isFixedPath)) expect(files.get(path)).toBe(`my ${output.name}`);
});

describe('llms-full.txt', () => {
  it('contains every listed page with its source, in navigation order', () => {
    const text = file('llms-full.txt');
    expect(text).toContain('\n---\n\n# Welcome\nSource: https://tides.example.com/docs/\n\n> Start here.\n');
    expect(text.indexOf('# Welcome')).toBeLessThan(text.indexOf('# Changes'));
    expect(text).not.toContain('Not for indexes');
    expect(text).not.toContain('Hidden from programs');
  });
});

describe('sitemap.xml and robots.txt', () => {
  it('list the indexable pages with languages and dates', () => {
    const addresses = [...file('sitemap.xml').matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address);
    expect(addresses).toEqual([
      'https://tides.example.com/docs/',
      'https://tides.example.com/docs/guides/reading',
      'https://tides.example.com/docs/changelog',
      'https://tides.example.com/docs/guides/harbour',
      'https://tides.example.com/docs/es',
      'https://tides.example.com/docs/guides/found',
    ]);
    expect(file('sitemap.xml')).toContain(
      '<loc>https://tides.example.com/docs/</loc><lastmod>2026-06-17</lastmod>',
    );
    expect(file('sitemap.xml')).toContain('hreflang="es" href="https://tides.example.com/docs/es"');
    expect(file('robots.txt')).toContain('Sitemap: https://tides.example.com/docs/sitemap.xml');
  });

  it('contain no address without an origin', () => {
    expect(offline.files.has('sitemap.xml')).toBe(false);
    expect(file('robots.txt', offline)).not.toContain('Sitemap');
  });
});

describe('the feed of a changelog', () => {
  it('has an item for each heading of an entry, or one from its feed settings', () => {
    const titles = [...file('changelog/rss.xml').matchAll(/<item>\n<title>([^<]*)<\/title>/g)].map(
      ([, title]) => title,
    );
    expect(titles).toEqual(['Faster', 'Smaller', 'A quiet spring']);
    expect(file('changelog/rss.xml')).toContain(
      '<link>https://tides.example.com/docs/changelog#faster</link>',
    );
    expect(file('changelog/rss.xml')).toContain('<pubDate>Wed, 17 Jun 2026 00:00:00 GMT</pubDate>');
    expect(file('changelog/rss.xml')).toContain('<category>Docs &amp; more</category>');
  });

  it('is linked in the head of its page, and in the page when enabled', () => {
    expect(file('changelog.html')).toContain(
      '<link rel="alternate" type="application/rss+xml" href="changelog/rss.xml" title="Changes">',
    );
    expect(file('changelog.html')).toContain('<a class="dy-feed-link" href="changelog/rss.xml"');
  });

  it('does not exist without an origin', () => {
    expect(offline.files.has('changelog/rss.xml')).toBe(false);
    expect(file('changelog.html', offline)).not.toContain('rss');
  });
});

describe('the head of a page', () => {
  it('has meta tags of the site, the nearest folder and the page', () => {
    const html = file('guides/reading.html');
    expect(html).toContain('<meta name="author" content="The reader">');
    expect(file('guides/harbour.html')).toContain('<meta name="author" content="The harbour master">');
    expect(html).toContain('<meta property="og:locale" content="en_GB">');
    expect(html).toContain('<meta property="og:image" content="https://tides.example.com/docs/cover.png">');
    expect(html).not.toContain('og:image:width');
    expect(published.files.has('cover.png')).toBe(true);
  });

  it('links to the Markdown of the page', () => {
    expect(file('guides/reading.html')).toContain(
      '<link rel="alternate" type="text/markdown" href="../guides/reading.md">',
    );
  });

  it('contains structured data that cannot end its script element', () => {
    const json = /<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(
      file('guides/harbour.html'),
    )?.[1];
    const graph = (JSON.parse(json ?? '') as { '@graph': Record<string, unknown>[] })['@graph'];
    expect(graph.map((node) => node['@type'])).toEqual([
      'Organization',
      'WebSite',
      'WebPage',
      'BreadcrumbList',
      'APIReference',
    ]);
    expect(graph[0]).toMatchObject({ name: 'Tide Works', sameAs: ['https://social.example.com/tides'] });
    expect(graph[2]).toMatchObject({
      url: 'https://tides.example.com/docs/guides/harbour',
      description: 'Ends </script> here & there.',
    });
  });

  it('has no structured data on noindex pages or without an origin', () => {
    expect(file('guides/unlisted.html')).toContain('<meta name="robots" content="noindex">');
    expect(file('guides/unlisted.html')).not.toContain('ld+json');
    expect(file('index.html', offline)).not.toContain('ld+json');
  });

  it('uses one social image for all pages of a group', () => {
    const picture = (path: string): string | undefined =>
      /og:image" content="https:\/\/tides\.example\.com\/docs\/(_docyard\/social\/\w+\.png)"/.exec(
        file(path),
      )?.[1];
    expect(picture('guides/unlisted.html')).toBeDefined();
    expect(picture('guides/unlisted.html')).not.toBe(picture('changelog.html'));
    expect(published.files.get(picture('changelog.html') ?? '')?.slice(1, 4)).toBe('PNG');
    expect(file('changelog.html', offline)).not.toContain('og:image');
    expect([...offline.files.keys()].some((path) => path.includes('social'))).toBe(false);
  });
});
