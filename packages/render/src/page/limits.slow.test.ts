/** Limits on what a hostile folder can cost. `packages/render/attacks` contains complete sites for them. */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderFiles, renderFolder, withFolder } from '../../test/support/render-fixture.ts';

const head = '---\ntitle: A\n---\n\n';

describe('limits', () => {
  it('a site over every limit reports each of them and renders its other pages', async () => {
    const nested = `${'<S>'.repeat(20)}Laugh.${'</S>'.repeat(20)}`;
    const { files, diagnostics } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'A', navigation: { pages: ['innocent', 'url'] } }),
      'innocent.mdx': `${head}Shown.\n`,
      'children.mdx': `${head}import S from '/snippets/s.mdx';\n\n${nested}\n`,
      'snippets/s.mdx': '{children}\n\n{children}\n\n{children}\n\n{children}\n',
      'braces.mdx': head + '{'.repeat(10_001),
      'signs.mdx': head + '<'.repeat(10_001),
      'fine.mdx': `${head}\`\`\`\n${'{'.repeat(20_000)}\n\`\`\`\n`,
      'spaces.mdx': `---\na${' '.repeat(300_000)}x\n---\n\nText.\n`,
      'code.mdx': `${head}import { a } from '/snippets/large.js';\n\n{a}\n`,
      'snippets/large.js': `export const a = 1;${' '.repeat(1_000_000)}`,
      'url.mdx': '---\ntitle: A\nurl: "java\\tscript:alert(1)"\n---\n\nText.\n',
      'hidden.mdx': `${head}import key from '/.keys/key.json';\n\n{key.secret}\n`,
      '.keys/key.json': '{ "secret": "do not publish" }',
      'large.css': 'a { color: red }\n'.repeat(130_000),
      'imports.css': '@import "//a";'.repeat(40_000),
    });
    const reported = new Set(diagnostics.map(({ code, file }) => `${file} ${code}`));
    for (const expected of [
      'children.mdx page_output_too_large',
      'braces.mdx page_too_dense',
      'signs.mdx page_too_dense',
      'snippets/large.js code_failed',
      'url.mdx unsafe_link',
      'hidden.mdx import_missing',
      'large.css stylesheet_too_large',
      'imports.css remote_asset',
    ])
      expect(reported).toContain(expected);
    expect(files.get('innocent.html')).toContain('Shown.');
    expect(files.get('fine.html')).not.toContain('error-panel');
    const all = [...files.values()].join('\n');
    expect(all).not.toContain('do not publish');
    expect(all).not.toMatch(/href="java/);
  });

  it('pipes and devices are not read, also where files of fixed names are expected', async () => {
    await withFolder({ 'index.mdx': `${head}Shown.\n` }, async (root) => {
      for (const name of ['docs.json', '.mintignore', 'other.mdx', 'style.css'])
        execFileSync('mkfifo', [join(root, name)]);
      symlinkSync('/dev/zero', join(root, '.mintlifyignore'));
      symlinkSync('/dev/zero', join(root, 'mint.json'));
      const { content } = await renderFolder(root);
      expect(content('index.html')).toContain('Shown.');
    });
  });

  it('configuration files that refer to each other are read a bounded number of times', async () => {
    const parts = Array.from({ length: 18 }, (_, index) => {
      const next = { $ref: `p${index + 1}.json` };
      return [`p${index}.json`, JSON.stringify({ a: next, b: next, c: next })] as const;
    });
    const { codes } = await renderFiles({
      'docs.json': '{ "name": "A", "navigation": ["index"], "footer": { "$ref": "p0.json" } }',
      'index.mdx': 'Text.\n',
      'p18.json': '{}',
      ...Object.fromEntries(parts),
    });
    expect(codes).toContain('config_ref');
  });

  it('a navigation without existing pages is reported a bounded number of times', async () => {
    const pages = Array.from({ length: 20_000 }, (_, index) => `missing-${index}`);
    const { codes } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'A', navigation: { pages: ['index', ...pages] } }),
      'index.mdx': 'Text.\n',
    });
    expect(codes.filter((code) => code === 'nav_page_missing')).toHaveLength(501);
  });
});
