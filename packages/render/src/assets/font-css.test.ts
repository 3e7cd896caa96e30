import { expect, it } from 'vitest';
import { declaredFaces } from './font-css.ts';

const face = (body: string): string => `/* latin */\n@font-face {\n  font-family: 'Geist';\n  ${body}\n}\n`;
const source = 'src: url(https://files.test/a.woff2) format("woff2");';

it('upright faces have an address, a weight and a range', () => {
  const css =
    face(`font-weight: 400 700; font-style: normal; ${source} unicode-range: U+0000-00FF, U+4??, U+20AC;`) +
    face(`font-weight: 400; font-style: italic; ${source}`) +
    face('src: local("Geist"), url("https://files.test/b.woff2")');
  expect(declaredFaces(css)).toEqual([
    {
      address: 'https://files.test/a.woff2',
      weight: '400 700',
      unicodeRange: 'U+0000-00FF, U+4??, U+20AC',
    },
    { address: 'https://files.test/b.woff2', weight: '400', unicodeRange: undefined },
  ]);
});

it.each([
  ['a weight', `font-weight: 400; } body { color: red; ${source}`],
  ['a weight in words', `font-weight: bold; ${source}`],
  ['a range', `unicode-range: U+0-FF; } * { x: y; ${source}`],
  ['a range in words', `unicode-range: all; ${source}`],
  ['an address over http', 'src: url(http://files.test/a.woff2)'],
  ['an address in the stylesheet', 'src: url(data:font/woff2;base64,AA==)'],
])('a face with %s that CSS of the site must not contain is ignored', (_what, body) => {
  for (const found of declaredFaces(face(body)))
    expect(JSON.stringify(found)).not.toMatch(/[{}]|all|bold|http:/);
});
