import { describe, expect, it } from 'vitest';
import { readFrontMatter } from './front-matter.ts';
import { splitFrontMatter } from './split-source.ts';
import { readPageMeta } from './page-meta.ts';

const read = (source: string): Record<string, unknown> => ({
  ...readFrontMatter(splitFrontMatter(source).matter).data,
});
const meta = (source: string, route = 'guides/my-page'): ReturnType<typeof readPageMeta> =>
  readPageMeta(Buffer.from(source), `${route}.mdx`, route);

describe('front matter', () => {
  it('is split off, and the lines before the body are counted', () => {
    expect(splitFrontMatter('---\ntitle: A\n---\nBody')).toEqual({
      matter: 'title: A\n',
      body: 'Body',
      linesBefore: 3,
    });
    expect(splitFrontMatter('\n---\ntitle: A\n---\n\nBody').linesBefore).toBe(4);
  });

  it('is absent when a file starts with a thematic break', () => {
    expect(splitFrontMatter('---\n\nSome prose here.\n\nMore of it.\n\n---\n').matter).toBeUndefined();
    expect(splitFrontMatter('---\nnever closed: yes\n').matter).toBeUndefined();
  });

  it('reads quoted text over several lines without indentation', () => {
    const source = '---\ntitle: "A"\ndescription: "first\nsecond: line"\nicon: x\n---\n';
    expect(read(source)).toMatchObject({ title: 'A', icon: 'x' });
    expect(String(read(source)['description'])).toContain('first');
  });

  it('accepts capitalized keys, numeric titles and a missing space after the colon', () => {
    expect(meta('---\nTitle: 3.1\nDescription: d\n---\n').meta).toMatchObject({
      title: '3.1',
      description: 'd',
    });
  });

  it('tolerates aliases without an anchor, and exponential aliases', () => {
    expect(read('---\ntitle: A\nx: *undefined\n---\n')).toMatchObject({ title: 'A' });
    const doubling = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`);
    const bomb = `---\ntitle: A\nl0: &l0 [x, x]\n${doubling.join('\n')}\n---\n`;
    expect(read(bomb)).toMatchObject({ title: 'A' });
  });

  it('tolerates and reports excessive nesting', () => {
    const nested = meta(`---\ntitle: A\norder: 1\n${'? '.repeat(300)}a: b\n---\n`);
    expect(nested.meta.title).toBe('A');
    expect(nested.diagnostics[0]).toMatchObject({
      code: 'front_matter_syntax',
      message: expect.stringContaining('nested too deeply'),
    });
    expect(meta(`---\ntitle: A\nx: ${'{a: '.repeat(5000)}\n---\n`).diagnostics[0]).toMatchObject({
      message: expect.stringContaining('nested too deeply'),
    });
  });

  it('tolerates a bare string, an empty block and duplicate keys', () => {
    expect(read('---\njust words\n---\n')).toEqual({});
    expect(read('---\n---\nx')).toEqual({});
    expect(read('---\ntitle: a\ntitle: b\n---\n')).toEqual({ title: 'b' });
  });

  it('is read line by line when the YAML is invalid, with a finding', () => {
    const page = meta('---\ntitle: What: a title\nicon: [x\n---\n');
    expect(page.meta.title).toBe('What: a title');
    expect(page.diagnostics[0]).toMatchObject({ code: 'front_matter_syntax', line: 2 });
  });

  it('is never executed', () => {
    expect(
      splitFrontMatter('---js\nmodule.exports = { title: process.exit() }\n---\n').matter,
    ).toBeUndefined();
    expect(read('---\ntitle: !!js/function "function(){}"\n---\n')['title']).not.toBeInstanceOf(Function);
  });

  it('reads Windows line ends and a byte-order mark', () => {
    expect(meta('\uFEFF---\r\ntitle: A\r\n---\r\nBody').meta.title).toBe('A');
  });

  it('defaults the title to the first heading, else to the address', () => {
    expect(meta('# Real title {#x}\n').meta.title).toBe('Real title');
    expect(meta('Text').meta.title).toBe('My page');
    expect(meta('Text', 'guides/index').meta.title).toBe('Guides');
  });
});
