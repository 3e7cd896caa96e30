import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { transformSync } from 'oxc-transform';
import { expect, it } from 'vitest';
import { compileModule } from './compile.ts';
import { factoryOf } from './file.ts';
import { runModules } from '../../test/support/run-program.ts';

/** Elements in all spellings: white space, comments, entities, quotes, nesting. */
const gap = fc.constantFrom('', ' ', '\n', ' \n\t ', ' /* c */ ', ' // c\n');
const space = fc.constantFrom(' ', '\n  ', '\t', ' /* c */ ');
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'word',
      ' ',
      '\n',
      '  \n  ',
      '&amp;',
      '&lt;',
      '&nbsp;',
      '&#65;',
      '&#x1F600;',
      '&nope;',
      '"',
      "'",
      '//',
      '/*',
      '`',
      '$',
      '\\n',
      'é',
      '<!--'.slice(1),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const quoted = fc
  .array(fc.constantFrom('a', ' ', '&amp;', '&quot;', '\\', '$', 'é', '//', '>', '{', '}', '<'), {
    maxLength: 4,
  })
  .map((parts) => `"${parts.join('')}"`);
const value = fc.constantFrom(
  '1',
  '"x"',
  'null',
  '[1, 2]',
  '{ b: 1 }',
  '`t${1}`',
  '(1, 2)',
  'true && 3',
  '() => 1',
  '/}/',
  '/* c */ 4',
  '5 // c\n',
);
const tag = fc.constantFrom('a', 'div', 'Card', 'Tree.File', 'my-tag', 'svg:path');
const { element } = fc.letrec<{ element: string; child: string; attribute: string }>((tie) => ({
  attribute: fc.oneof(
    fc
      .tuple(fc.constantFrom('b', 'data-x', 'aria-label', 'xlink:href', 'key', 'class'), gap, gap, quoted)
      .map(([name, one, two, given]) => `${name}${one}=${two}${given}`),
    fc.tuple(fc.constantFrom('b', 'c'), gap, value).map(([name, one, given]) => `${name}={${one}${given}}`),
    fc.tuple(fc.constantFrom('b', 'c'), tie('element')).map(([name, given]) => `${name}={${given}}`),
    fc.tuple(fc.constantFrom('b', 'c'), tie('element')).map(([name, given]) => `${name}=${given}`),
    fc.constantFrom('flag', '{...{ d: 1 }}', '{ ... { d: 1, b: 2 } /* c */ }', '{...(0, { e: 1 })}'),
  ),
  child: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.tuple(gap, value).map(([one, given]) => `{${one}${given}}`),
    fc.constantFrom('{}', '{/* c */}', '{ // c\n}'),
    tie('element'),
  ),
  element: fc
    .tuple(
      fc.option(tag, { nil: '' }),
      fc.array(fc.tuple(space, tie('attribute')), { maxLength: 3, depthIdentifier: 'a' }),
      gap,
      fc.option(fc.array(tie('child'), { maxLength: 4 }), { nil: undefined }),
    )
    .map(([name, attributes, end, children]) => {
      if (name === '') return `<>${(children ?? []).join('')}</>`;
      const opening = `<${name}${attributes.map((parts) => parts.join('')).join('')}${end}`;
      return children ? `${opening}>${children.join('')}</${name}${end}>` : `${opening}/>`;
    }),
}));

/** The value of an element according to a second compiler. */
function expected(source: string): unknown {
  const { code, errors } = transformSync('a.jsx', `value = ${source}`, {
    jsx: { runtime: 'classic', throwIfNamespace: false, pragma: 'h', pragmaFrag: 'fragment' },
  });
  if (errors.length) return undefined;
  const context = {
    value: undefined,
    fragment: 'fragment',
    Card: 'Card',
    Tree: { File: 'Tree.File' },
    h: (type: unknown, props: unknown, ...children: unknown[]) => ({
      type,
      props: { ...(props as object) },
      children,
    }),
  };
  runInNewContext(code, context);
  return shown(context.value);
}

/** As plain data: functions and regular expressions by their kind, properties in any order. */
function shown(tree: unknown): unknown {
  const text = JSON.stringify(tree, (_key, item: unknown) => {
    if (typeof item === 'function') return 'function';
    return Object.prototype.toString.call(item) === '[object RegExp]' ? 'pattern' : item;
  });
  return JSON.parse(text);
}

it('compiled elements equal those of another compiler', () => {
  fc.assert(
    fc.property(element, (source) => {
      const wanted = expected(source);
      fc.pre(wanted !== undefined);
      const factory = factoryOf(compileModule(`export const value = ${source}`, () => undefined).code);
      expect(shown(runModules([{ id: 'a.jsx', factory }])('a.jsx')['value'])).toEqual(wanted);
    }),
    { seed: 1, numRuns: 150 },
  );
});
