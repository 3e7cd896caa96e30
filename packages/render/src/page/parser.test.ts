import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../render-fixture.ts';
import { MarkupError, type ParserName, parseMdx } from './parser.ts';
import { type Node } from './tree.ts';

const shape = (node: Node): unknown =>
  node.children
    ? [node.name ?? node.type, ...node.children.map(shape)]
    : (node.value ?? node.name ?? node.type);

describe('the two parsers', () => {
  it.each([
    '# Title\n\nText with *emphasis* and `code`.',
    '<Card title="a">\n  Text\n</Card>',
    'Inline <b>bold</b> and {value}.',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '- [x] done\n- [ ] open',
    "import a from './a.mdx'\n\nexport const b = 1\n\n~~gone~~",
  ])('give the same tree for %j', (source) => {
    expect(shape(parseMdx(source, 'slow'))).toEqual(shape(parseMdx(source, 'fast')));
  });

  it('both tell the place of an error', () => {
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
])(
  'elements that an expression leaves open are refused without trying every reading: %s',
  (_name, source) => {
    expect(() => parseMdx(source, 'fast')).toThrow(MarkupError);
  },
);

it('elements that are closed may be nested as deeply as one likes', () => {
  const nested = `{${'<a b="x">'.repeat(60)}x${'</a>'.repeat(60)}}`;
  expect(shape(parseMdx(nested, 'fast'))).toEqual(shape(parseMdx(nested, 'slow')));
});

describe('what the fast parser accepts', () => {
  const folder = fixture('text');
  const written = readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name, 'input.mdx'), 'utf8').replace(/^[\s\S]*?\+\+\+\n[\s\S]*?\+\+\+\n/, ''),
  ]);
  /** Broken imports and exports are not here: they are read later, one by one, and cost no page. */
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

  it.each([...written, ...refused])('the reference accepts, and no more: %j', (_name, source = '') => {
    const accepts = (parser: ParserName): boolean => {
      try {
        parseMdx(source, parser);
        return true;
      } catch {
        return false;
      }
    };
    expect(accepts('fast')).toBe(accepts('slow'));
  });
});
