import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/support/render-fixture.ts';
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

describe('a parsed tree', () => {
  it('has the same survey from both parsers', () => {
    const source = 'A [b][c] <D/>\n\n> - x\n>\n> [c]: /e\n\nexport const f = 1\n\n[^1]: g';
    const survey = (parser: ParserName): unknown => {
      const { depth, isPlain, declarations } = parseMdx(source, parser);
      return { depth, isPlain, declarations: declarations.map(({ type }) => type) };
    };
    expect(survey('fast')).toEqual(survey('slow'));
    expect(parseMdx('# Only *Markdown*', 'fast').isPlain).toBe(true);
  });

  it.each(['fast', 'slow'] as const)('ends at the maximum depth (%s parser)', (parser) => {
    const quotes = Array.from({ length: 300 }, (_, index) => `${'> '.repeat(index)}a\n`).join('');
    expect(parseMdx(quotes, parser).depth).toBe(201);
  });
});
