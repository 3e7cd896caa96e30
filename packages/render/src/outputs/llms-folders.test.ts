import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';

const page = (title: string, more = '') => `---\ntitle: ${title}\n${more}---\n\nText of ${title}.\n`;
const folder = (path: string, count: number, more = '') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${path}/page-${at}.mdx`, page(`${path} ${at}`, more)]),
  );
const site = (files: Record<string, string>) => ({
  'docs.json': JSON.stringify({
    name: 'Tides',
    navigation: { pages: Object.keys(files).map((path) => path.replace('.mdx', '')) },
  }),
  ...files,
});

describe('the llms.txt of a folder', () => {
  it('lists the pages below the folder, and the llms.txt of the site links to it', async () => {
    const { files } = await renderFiles(
      site({
        'index.mdx': page('Home'),
        ...folder('guides', 4),
        ...folder('guides/deep', 1),
        ...folder('small', 4),
        'guides/secret.mdx': page('Secret', 'noindex: true\n'),
      }),
      { origin: 'https://tides.example.com', basePath: '/docs' },
    );
    expect(files.get('guides/llms.txt')).toMatchInlineSnapshot(`
      "# Tides: guides

      > Pages below /guides. The whole documentation is listed in [llms.txt](https://tides.example.com/docs/llms.txt).

      ## Pages

      - [guides 0](https://tides.example.com/docs/guides/page-0.md): Text of guides 0.
      - [guides 1](https://tides.example.com/docs/guides/page-1.md): Text of guides 1.
      - [guides 2](https://tides.example.com/docs/guides/page-2.md): Text of guides 2.
      - [guides 3](https://tides.example.com/docs/guides/page-3.md): Text of guides 3.
      - [guides/deep 0](https://tides.example.com/docs/guides/deep/page-0.md): Text of guides/deep 0.
      "
    `);
    expect(files.get('llms.txt')).toContain(
      '## Indexes of folders\n\n- [guides](https://tides.example.com/docs/guides/llms.txt): 5 pages\n',
    );
    expect([...files.keys()].filter((path) => path.endsWith('llms.txt'))).toEqual(
      expect.arrayContaining(['llms.txt', '.well-known/llms.txt', 'guides/llms.txt']),
    );
    expect(files.has('small/llms.txt')).toBe(false);
    expect(files.has('guides/deep/llms.txt')).toBe(false);
  });

  it('of the author is published unchanged', async () => {
    const { files } = await renderFiles(
      site({
        'index.mdx': `${page('Home')}\n[Mine](/guides/llms.txt)\n`,
        ...folder('guides', 5),
        'guides/llms.txt': 'mine',
      }),
    );
    expect(files.get('guides/llms.txt')).toBe('mine');
  });

  it('contains the pages that the llms.txt of a large site has no room for', async () => {
    const long = `description: ${'word '.repeat(20)}\n`;
    const { files } = await renderFiles(
      site({
        'index.mdx': page('Home'),
        ...folder('guides', 10, long),
        ...folder('api/harbours-and-piers-of-the-northern-coast', 400, long),
        ...folder('api/harbours-and-piers-of-the-southern-coast', 400, long),
      }),
    );
    const indexes = [...files].filter(([path]) => path.endsWith('llms.txt'));
    for (const [path, text] of indexes) expect(text.length, path).toBeLessThanOrEqual(50_000);
    const root = files.get('llms.txt') ?? '';
    expect(root).toContain('](index.md)');
    expect(root).toContain('](api/llms.txt): 800 pages');
    expect(root).not.toContain('omitted');
    const listed = new Set(
      indexes.flatMap(([, text]) =>
        [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to.split('/').slice(-2).join('/')),
      ),
    );
    const missing = [...files.keys()].filter(
      (path) =>
        path.startsWith('api/') && path.endsWith('.md') && !listed.has(path.split('/').slice(-2).join('/')),
    );
    expect(missing).toEqual([]);
  });
});
