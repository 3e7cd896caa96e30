import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SiteLoadError } from '../model/diagnostic.ts';
import { renderFolder, withFolder } from '../../test/support/render-fixture.ts';
import { Preview } from './preview.ts';
import { isOfWholeSite } from './whole-site.ts';

const sample = fileURLToPath(new URL('../../../server/sample', import.meta.url));

describe('a preview equals an export', () => {
  let preview: Preview;
  let exported: Map<string, string>;

  beforeAll(async () => {
    exported = (await renderFolder(sample, { groups: [] })).files;
    preview = await Preview.open({ root: sample });
  });
  afterAll(() => preview?.close());

  it('every page equals its export', async () => {
    const pages = [...exported].filter(([path]) => preview.findPage(path)?.output === path);
    expect(pages.length).toBeGreaterThan(5);
    for (const [path, html] of pages) expect((await preview.page(path))?.html, path).toBe(html);
  });

  it('the files that pages load equal their export once the pages were requested', async () => {
    await preview.readAll();
    const made = /^_docyard\/(?:search\/|nav\/|(?!print\.)[\w-]+\.(?:css|js)$)|\.md$|^404\.html$/;
    const files = [...exported].filter(([path]) => made.test(path) && !isOfWholeSite(path));
    expect(files.map(([path]) => path)).toContain('_docyard/search/index.js');
    for (const [path, text] of files)
      expect(path === '404.html' ? preview.notFound() : await preview.file(path), path).toBe(text);
  });

  it('site-wide files equal their export and are created on request', async () => {
    const paths = [...exported.keys()].filter(isOfWholeSite);
    expect(paths).toContain('llms.txt');
    for (const path of paths)
      expect(Buffer.from((await preview.file(path)) as Uint8Array).toString(), path).toBe(exported.get(path));
  });

  it('the files for web servers equal their export', async () => {
    for (const path of ['_headers', '_redirects', '_hosts/nginx.conf'])
      expect(await preview.file(path), path).toBe(exported.get(path));
  });
});

const docs = (navigation: unknown): string =>
  JSON.stringify({ name: 'Harbour', theme: 'mint', colors: { primary: '#0055aa' }, navigation });
const png = (width: number): Buffer =>
  Buffer.from(`89504e470d0a1a0a0000000d49484452${width.toString(16).padStart(8, '0')}00000010`, 'hex');
const files = {
  'docs.json': docs({ pages: ['index', 'a', 'b', 'c'] }),
  'index.mdx': '---\ntitle: Start\n---\n\nWelcome.\n',
  'a.mdx': '---\ntitle: Anchor\n---\n\nimport Note from "/snippets/note.mdx"\n\nText of a.\n\n<Note />\n',
  'b.mdx': '---\ntitle: Buoy\n---\n\nText of b. ![Map](/map.png)\n',
  'c.mdx': '---\ntitle: Crane\n---\n\nText of c.\n',
  'snippets/note.mdx': 'A note.\n',
  'map.png': png(64),
  'style.css': 'body { color: red; }\n',
};

async function withPreview(
  work: (
    preview: Preview,
    change: (changes: Record<string, string | Uint8Array | null>) => ReturnType<Preview['update']>,
    root: string,
  ) => Promise<void>,
  site: Record<string, string | Uint8Array> = files,
): Promise<void> {
  await withFolder(site, async (root) => {
    const preview = await Preview.open({ root });
    try {
      await work(
        preview,
        async (changes) => {
          for (const [path, content] of Object.entries(changes)) {
            if (content === null) await rm(join(root, path), { recursive: true });
            else {
              await mkdir(join(root, path, '..'), { recursive: true });
              await writeFile(join(root, path), content);
            }
          }
          return preview.update(Object.keys(changes));
        },
        root,
      );
    } finally {
      preview.close();
    }
  });
}

async function shown(preview: Preview): Promise<Record<'a' | 'b' | 'c', object | undefined>> {
  return {
    a: await preview.page('a.html'),
    b: await preview.page('b.html'),
    c: await preview.page('c.html'),
  };
}

