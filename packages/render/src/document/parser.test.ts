import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/support/render-fixture.ts';
import { mdxToMdast } from 'satteri';
import { MarkupError, type ParserName, features, nativeOptions, parseMdx } from './parser.ts';
import { type Node } from './tree.ts';

const shape = (node: Node): unknown =>
  node.children
    ? [node.name ?? node.type, ...node.children.map(shape)]
    : (node.value ?? node.name ?? node.type);

describe('the two parsers', () => {
  it('the feature flags equal those of the package', () => {
    const inside = createRequire(createRequire(import.meta.url).resolve('satteri'));
    const { featuresToNative } = inside('./compile.js') as {
      featuresToNative: (wanted: typeof features) => { parseOptions: number };
    };
    expect(nativeOptions).toBe(featuresToNative(features).parseOptions);
  });

  it.each([
    '# Title\n\nText with *emphasis* and `code`.',
    '<Card title="a">\n  Text\n</Card>',
    'Inline <b>bold</b> and {value}.',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '- [x] done\n- [ ] open',
    "import a from './a.mdx'\n\nexport const b = 1\n\n~~gone~~",
  ])('both parsers give the same tree for %j', (source) => {
    expect(shape(parseMdx(source, 'slow').tree)).toEqual(shape(parseMdx(source, 'fast').tree));
  });

  it('both parsers report the position of an error', () => {
    for (const parser of ['fast', 'slow'] as const) {
      const failure = (() => {
        try {
          return parseMdx('Fine\n\n<Card>\n\nnot closed', parser);
        } catch (error) {
          return error;
        }
      })();
      expect(failure).toBeInstanceOf(MarkupError);
      expect((failure as MarkupError).place?.line).toBeGreaterThanOrEqual(3);
    }
  });
});

it.each([
  ['unclosed in braces', `{${'<a b="x">'.repeat(60)}}`],
  ['unclosed, in braces that are not closed either', `{ ${'<a>'.repeat(200)}\n\n}`],
  ['in an attribute', `<p q={${'<a b={1}>'.repeat(60)}}/>`],
  ['after text with an apostrophe', `{<p>it's${'<a>'.repeat(60)}}`],
])('elements that an expression leaves open are rejected in bounded time: %s', (_name, source) => {
  expect(() => parseMdx(source, 'fast')).toThrow(MarkupError);
});

it('tags in code blocks do not count as elements, so the fast parser reads the page', () => {
  const source = `It's {1}.\n\n\`\`\`tsx\nconst page = {\n${'<a>\n'.repeat(60)}\n\`\`\`\n`;
  expect(JSON.stringify(shape(parseMdx(source, 'fast').tree))).toContain('It’s');
  const hidden = `{\n~~~\n${'<a>\n'.repeat(60)}~~~\n}`;
  expect(() => parseMdx(hidden, 'fast')).toThrow(MarkupError);
});

it('closed elements may be nested deeply', () => {
  const nested = `{${'<a b="x">'.repeat(60)}x${'</a>'.repeat(60)}}`;
  expect(shape(parseMdx(nested, 'fast').tree)).toEqual(shape(parseMdx(nested, 'slow').tree));
});

describe('the fast parser', () => {
  const folder = fixture('text');
  const written = readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name, 'input.mdx'), 'utf8').replace(/^[\s\S]*?\+\+\+\n[\s\S]*?\+\+\+\n/, ''),
  ]);
  /** Broken imports and exports are missing here: they are parsed later and never fail a page. */
  const refused = [
    '<a>',
    '</a>',
    '{',
    '{a b}',
    '<a b=>',
    '<a {b}/>',
    '<1>',
    '<!-- x -->',
    'a <= b',
    '<br>',
    '{/* open',
    '- <b>\n</b>',
    '> {a\nb}',
  ].map((source) => [source, source]);

  it.each([...written, ...refused])(
    'the fast parser accepts what the reference accepts: %j',
    (_name, source = '') => {
      const accepts = (parser: ParserName): boolean => {
        try {
          parseMdx(source, parser);
          return true;
        } catch {
          return false;
        }
      };
      expect(accepts('fast')).toBe(accepts('slow'));
    },
  );
});

describe('the reader of native trees', () => {
  const fields =
    'type value depth lang meta url title alt identifier label ordered start spread checked align name attributes'.split(
      ' ',
    ) as (keyof Node)[];
  /** All fields that the renderer reads, as plain data. */
  const plain = (node: Node): unknown => ({
    ...Object.fromEntries(fields.map((name) => [name, node[name]])),
    from: node.position?.start,
    to: node.position?.end?.offset,
    children: node.children?.map(plain),
  });

  it.each([
    '# One\n\nTwo *three* **four** ~~five~~ `six`\\\nseven\n\n---\n\n> eight',
    '- [x] a\n- [ ] b\n- c\n\n\n3. d\n\n4. e',
    '| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |',
    '```js title="x"\ncode\n```\n\n~~~\nmore\n~~~\n\n> ```\n> quoted é\n> ```',
    '[a](/b "c") ![d](e.png "f") [g][h] ![i][h] [^1] https://example.com\n\n[h]: /j "k"\n\n[^1]: note',
    "import a from './a.mdx'\n\nexport const b = {\n  c: 1,\n}\n\n{b}",
    '<Card title="a" b={1 +\n  2} {...c} d>\n  Text <b>e</b> {f}\n</Card>\n\n<></>',
    'Größe – "ein" Wort 日本語 😀 `ключ` **é**\n\n- 😀 [ü](/ö "ä")',
  ])('the reader gives the tree of the package for %j', (source) => {
    const reference = mdxToMdast(source, { features }) as Node;
    expect(plain(parseMdx(source, 'fast').tree)).toEqual(plain(reference));
  });

  it('the survey of a tree equals that of the slow parser', () => {
    const source = 'A [b][c] <D/>\n\n> - x\n>\n> [c]: /e\n\nexport const f = 1\n\n[^1]: g';
    const survey = (parser: ParserName): unknown => {
      const { depth, isPlain, declarations } = parseMdx(source, parser);
      return { depth, isPlain, declarations: declarations.map(({ type }) => type) };
    };
    expect(survey('fast')).toEqual(survey('slow'));
    expect(parseMdx('# Only *Markdown*', 'fast').isPlain).toBe(true);
  });

  it('the reader stops at the maximum depth', () => {
    const quotes = Array.from({ length: 300 }, (_, index) => `${'> '.repeat(index)}a\n`).join('');
    expect(parseMdx(quotes, 'fast').depth).toBe(201);
  });
});
