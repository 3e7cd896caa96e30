/**
 * Each folder of `fixtures/text` is a page of text and the HTML it becomes. `UPDATE_FIXTURES=1 npx vitest run
 * packages/render/src/page/text.test.ts` writes the HTML anew.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, fixture, renderFiles } from '../../test/support/render-fixture.ts';

const root = fixture('text');
const names = readdirSync(root).toSorted();

let rendered: Rendered;

beforeAll(async () => {
  const pages = names.map((name) => [`${name}.mdx`, readFileSync(join(root, name, 'input.mdx'))]);
  rendered = await renderFiles({
    ...(Object.fromEntries(pages) as Record<string, Buffer>),
    'other.mdx': 'Other',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>',
  });
});

describe('text, as written and as rendered', () => {
  it.each(names)('the text %s renders as expected', (name) => {
    const file = join(root, name, 'expected.html');
    const html = readable(rendered, name);
    if (process.env['UPDATE_FIXTURES']) writeFileSync(file, html);
    expect(html).toBe(readFileSync(file, 'utf8'));
  });
});

/** One block per line, so that differences are readable; drawings and formulas are only named. */
function readable({ content, diagnostics }: Rendered, name: string): string {
  const findings = diagnostics
    .filter(({ file }) => file === `${name}.mdx`)
    .map(({ severity, code, line }) => `<!-- ${severity} ${code} on line ${line ?? '?'} -->`);
  const html = content(`${name}.html`)
    .replaceAll(/<svg class="dy-icon([^"]*)"[^>]*>[\s\S]*?<\/svg>/g, '<svg class="dy-icon$1">…</svg>')
    .replaceAll(/<svg viewBox[\s\S]*?<\/svg>/g, '<svg>…</svg>')
    .replaceAll(
      /<span class="katex-mathml">[\s\S]*?(<annotation[^>]*>[^<]*<\/annotation>)[\s\S]*?(?=<\/p>| and |\.)/g,
      '$1…',
    )
    .replaceAll(/(<\/(?:div|p|section|aside|details|figure|ul|ol|li|tr|h\d|pre)>)(?=<)/g, '$1\n');
  return `${[html.trim(), ...findings].join('\n')}\n`;
}
