import { describe, expect, test } from 'vitest';
import type { LinkResolver } from '../navigation/links.ts';
import { prepareStylesheet, remotePicturesOf } from './references.ts';
import { withWeakUniversalRules } from './universal-rules.ts';

const links = {
  resolveFile: (address: string) =>
    address.startsWith('/img/')
      ? { kind: 'file', file: address.slice(1), output: address.slice(1), suffix: '' }
      : { kind: 'missing' },
} as unknown as LinkResolver;

const prepared = (css: string) => prepareStylesheet(css, 'style.css', links);

describe('addresses in a stylesheet', () => {
  test.each([
    ['a { b: url(/img/a.png) }', 'a { b: url("img/a.png") }'],
    ['a { b: URL( "/img/a.png" ) }', 'a { b: url("img/a.png") }'],
    [String.raw`a { b: url('/img/\61.png') }`, 'a { b: url("img/a.png") }'],
    [
      '/* url(/img/a.png) */ a { content: "url(/img/a.png)" }',
      '/* url(/img/a.png) */ a { content: "url(/img/a.png)" }',
    ],
    ['a { b: url(#c) url(data:,) }', 'a { b: url(#c) url(data:,) }'],
    ['a { b: url(https://h/a.png) }', 'a { b: url("data:,") }'],
    ['@import "https://h/a.css" screen; b { c: d }', ' b { c: d }'],
    ['@IMPORT url( //h/a.css );b{}', 'b{}'],
    ['@import "local.css"; b {}', '@import "local.css"; b {}'],
  ])('%s becomes %s', (css, expected) => {
    expect(prepared(css).css).toBe(expected);
  });

  test('a broken stylesheet address is reported with its line', () => {
    expect(prepared('a {}\nb { c: url(x.png) }\n@import "//h/a.css"').diagnostics).toMatchObject([
      { code: 'image_missing', line: 2 },
      { code: 'remote_asset', line: 3 },
    ]);
  });

  test('remote stylesheet addresses are listed if they may be pictures', () => {
    expect(remotePicturesOf('@import "//h/a.css"; a { b: url(//h/a.png) url("https://h/f.woff2") }')).toEqual(
      ['https://h/a.png'],
    );
  });

  test.each([
    ['open parentheses', 'url('.repeat(500_000)],
    ['open strings', 'a{b:url("'.repeat(200_000)],
    ['open comments', '/*'.repeat(1_000_000)],
    ['escapes', '\\'.repeat(2_000_000)],
    ['imports', '@import "//h/a'.repeat(140_000)],
    ['universal rules', '*{'.repeat(1_000_000)],
    ['at-rules without an end', '@import "a" '.repeat(160_000)],
  ])('a stylesheet is parsed in linear time: 2 MB of %s', (_name, css) => {
    const start = performance.now();
    prepared(css);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('rules for every element', () => {
  test.each([
    ['* { a: b }', '@layer dy-base {* { a: b }}'],
    ['a{} *, *::before /* x */ { b: c } d{}', 'a{}@layer dy-base { *, *::before /* x */ { b: c }} d{}'],
    ['@media print { * { a: b } }', '@media print {@layer dy-base { * { a: b }} }'],
    ['* a { b: c }', '* a { b: c }'],
    ['a::after { content: "*{}" }', 'a::after { content: "*{}" }'],
    ['* { a: b', '@layer dy-base {* { a: b}'],
  ])('%s becomes %s', (css, expected) => {
    expect(withWeakUniversalRules(css).replaceAll(/@layer [\w.-]+ /g, '@layer dy-base ')).toBe(expected);
  });
});
