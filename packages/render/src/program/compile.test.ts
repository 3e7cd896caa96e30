import { describe, expect, it } from 'vitest';
import { compileModule } from './compile.ts';
import { factoryOf } from './file.ts';
import { type Exports, runModules } from '../../test/support/run-program.ts';
import { CompileError } from './syntax.ts';

function run(files: Record<string, string>, id = 'main.jsx'): Exports {
  const modules = Object.entries(files).map(([file, source]) => ({
    id: file,
    factory: factoryOf(compileModule(source, resolve).code),
  }));
  return { ...runModules(modules)(id) };
}

function resolve(specifier: string): { file: string } | 'react' | undefined {
  if (specifier === 'react') return 'react';
  return specifier.startsWith('./') ? { file: specifier.slice(2) } : undefined;
}

function element(type: unknown, props: object = {}, ...children: unknown[]): object {
  return { type, props, children };
}

describe('elements', () => {
  it.each<[string, string, unknown]>([
    ['an element', '<a/>', element('a')],
    ['attributes', '<a b="c" d={1 + 1} e />', element('a', { b: 'c', d: 2, e: true })],
    ['entities', '<a b="&lt;&amp;">&copy;</a>', element('a', { b: '<&' }, '©')],
    ['spread', '<a b="1" {...{ b: 2, c: 3 }} c={4}/>', element('a', { b: 2, c: 4 })],
    [
      'children',
      '<a>\n  text <b/>\n  {1}{/* no */}{[2, 3]}\n</a>',
      element('a', {}, 'text ', element('b'), 1, [2, 3]),
    ],
    [
      'a fragment',
      '<>x<React.Fragment key="k"/></>',
      element('fragment', {}, 'x', element('fragment', { key: 'k' })),
    ],
    ['the fragment of the page', '<Fragment>x</Fragment>', element('fragment', {}, 'x')],
    ['a built-in component', '<Card title="x"/>', element('Card', { title: 'x' })],
    ['a built-in with a dot', '<Tree.File name="x"/>', element('Tree.File', { name: 'x' })],
    ['a custom element', '<my-tag/>', element('my-tag')],
    ['a name space', '<svg xlink:href="#a"/>', element('svg', { 'xlink:href': '#a' })],
    [
      'an element as an attribute',
      '<a b=<i/> c={<u>x</u>}/>',
      element('a', { b: element('i'), c: element('u', {}, 'x') }),
    ],
    ['a word before', '(() => { return<a/> })()', element('a')],
    ['spaces in the tag', '< a b = "c" / >', element('a', { b: 'c' })],
    ['comments in the tag', '<a /* x */ b="c" // y\n d="e" />', element('a', { b: 'c', d: 'e' })],
    ['sequences', '<a b={(1, 2)}>{(3, 4)}</a>', element('a', { b: 2 }, 4)],
    ['a local component', '((Card) => <Card/>)("mine")', element('mine')],
    ['a member of a local', '((ui) => <ui.Card/>)({ Card: "mine" })', element('mine')],
  ])('%s', (_name, source, value) => {
    expect(run({ 'main.jsx': `export const value = ${source};` })['value']).toEqual(value);
  });

  it('an element has an ordinary property "__proto__"', () => {
    const { props } = run({ 'main.jsx': 'export const value = <a __proto__="x"/>' })['value'] as {
      props: object;
    };
    expect(Object.getOwnPropertyDescriptor(props, '__proto__')?.value).toBe('x');
  });
});

