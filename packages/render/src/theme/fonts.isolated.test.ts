import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';

vi.mock(import('../pipeline/process-pool.ts'), () => import('../../test/support/in-process-pool.ts'));

const woff2 = Buffer.from('wOF2 font');
const cssOf = ({ files }: Rendered): string => files.get('_docyard/site.css') ?? '';
const fontsOf = ({ files }: Rendered): string[] =>
  [...files.keys()].filter((path) => path.startsWith('_docyard/fonts/'));
const preloaded = (page = ''): string | undefined => /theme\.js" data-font="([^"]*)"/.exec(page)?.[1];
const facesOf = (css: string): string[] =>
  [...css.matchAll(/@font-face \{ font-family: '([^']+)'/g)].map(([, family = '']) => family);

function render(fonts?: unknown, more: object = {}, fetchFont?: (address: string) => Promise<Uint8Array>) {
  const config = {
    name: 'Site',
    navigation: { pages: ['index', 'deep/page'] },
    ...more,
    ...(fonts ? { fonts } : {}),
  };
  const files = {
    'docs.json': JSON.stringify(config),
    'index.mdx': 'Words',
    'deep/page.mdx': 'Words',
    'own.woff2': woff2,
  };
  return renderFiles(files, fetchFont ? { fetchFont } : {});
}

describe('the bundled fonts', () => {
  it('are Inter for text, which pages preload, and JetBrains Mono for code', async () => {
    const site = await render();
    const css = cssOf(site);
    expect(css).toContain("--dy-sans: 'Inter', 'Inter Fallback', var(--dy-system-sans);");
    expect(css).toContain("--dy-mono: 'JetBrains Mono', 'JetBrains Mono Fallback', var(--dy-system-mono);");
    const [inter = '', mono = '', license] = fontsOf(site);
    expect(css).toMatch(
      new RegExp(`'Inter'; src: url\\("../${inter}"\\) .* font-display: swap; unicode-range: U\\+0000-00FF`),
    );
    expect(css).toContain(`'JetBrains Mono'; src: url("../${mono}")`);
    expect(license).toBe('_docyard/fonts/LICENSE.txt');
    expect(site.files.get('_docyard/fonts/LICENSE.txt')).toMatch(
      /Inter\n[^]*SIL OPEN FONT LICENSE[^]*JetBrains Mono\n[^]*SIL OPEN/,
    );
    expect(preloaded(site.files.get('index.html'))).toBe(inter);
    expect(preloaded(site.files.get('deep/page.html'))).toBe(`../${inter}`);
  });

  it('include more letters for the languages of the site', async () => {
    const languages = [
      { language: 'en', pages: ['index'] },
      { language: 'ru', pages: ['deep/page'] },
    ];
    const site = await render(undefined, { navigation: { languages } });
    expect(fontsOf(site)).toHaveLength(5);
    expect(cssOf(site)).toContain('U+0400-045F');
  });

  it('are used under their names, without a request', async () => {
    const site = await render({ family: 'JetBrains Mono', weight: 500 });
    expect(cssOf(site)).toContain("--dy-sans: 'JetBrains Mono', ");
    expect(cssOf(site)).toContain('--dy-body-weight: 500');
    expect(fontsOf(site)).toHaveLength(2);
    expect(site.codes).toEqual([]);
  });

  it('are within their budgets', async () => {
    const bytes = async (name: string): Promise<number> => {
      const path = `@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`;
      return (await readFile(createRequire(import.meta.url).resolve(path))).length;
    };
    expect(await bytes('inter')).toBeLessThanOrEqual(50_000);
    expect(await bytes('jetbrains-mono')).toBeLessThanOrEqual(45_000);
  });
});

describe('the fonts of the system', () => {
  it('need no file', async () => {
    const site = await render({ family: 'system' });
    expect(fontsOf(site)).toEqual([]);
    expect(cssOf(site)).toContain('--dy-sans: var(--dy-system-sans)');
    expect(cssOf(site)).not.toContain('--dy-mono:');
    expect(site.files.get('index.html')).toContain('<script src="_docyard/theme.js"></script>');
    expect(site.codes).toEqual([]);
  });

  it('can be chosen for headings only', async () => {
    const site = await render({ heading: { family: 'System' } });
    expect(cssOf(site)).toContain("--dy-sans: 'Inter'");
    expect(cssOf(site)).toContain('--dy-heading-font: var(--dy-system-sans)');
  });
});

describe('the fonts of a site', () => {
  it('replace the bundled one and are preloaded when they are files of the site', async () => {
    const site = await render({ body: { family: 'Own', source: '/own.woff2', format: 'woff2' } });
    expect(facesOf(cssOf(site))).toEqual(['Own', 'JetBrains Mono', 'JetBrains Mono Fallback']);
    expect(cssOf(site)).toContain("--dy-sans: 'Own', var(--dy-system-sans)");
    expect(preloaded(site.files.get('deep/page.html'))).toBe('../own.woff2');
    expect(site.files.get('own.woff2')).toBe('copy');
  });

  it('are downloaded by name and by address, and preloaded in the weight of text', async () => {
    const asked: string[] = [];
    const face = (weight: number) =>
      `@font-face { font-weight: ${weight}; src: url(https://files.test/${weight}); unicode-range: U+0000-00FF }`;
    const fetchFont = (address: string): Promise<Uint8Array> => {
      asked.push(address);
      return Promise.resolve(
        Buffer.from(address.includes('/css') ? face(300) + face(400) : `wOF2${address}`),
      );
    };
    const fonts = {
      body: { family: 'Geist' },
      heading: { family: 'Far', source: '//far.test/a.woff2', format: 'woff2', weight: 450.5 },
    };
    const site = await render(fonts, {}, fetchFont);
    expect(asked.toSorted()).toEqual([
      'https://far.test/a.woff2',
      'https://files.test/300',
      'https://files.test/400',
      'https://fonts.googleapis.com/css2?family=Geist:wght@400..700&display=swap',
    ]);
    const css = cssOf(site);
    expect(facesOf(css)).toEqual(['Geist', 'Geist', 'Far', 'JetBrains Mono', 'JetBrains Mono Fallback']);
    expect(css).toContain("--dy-heading-font: 'Far', var(--dy-system-sans)");
    expect(css).toContain('--dy-heading-weight: 450.5');
    const early = preloaded(site.files.get('index.html')) ?? '';
    expect(site.files.get(early)).toBe('wOF2https://files.test/400');
    expect(site.codes).toEqual([]);
  });

  it.each([
    ['downloads are not allowed', undefined],
    ['the download fails', () => Promise.reject(new Error('The host cannot be reached.'))],
  ])('are reported once and replaced by the bundled font when %s', async (_what, fetchFont) => {
    const site = await render({ family: 'Geist' }, {}, fetchFont);
    expect(cssOf(site)).toContain("--dy-sans: 'Inter'");
    expect(cssOf(site)).not.toContain('Geist');
    expect(site.diagnostics).toEqual([
      expect.objectContaining({
        code: 'font_not_loaded',
        severity: 'info',
        file: 'docs.json',
        message: expect.stringContaining('"Geist"'),
        hint: expect.stringContaining('fonts.source'),
      }),
    ]);
  });

  it('are reported and replaced when their file is missing', async () => {
    const site = await render({ family: 'Own', source: '/nowhere.woff2', format: 'woff2' });
    expect(cssOf(site)).toContain("--dy-sans: 'Inter'");
    expect(site.codes).toEqual(['font_missing']);
  });
});
