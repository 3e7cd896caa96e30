/**
 * Each folder of `fixtures/components` is a page that uses one component in every way, and its HTML.
 * `UPDATE_FIXTURES=1 npx vitest run packages/render/src/components/fixtures.test.ts` writes the HTML of all folders
 * again, so `git diff` must show only the folders that you changed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, fixture, renderFiles } from '../../test/support/render-fixture.ts';

const root = fixture('components');
const names = readdirSync(root).toSorted();
/** One white pixel whose header says 40 by 30. */
const picture = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000280000001e08060000003b8eb5fe0000000049454e44ae426082',
  'hex',
);

let rendered: Rendered;

beforeAll(async () => {
  const pages = names.map((name) => [`${name}.mdx`, readFileSync(join(root, name, 'input.mdx'), 'utf8')]);
  rendered = await renderFiles({
    ...(Object.fromEntries(pages) as Record<string, string>),
    'other.mdx': 'Other',
    'pic.png': picture,
    'clip.mp4': 'x',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>',
  });
});

describe('components, as written and as rendered', () => {
  it.each(names)('the component %s renders as expected', (name) => {
    const file = join(root, name, 'expected.html');
    const html = readable(rendered, name);
    if (process.env['UPDATE_FIXTURES']) writeFileSync(file, html);
    expect(html).toBe(readFileSync(file, 'utf8'));
  });
});

/** One element per line, so that differences are readable. */
function readable({ content, files, diagnostics }: Rendered, name: string): string {
  const beside =
    /<aside class="dy-site-aside"[\s\S]*?<\/aside>\n/.exec(files.get(`${name}.html`) ?? '')?.[0] ?? '';
  const findings = diagnostics
    .filter(({ file }) => file === `${name}.mdx`)
    .map(({ severity, code, line }) => `<!-- ${severity} ${code} on line ${line ?? '?'} -->`);
  const html = `${content(`${name}.html`)}\n${beside}`
    .replaceAll(/<svg class="dy-icon([^"]*)"[^>]*>[\s\S]*?<\/svg>/g, '<svg class="dy-icon$1">…</svg>')
    .replaceAll(
      /(<\/(?:div|p|section|aside|details|figure|a|ul|ol|li|h\d|button|summary|pre)>)(?=<)/g,
      '$1\n',
    );
  return `${[html.trim(), ...findings].join('\n')}\n`;
}
