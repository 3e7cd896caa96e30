import { describe, expect, it } from 'vitest';
import { renderFiles } from '../render-fixture.ts';

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
