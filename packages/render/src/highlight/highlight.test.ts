import { describe, expect, it } from 'vitest';
import { codeBlockHtml } from './code-block.ts';
import { highlightLines } from './highlight.ts';
import { readFenceMeta } from './meta.ts';

describe('code', () => {
  it('is coloured by class, line by line', () => {
    expect(highlightLines('const a = `x\ny`', 'ts')).toEqual([
      '<span class="t-k">const</span> a <span class="t-o">=</span> <span class="t-s"><span class="t-s">`</span><span class="t-s">x</span></span>',
      '<span class="t-s"><span class="t-s">y</span><span class="t-s">`</span></span>',
    ]);
  });

  it('is coloured the same whatever was coloured before', () => {
    const page = '---\ntitle: "A"\n---\n\n```js\nlet a\n```';
    const before = highlightLines(page, 'mdx');
    for (const language of ['yaml', 'php', 'tsx', 'scss', 'unheard-of']) highlightLines('a: 1', language);
    expect(highlightLines(page, 'mdx')).toEqual(before);
    expect(before[1]).toContain('<span class="t-a">title</span>');
  });

  it('is only escaped when the language is unknown', () => {
    expect(highlightLines('<a> & b', 'no-such-language')).toEqual(['&lt;a&gt; &amp; b']);
    expect(highlightLines('x', '../../etc')).toEqual(['x']);
  });

  it('loses the notes that mark added and removed lines', () => {
    const html = codeBlockHtml(
      { language: '', meta: '', code: 'a // [!code ++]\nb # [!code --]\nc' },
      () => '',
    );
    expect(html).toContain(
      '<span class="line line-added">a</span>\n<span class="line line-removed">b</span>',
    );
  });
});

describe('what follows the language on a fence', () => {
  it.each([
    ['server.js', { title: 'server.js' }],
    ['"My file.ts" lines', { title: 'My file.ts', lineNumbers: true }],
    ['title="a b" icon="key" wrap', { title: 'a b', icon: 'key', wrap: true }],
    ['Example {1,3-4} expandable', { title: 'Example', expandable: true }],
    ['highlight={2} focus={1} nocopy', { noCopy: true }],
  ])('%s', (meta, expected) => {
    expect(readFenceMeta(meta)).toMatchObject(expected);
  });

  it('reads ranges of lines', () => {
    expect([...readFenceMeta('{1,3-4}').highlighted]).toEqual([1, 3, 4]);
    expect([...readFenceMeta('highlight="[2]"').highlighted]).toEqual([2]);
    expect(readFenceMeta('{1-999999999}').highlighted.size).toBe(0);
  });
});
