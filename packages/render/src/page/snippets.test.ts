import { describe, expect, it } from 'vitest';
import { renderFiles, renderFixture } from '../render-fixture.ts';

describe('snippets', () => {
  it('that use themselves twice end after a bounded number, and the page says so', async () => {
    const { content, diagnostics } = await renderFiles({
      'docs.json': '{ "name": "Loop", "navigation": ["index"] }',
      'index.mdx': "import Loop from '/snippets/loop.mdx';\n\nBefore.\n\n<Loop />\n\nAfter.\n",
      'snippets/loop.mdx': "import Loop from './loop.mdx';\n\nAgain.\n\n<Loop />\n\n<Loop />\n",
    });
    expect(content('index.html')).toContain('After.');
    const told = diagnostics.filter(({ message }) => message.includes('too many snippets'));
    expect(told.map(({ code }) => code)).toEqual(['expression_unsupported']);
  });
});

it('a snippet sees what the page around it imports and exports, and one with a dot before its name is found', async () => {
  const { content, diagnostics } = await renderFixture('snippet-scope');
  const html = content('index.html');
  expect(html).toContain('<p>About Docyard: <b class="label">from the page</b></p>');
  expect(html).toContain('<p>Words of a nested snippet.</p>');
  expect(html).toContain('<p>Words of a hidden snippet.</p>');
  expect(html).toContain('<div class="box"><b class="label">in a box</b></div>');
  expect(diagnostics).toEqual([]);
});