const htmlOf = async (preview: Preview, output: string): Promise<string> =>
  (await preview.page(output))?.html ?? '';

describe('after changes', () => {
  it('after a change of an interactive component its page loads another script', async () => {
    const component = (step: number): string =>
      `export const Counter = () => { const [n, set] = useState(0); return <button onClick={() => set(n + ${step})}>{n}</button> }`;
    const site = {
      ...files,
      'a.mdx': 'import { Counter } from "/snippets/counter.jsx"\n\n<Counter />\n',
      'snippets/counter.jsx': component(1),
    };
    await withPreview(async (preview, change) => {
      const script = async (): Promise<string> =>
        /_docyard\/islands\/counter\.\w+\.js/.exec((await preview.page('a.html'))?.html ?? '')?.[0] ?? '';
      const before = await script();
      expect(await preview.file('_docyard/islands.js')).toContain('docyardIslands');
      expect(await preview.file(before)).toContain('set(n + 1)');
      await change({ 'snippets/counter.jsx': component(2) });
      expect(await script()).not.toBe(before);
      expect(await preview.file(await script())).toContain('set(n + 2)');
    }, site);
  });

  it('after a change of text only its page is rendered again', () =>
    withPreview(async (preview, change) => {
      const before = await shown(preview);
      const reported = await change({ 'c.mdx': '---\ntitle: Crane\n---\n\nOther text.\n' });
      expect(reported).toMatchObject({ reloaded: false });
      const after = await shown(preview);
      expect(after.a).toBe(before.a);
      expect(after.b).toBe(before.b);
      expect(await htmlOf(preview, 'c.html')).toContain('Other text.');
    }));

  it('after a change of a title every page shows it in its navigation', () =>
    withPreview(async (preview, change) => {
      await shown(preview);
      const reported = await change({ 'c.mdx': '---\ntitle: Capstan\n---\n\nText of c.\n' });
      expect(reported.reloaded).toBe(true);
      expect(await htmlOf(preview, 'c.html')).toContain('<h1 id="page-title">Capstan</h1>');
      expect(await htmlOf(preview, 'a.html')).toContain('<span>Capstan</span>');
    }));

  it('after a change of a snippet the pages that use it are rendered again', () =>
    withPreview(async (preview, change) => {
      const before = await shown(preview);
      await change({ 'snippets/note.mdx': 'Another note.\n' });
      expect(await htmlOf(preview, 'a.html')).toContain('Another note.');
      expect((await shown(preview)).c).toBe(before.c);
    }));

  it('after a change of a picture the pages that show it have its new size', () =>
    withPreview(async (preview, change) => {
      const before = await shown(preview);
      expect(await htmlOf(preview, 'b.html')).toContain('width="64"');
      const reported = await change({ 'map.png': png(32) });
      expect(reported.files).toEqual(['map.png']);
      expect(await htmlOf(preview, 'b.html')).toContain('width="32"');
      expect((await shown(preview)).c).toBe(before.c);
    }));

  it('after a change of a stylesheet no page is rendered again', () =>
    withPreview(async (preview, change) => {
      const before = await shown(preview);
      const reported = await change({ 'style.css': 'body { color: blue; }\n' });
      expect(reported).toMatchObject({ reloaded: false, files: ['style.css'] });
      expect(await preview.file('style.css')).toContain('blue');
      expect(await shown(preview)).toEqual(before);
      expect((await shown(preview)).b).toBe(before.b);
    }));

  it('after a rename the new page is found and the old one is missing', () =>
    withPreview(async (preview, change) => {
      await shown(preview);
      await change({
        'docs.json': docs({ pages: ['index', 'a', 'c', 'deep/d'] }),
        'deep/d.mdx': '---\ntitle: Dock\n---\n\nText of d.\n',
        'b.mdx': null,
      });
      expect(await htmlOf(preview, 'deep/d.html')).toContain('Text of d.');
      expect(await htmlOf(preview, 'a.html')).toContain('<span>Dock</span>');
      expect(preview.findPage('b.html')).toBeUndefined();
      await change({ deep: null });
      expect(preview.findPage('deep/d.html')).toBeUndefined();
    }));

  it('after a page moves it is found at its new path', () =>
    withPreview(async (preview, _change, root) => {
      await rename(join(root, 'c.mdx'), join(root, 'moved.mdx'));
      await preview.update(['c.mdx', 'moved.mdx']);
      expect(preview.findPage('c.html')).toBeUndefined();
      expect(await htmlOf(preview, 'moved.html')).toContain('Text of c.');
    }));

  it('a broken configuration keeps the last valid site until it is repaired', () =>
    withPreview(async (preview, change) => {
      const before = await shown(preview);
      await change({ 'docs.json': '{ "name": "Harbour",\n  "navigation": }' });
      expect(preview.problem).toMatchObject({ code: 'config_syntax', file: 'docs.json', line: 2 });
      expect((await shown(preview)).a).toBe(before.a);
      await change({ 'c.mdx': '---\ntitle: Crane\n---\n\nWritten meanwhile.\n' });
      expect(await htmlOf(preview, 'c.html')).toContain('Written meanwhile.');
      await change({ 'docs.json': docs({ pages: ['index', 'c'] }) });
      expect(preview.problem).toBeUndefined();
      expect(await htmlOf(preview, 'c.html')).not.toContain('Anchor');
    }));

  it('a broken page shows its error until it is repaired', () =>
    withPreview(async (preview, change) => {
      await change({ 'c.mdx': '---\ntitle: Crane\n---\n\n<Card title="x">\n\nNever closed {\n' });
      const broken = await preview.page('c.html');
      expect(broken?.findings.map(({ file }) => file)).toContain('c.mdx');
      expect(broken?.findings.some(({ severity }) => severity !== 'info')).toBe(true);
      await change({ 'c.mdx': files['c.mdx'] });
      expect((await preview.page('c.html'))?.findings).toEqual([]);
      expect(await htmlOf(preview, 'c.html')).toContain('Text of c.');
    }));

  it('after a change of an API description its pages change', () => {
    const spec = (summary: string): string =>
      `openapi: 3.1.0\ninfo: { title: Ships, version: "1" }\npaths:\n  /ships:\n    get:\n      summary: ${summary}\n      responses: { "200": { description: Fine } }\n`;
    const site = {
      ...files,
      'api.yaml': spec('List ships'),
      'docs.json': docs({ groups: [{ group: 'API', openapi: 'api.yaml', pages: ['GET /ships'] }] }),
    };
    return withPreview(async (preview, change) => {
      const output = preview.site.pages.find(({ file }) => file === 'api.yaml')?.path ?? '';
      expect(await htmlOf(preview, `${output}.html`)).toContain('List ships');
      await change({ 'api.yaml': spec('Name ships') });
      const changed = preview.site.pages.find(({ file }) => file === 'api.yaml')?.path ?? '';
      expect(await htmlOf(preview, `${changed}.html`)).toContain('Name ships');
    }, site);
  });

  it('after thousands of changes the preview equals a newly opened one', () =>
    withPreview(async (preview, change) => {
      await shown(preview);
      const paths = Array.from({ length: 600 }, (_, index) => [`many/${index}.txt`, ''] as const);
      await change({ ...Object.fromEntries(paths), 'c.mdx': '---\ntitle: Cleat\n---\n\nAnother branch.\n' });
      expect(await htmlOf(preview, 'c.html')).toContain('Another branch.');
    }));

  it('after a change of text the search finds it', () =>
    withPreview(async (preview, change) => {
      const words = (): ReturnType<Preview['file']> => preview.file('_docyard/search/t0.js');
      expect(await words()).not.toContain('ornithopter');
      await change({ 'c.mdx': '---\ntitle: Crane\n---\n\nAn ornithopter.\n' });
      expect(await words()).toContain('ornithopter');
    }));
});

