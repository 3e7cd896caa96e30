import { expect, it } from 'vitest';
import { type ScannedTag, scanTags } from './scan-html.ts';

function tagsOf(html: string): Partial<ScannedTag>[] {
  const tags: Partial<ScannedTag>[] = [];
  scanTags(Buffer.from(html), (tag) => {
    tags.push(Object.fromEntries(Object.entries(tag).filter(([, value]) => value !== undefined)));
  });
  return tags;
}

it.each([
  ['<a href="x">', [{ name: 'a', href: 'x' }]],
  ["<A HREF='x' id=y>", [{ name: 'a', id: 'y' }]],
  ['<img src=a/b.png alt>', [{ name: 'img', src: 'a/b.png', alt: '' }]],
  ['<br/><hr id=h /><p>', [{ name: 'hr', id: 'h' }]],
  ['<img><img alt="a">', [{ name: 'img' }, { name: 'img', alt: 'a' }]],
  ['<p alt="a" rel="b" content="c" class="d">', []],
  ['<a title="a > b" href="?a=1&amp;b=&quot;">', [{ name: 'a', href: '?a=1&b="' }]],
  ['<!-- <a href="x"> --><p id="p">', [{ name: 'p', id: 'p' }]],
  [
    '<style id="s">a<b id="x">{}</style><p id="p">1 < 2</p>',
    [
      { name: 'style', id: 's' },
      { name: 'p', id: 'p' },
    ],
  ],
  ['<SCRIPT><a id="x"></SCRIPT></script><a id="y">', [{ name: 'a', id: 'y' }]],
  [
    '<meta http-equiv="Refresh" content="0; url=x">',
    [{ name: 'meta', httpEquiv: 'refresh', content: '0; url=x' }],
  ],
  ['<use xlink:href="#i"/>', [{ name: 'use', href: '#i' }]],
  ['<a name="n"><input name="m">', [{ name: 'a', anchorName: 'n' }]],
  ['</p><3', []],
  ['<a href="/ü&amp;é#日本" id=ä>', [{ name: 'a', href: '/ü&é#日本', id: 'ä' }]],
  ['<span class="dy-k">a</span><span class="x" id="y">', []],
  [
    '<span id="y" class="x"><spank class="a" id="b">',
    [
      { name: 'span', id: 'y' },
      { name: 'spank', id: 'b' },
    ],
  ],
])('the tags of %s are found', (html, expected) => {
  expect(tagsOf(html)).toEqual(expected);
});

it.each(['<', '<a', '<a href', '<a href=', '<a href="', '<!--', '<script>', '<a =">', '< a="b">'])(
  'the scan of %s terminates, alone and repeated',
  (text) => {
    tagsOf(text);
    expect(tagsOf(text.repeat(20_000)).length).toBeLessThanOrEqual(20_000);
  },
);