describe('modules', () => {
  it.each<[string, string, string]>([
    ['named', 'export const x = 1', 'import { x } from "./b"; export const value = x'],
    ['renamed', 'const y = 1; export { y as x }', 'import { x as z } from "./b"; export const value = z'],
    ['default expression', 'export default 1', 'import x from "./b"; export const value = x'],
    ['default in parentheses', 'export default (1)', 'import x from "./b"; export const value = x'],
    [
      'default function',
      'export default function () { return 1 }',
      'import x from "./b"; export const value = x()',
    ],
    [
      'default generator',
      'export default async /* ( */ function * () {}',
      'import x from "./b"; export const value = x() && 1',
    ],
    [
      'default named function',
      'export default function f() { return 1 }',
      'import x from "./b"; export const value = x()',
    ],
    [
      'default class',
      'export default class { a = 1 }',
      'import X from "./b"; export const value = new X().a',
    ],
    [
      'default class that extends',
      'class A { a = 1 }; export default class extends A {}',
      'import X from "./b"; export const value = new X().a',
    ],
    ['namespace', 'export const x = 1', 'import * as b from "./b"; export const value = b.x'],
    [
      'new on a namespace',
      'export class X { a = 1 }',
      'import * as b from "./b"; export const value = new b.X().a',
    ],
    [
      'names that are strings',
      'const y = 1; export { y as "x y" }',
      'import { "x y" as x } from "./b"; export const value = x',
    ],
    ['again from another file', 'export { x } from "./c"', 'import { x } from "./b"; export const value = x'],
    ['all from another file', 'export * from "./c"', 'import { x } from "./b"; export const value = x'],
    [
      'all from another file as one',
      'export * as c from "./c"',
      'import { c } from "./b"; export const value = c.x',
    ],
    [
      'imported and exported',
      'import { x } from "./c"; export { x }',
      'import { x } from "./b"; export const value = x',
    ],
    [
      'destructured',
      'export const { x, ...rest } = { x: 1 }',
      'import { x } from "./b"; export const value = x',
    ],
    ['shorthand', 'export const x = 1', 'import { x } from "./b"; export const value = { x }.x'],
    [
      'called without a receiver',
      'export function x() { return this === undefined ? 1 : 2 }',
      'import { x } from "./b"; export const value = x()',
    ],
    ['shadowed', 'export const x = 2', 'import { x } from "./b"; export const value = ((x) => x)(1)'],
    [
      'in an element',
      'export const x = 1',
      'import { x } from "./b"; export const value = (<a b={x}/>).props.b',
    ],
    ['as an element', 'export const X = 1', 'import { X } from "./b"; export const value = (<X/>).type'],
    [
      'as an element of a namespace',
      'export const X = 1',
      'import * as b from "./b"; export const value = (<b.X/>).type',
    ],
    [
      'without semicolons',
      'export const x = 1',
      'import { x } from "./b"\nlet y = 2\nx\n;[y] = [x]\nexport const value = y',
    ],
    [
      'a name with escapes',
      'export const \\u0078 = 1',
      'import { x } from "./b"; export const value = \\u{78}',
    ],
  ])('%s', (_name, b, main) => {
    expect(run({ 'main.jsx': main, b, c: 'export const x = 1; export default 2' })['value']).toBe(1);
  });

  it('cyclic imports see later values', () => {
    const files = {
      'main.jsx':
        'import { next, count } from "./b"; export const base = () => 5; next(); export const value = count',
      b: 'import { base } from "./main.jsx"; export let count = 1; export function next() { count += base === undefined ? 0 : 1 }',
    };
    expect(() => run(files)).not.toThrow();
  });

  it('an import is read only when it is used', () => {
    const files = {
      'main.jsx': 'import { x } from "./b"; export const use = () => x; export const value = 1',
      b: 'throw 1',
    };
    const { value, use } = run(files);
    expect(value).toBe(1);
    expect(use).toThrow();
  });

  it('a missing import is an undefined name', () => {
    const main =
      'import { Card, value as v } from "package"; export const value = <Card/>; export const use = () => v';
    const { value, use } = run({ 'main.jsx': main });
    expect(value).toEqual(element('Card'));
    expect(use).toThrow('v is not defined');
  });

  it('React is available under all of its names', () => {
    const main = `import React, { useState as state } from 'react'; import * as All from 'react';
      export const value = [state(1)[0], React.useState(2)[0], All.useState(3)[0], useState(4)[0]];`;
    expect(run({ 'main.jsx': main })['value']).toEqual([1, 2, 3, 4]);
  });
});

describe('rejected code', () => {
  it.each([
    ['await', 'let a =\nawait 1', /await is available in async functions only/, 2],
    ['import()', 'let a;\nimport("x")', /import\(\) is not available/, 2],
    ['import.meta', 'import.meta.url', /import\.meta is not available/, 1],
    ['a change of an import', 'import { a } from "./b"\na = 1', /imported and cannot be changed/, 2],
    ['closing the function', '} evil(); {', /Unexpected token/, 1],
    ['closing the factory', '}})(); (function(){ return function () {', /Unexpected token/, 1],
    ['a comment left open', '/* ', /Unterminated comment/, 1],
    ['a template left open', '`${', /Unexpected token/, 1],
    ['with', 'with (a) {}', /strict mode/, 1],
    ['html', '<!-- x', /Unexpected token/, 1],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, /nested too deeply/, 1],
    ['a deep chain', `x${'.a'.repeat(10_000)}`, /nested too deeply/, 1],
    ['a reserved name', 'const $$jsx = 1', /reserved/, 1],
  ])('%s', (_name, source, message, line) => {
    const compile = (): unknown => factoryOf(compileModule(source, resolve).code);
    expect(compile).toThrow(message);
    expect(compile).toThrow(CompileError);
    try {
      compile();
    } catch (error) {
      expect((error as CompileError).line).toBe(line);
    }
  });
});

it('comparisons mean the same in the classic script as in the module', () => {
  expect(run({ 'main.jsx': 'let b = 3; export const value = [-1<!--b, b]' })['value']).toEqual([true, 2]);
});

it('compilation keeps line numbers', () => {
  const source =
    'import {\n a\n} from "./b";\nexport\nconst x = <a\n b={1}\n>\n {2}\n</a>;\nexport const use = () => { throw new Error("here") };';
  const { use } = run({ 'main.jsx': source });
  try {
    (use as () => void)();
  } catch (error) {
    expect((error as Error).stack).toContain('main.jsx:10:');
  }
  expect.assertions(1);
});

/** `compileModule` parses the code as a module before; the factory does not rely on that. */
it.each([
  '}',
  '} }); evil(); (function () { return function () {',
  '}; evil(); function a() {',
  '} }), (function () { return function () { ',
  '}, function () {',
  '/*',
  '`',
  "'\u2028} });'; } }); (function () { return function () {",
])('text that leaves its function is rejected: %s', (code) => {
  expect(() => factoryOf(code)).toThrow(CompileError);
});

it('exports named like prototype members are ordinary', () => {
  const files = {
    'main.jsx':
      'import * as b from "./b"; export const value = [b.constructor, b.__proto__, "toString" in b]',
    b: 'const x = 1, y = 2; export { x as constructor, y as __proto__ }',
  };
  expect(run(files)['value']).toEqual([1, 2, false]);
});