describe('a preview', () => {
  it('a page is found by its file, without extension, and in a folder', () =>
    withPreview(async (preview, change) => {
      await change({ 'deep/index.mdx': 'Deep.\n' });
      expect(preview.findPage('')).toEqual({ output: 'index.html', isExact: true });
      expect(preview.findPage('a')).toEqual({ output: 'a.html', isExact: true });
      expect(preview.findPage('deep/')).toEqual({ output: 'deep/index.html', isExact: true });
      expect(preview.findPage('deep')).toEqual({ output: 'deep/index.html', isExact: false });
    }));

  it('sources, the configuration and targets of symbolic links are not served', () =>
    withPreview(async (preview, _change, root) => {
      expect(await preview.file('map.png')).toEqual({ copyFrom: join(root, 'map.png') });
      await rm(join(root, 'map.png'));
      await symlink('/etc/hostname', join(root, 'map.png'));
      for (const path of ['map.png', 'a.mdx', 'docs.json', 'snippets/note.mdx', '../map.png'])
        expect(await preview.file(path), path).toBeUndefined();
    }));

  it('pictures of other hosts are downloaded once when their page is requested', () => {
    const address = 'https://pictures.test/ship.png';
    const site = { ...files, 'a.mdx': `![Ship](${address})\n`, 'b.mdx': `![Ship again](${address})\n` };
    const asked: string[] = [];
    return withFolder(site, async (root) => {
      const fetchPicture = (from: string): Promise<Uint8Array> => {
        asked.push(from);
        return Promise.resolve(png(48));
      };
      const preview = await Preview.open({ root, fetchPicture });
      try {
        expect(asked).toEqual([]);
        const [, path = ''] =
          /<img src="([^"]+)" alt="Ship" width="48"/.exec(await htmlOf(preview, 'a.html')) ?? [];
        expect(await preview.file(path)).toEqual(png(48));
        expect(await htmlOf(preview, 'b.html')).toContain(`<img src="${path}" alt="Ship again"`);
        expect((await preview.page('b.html'))?.findings).toEqual([]);
        expect(asked).toEqual([address]);
      } finally {
        preview.close();
      }
    });
  });

  it('fonts of the bundle and of other hosts are served, and those are downloaded once', () => {
    const font = { family: 'Own', source: 'https://fonts.test/own.woff2', format: 'woff2' };
    const config = { name: 'Harbour', navigation: { pages: ['index', 'a'] }, fonts: { heading: font } };
    const site = { ...files, 'docs.json': JSON.stringify(config) };
    let downloads = 0;
    return withFolder(site, async (root) => {
      const fetchFont = (): Promise<Uint8Array> => {
        downloads += 1;
        return Promise.resolve(Buffer.from('wOF2 own'));
      };
      const preview = await Preview.open({ root, fetchFont });
      try {
        const css = (await preview.file('_docyard/site.css')) as string;
        const paths = [...css.matchAll(/url\("\.\.\/(_docyard\/fonts\/\w+\.woff2)"\)/g)].map(
          ([, path = '']) => path,
        );
        expect(paths).toHaveLength(3);
        for (const path of paths) {
          const content = Buffer.from((await preview.file(path)) as Uint8Array);
          expect(content.toString('latin1', 0, 4), path).toBe('wOF2');
        }
        await writeFile(join(root, 'docs.json'), JSON.stringify({ ...config, name: 'Port' }));
        await preview.update(['docs.json']);
        expect(downloads).toBe(1);
      } finally {
        preview.close();
      }
    });
  });

  it('a redirect leads from an old address to the page', () =>
    withPreview(
      async (preview) => {
        expect(await preview.file('old')).toContain('url=a.html');
        expect(await preview.file('older')).toBeUndefined();
      },
      {
        ...files,
        'docs.json': JSON.stringify({
          name: 'Harbour',
          navigation: { pages: ['index', 'a'] },
          redirects: [{ source: '/old', destination: '/a' }],
        }),
      },
    ));

  it('closing a preview stops reading all pages', () =>
    withPreview(async (preview) => {
      const reading = preview.readAll();
      preview.close();
      await expect(reading).rejects.toThrow('aborted');
    }));

  it('a preview without a site does not open', () =>
    withFolder({ 'docs.json': '{' }, async (root) => {
      await expect(Preview.open({ root })).rejects.toBeInstanceOf(SiteLoadError);
    }));
});
