import { describe, expect, it } from 'vitest';
import { pageCodeReader } from './page-code.ts';

describe.each(['fast', 'slow'] as const)('the code of a page, with the %s parser', (parser) => {
  const read = pageCodeReader(parser);
  const actions = (source: string) => read(source).actions.map(({ name }) => name);

  it('plain text contains no code', () => {
    expect(read('---\ntitle: A\n---\n\n# A\n\nText with `fetch()` and\n\n```js\neval(1)\n```\n')).toEqual({
      frontMatter: 'title: A\n',
      modules: [],
      actions: [],
      elements: [],
      attributes: [],
      addresses: [],
      comments: [],
    });
  });

  it('imports and exports are listed', () => {
    expect(read("import A from './a.mdx'\n\nexport const b = 1\n\nText").modules).toEqual([
      "import A from './a.mdx'",
      'export const b = 1',
    ]);
  });

  it.each([
    ['{fetch("/a")}', ['fetch']],
    ['{items.map((item) => <li>{item}</li>)}', ['items.map']],
    ['<Card title={new Date().year} />', ['new']],
    ['{tag`a`}', ['tag']],
    ['{import("x")}', ['import']],
    ['{a.b.constructor}', ['constructor']],
    ['{document.title}', ['document']],
    ['{(() => { return 1 })}', ['statements']],
    ['{a = 1}', ['assignment']],
    ['{user.name + 1}', []],
  ])('the actions of %s are listed', (source, expected) => {
    expect(actions(source)).toEqual(expected);
  });

  it('elements and attributes are found at every level', () => {
    const { elements, attributes } = read(
      '<Card onClick={go}>\n\n{yes && <b hidden style={{color: "red"}} {...rest} />}\n\n</Card>\n\n<i {...all} />',
    );
    expect(elements.toSorted()).toEqual(['Card', 'b', 'i']);
    expect(attributes.map(({ element, name, isCode }) => [element, name, isCode]).toSorted()).toEqual([
      ['Card', 'onClick', true],
      ['b', '...', true],
      ['b', 'hidden', false],
      ['b', 'style', true],
      ['i', '...', true],
    ]);
  });

  it.each([
    ['[a](https://a.example/x)', 'link', 'https://a.example/x'],
    ['![a](https://a.example/x.png)', 'load', 'https://a.example/x.png'],
    ['![a][b]\n\n[b]: https://a.example/x.png', 'load', 'https://a.example/x.png'],
    ['<a href="java&#115;cript:x">a</a>', 'link', 'javascript:x'],
    ['<Card href={`//b.example`} />', 'link', '//b.example'],
    ['<Anything odd="javascript:x" />', 'link', 'javascript:x'],
    ['<img srcSet="/a.png 1x, https://b.example/c.png 2x" />', 'load', 'https://b.example/c.png'],
    ['<p style="background: url(https://b.example/c)">a</p>', 'load', 'https://b.example/c'],
    ['{["https://b.example"]}', 'load', 'https://b.example'],
    ['https://b.example/plain', 'link', 'https://b.example/plain'],
  ])('the address in %s is found', (source, use, url) => {
    expect(read(source).addresses).toContainEqual({ use, url });
  });

  it('comments of both kinds are listed, except those in code', () => {
    expect(read('a {/* one */} <!-- two --> `<!-- three -->`').comments.toSorted()).toEqual([
      ' two ',
      '/* one */',
    ]);
  });

  it('a page that does not parse is rejected', () => {
    expect(() => read('<div>\n\n{{{ a</b>')).toThrow();
  });
});
