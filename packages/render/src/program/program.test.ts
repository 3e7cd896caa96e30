import { describe, expect, it } from 'vitest';
import { type Document, readDocument } from '../document/document.ts';
import { ModuleSources } from '../page/module-sources.ts';
import type { Node } from '../document/tree.ts';
import { type DocumentProgram, type ProgramSources, Programs, authorLine } from './program.ts';
import { runModules } from '../../test/support/run-program.ts';

function site(files: Record<string, string>): ProgramSources {
  const names = new ModuleSources('/nowhere', new Set(Object.keys(files)), { variables: {}, math: 'never' });
  const bytes = (file: string): Uint8Array => Buffer.from(files[file] ?? '');
  return {
    resolve: (specifier, from) => names.resolve(specifier, from),
    bytes,
    document: (file, parser) => readDocument(bytes(file), { file, parser, variables: {}, math: 'never' }),
    revision: 0,
  };
}

function programOf(files: Record<string, string>): { document: Document; program: DocumentProgram } {
  const sources = site(files);
  const document = sources.document('page.mdx', 'fast');
  return { document, program: new Programs(sources).ofDocument('page.mdx', document, 'fast') };
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

type PieceFunction = (given: unknown, content?: unknown, isWhole?: boolean) => unknown;

function valuesOf(files: Record<string, string>, given: object = {}, content?: unknown): unknown[] {
  const { document, program } = programOf(files);
  const pieces = runModules(program.modules)('page.mdx')['$pieces'] as PieceFunction[];
  return nodesOf(document.tree).flatMap((node) => {
    const piece = program.pieceOf(node);
    return piece ? [pieces[piece.index]?.(given, content)] : [];
  });
}

function element(type: unknown, props: object = {}, ...children: unknown[]): object {
  return { type, props, children };
}

describe('pieces of a document', () => {
  it.each<[string, string, unknown[]]>([
    ['an expression', '{1 + 1}', [2]],
    ['within a sentence', 'a {"b"} c', ['b']],
    ['a comment is none', '{/* c */}', []],
    ['a name of the page', 'export const a = 1\n\n{a}', [1]],
    ['elements in an expression', '{[1].map((n) => <Card n={n}/>)}', [[element('Card', { n: 1 })]]],
    ['a built-in component is none', '<Card title={1}/>', []],
    [
      'an element with a handler',
      '<button onClick={null}>x</button>',
      [element('button', { onClick: null }, 'x')],
    ],
    [
      'an own component',
      'export const Own = 1\n\n<Own a="b" c={2} d {...{ e: 3 }}/>',
      [element(1, { a: 'b', c: 2, d: true, e: 3 })],
    ],
    ['a member of an own object', 'export const ui = { A: 1 }\n\n<ui.A/>', [element(1)]],
    ['an imported component', 'import { Own } from "./own.jsx"\n\n<Own/>', [element('own')]],
    ['data', 'import data from "/data.json"\n\n{data.list[0]}', [5]],
    ['a name of data', 'import { list } from "/data"\n\n{list[0]}', [5]],
    ['types', 'import { typed } from "./typed"\n\n{typed}', ['typed']],
    [
      'another document',
      'import Other from "./other.mdx"\n\n{[<Other a="b"/>]}',
      [[element('document:other.mdx', { a: 'b' })]],
    ],
    ['an export of another document', 'import { greeting } from "./other.mdx"\n\n{greeting}', ['hello']],
  ])('%s', (_name, page, values) => {
    const files = {
      'page.mdx': page,
      'own.jsx': 'export const Own = "own"',
      'data.json': '{ "list": [5], "__proto__": 1 }',
      'typed/index.tsx': 'enum E { A = "typed" }\nexport const typed: string = E.A as string',
      'other.mdx': 'export const greeting = "hello"\n\n{greeting}',
    };
    expect(valuesOf(files)).toEqual(values);
  });

  it('a component receives elements and inspectable Markdown as children', () => {
    const page = `export const Own = 1

<Own>
  ## Title *x*

  - a
  - b

  <Card title="T" cols={1 + 1}>[Text](/t)</Card>

  {['e']}

  <Own>words</Own>
</Own>`;
    const [outer, inner] = valuesOf({ 'page.mdx': page }, {}, (slot: number, make: () => unknown) => [
      slot,
      make(),
    ]);
    expect(inner).toEqual(['e']);
    const link = element('a', { href: '/t' }, 'Text');
    expect(outer).toEqual(
      element(
        1,
        {},
        [1, element('h2', {}, 'Title ', [4, element('em', {}, 'x')])],
        [2, element('ul', {}, element('li', {}, 'a'), element('li', {}, 'b'))],
        [3, element('Card', { title: 'T', cols: 2 }, [5, link])],
        ['e'],
        element(1, {}, 'words'),
      ),
    );
  });

  it('a component receives its content as one slot on request', () => {
    const page = 'export const Own = 1\n\n<Own>a *b*</Own>';
    const { document, program } = programOf({ 'page.mdx': page });
    const pieces = runModules(program.modules)('page.mdx')['$pieces'] as PieceFunction[];
    const own = nodesOf(document.tree).flatMap((node) => program.pieceOf(node) ?? [])[0];
    const { whole = -1 } = own?.content ?? {};
    expect(pieces[own?.index ?? 0]?.({}, (slot: number) => slot, true)).toEqual(element(1, {}, whole));
    expect(program.slots[whole]?.nodes.map(({ type }) => type)).toEqual(['text', 'emphasis']);
  });

  it('undefined names are read from the properties of the document', () => {
    const page = '{title} {name.length} {typeof missing} {props.title} {typeof window}';
    expect(valuesOf({ 'page.mdx': page }, { title: 'T', name: 'N', window: 1 })).toEqual([
      'T',
      1,
      'undefined',
      'T',
      'undefined',
    ]);
  });

  it('a missing property fails where it is used', () => {
    expect(() => valuesOf({ 'page.mdx': '{title}' }, Object.create({ title: 1 }) as object)).toThrow(
      'title is not defined',
    );
  });

  it('code that does not compile is omitted and reported with its place', () => {
    const page =
      '---\ntitle: x\n---\n\nimport { bad } from "./bad.tsx"\n\nexport const a = 1\n\n{a}\n\n{import("x")}\n\n{a + 1}';
    const files = { 'page.mdx': page, 'bad.tsx': 'const é = 1;\nconst a: = 1' };
    const { program } = programOf(files);
    expect(program.problems).toEqual([
      { file: 'page.mdx', line: 11, column: 2, message: 'import() is not available in pages' },
      { file: 'bad.tsx', line: 2, column: 10, message: 'Unexpected token' },
    ]);
    expect(valuesOf(files)).toEqual([1, 2]);
  });

  it.each<[string, string, unknown[], string[]]>([
    ['exported by another block', 'export const a = 1\n\nText\n\nexport { a as b }\n\n{a}', [1], []],
    [
      'declared twice',
      'export const a = 1\n\nText\n\nexport const a = 2\n\n{a}',
      [1],
      ['"a" is declared twice'],
    ],
    ['a layout', 'export const a = 1\n\nText\n\nexport default () => a\n\n{a}', [1], []],
    ['with $pieces', 'export const $pieces = 1\n\n{$pieces}', [1], []],
  ])('the blocks of a page are one module: %s', (_name, page, values, problems) => {
    expect(valuesOf({ 'page.mdx': page })).toEqual(values);
    expect(programOf({ 'page.mdx': page }).program.problems.map(({ message }) => message)).toEqual(problems);
  });

  /** The Markdown parser rejects such text; the compiler does not rely on that. */
  it.each(['1), (2', '1) + (2', '1); (2', '1)] ; [(2', '...a}), ({...b'])(
    'cannot be left by an expression that closes its parentheses: %s',
    (text) => {
      const sources = site({ 'page.mdx': '{1}\n\n<a {...b}/>' });
      const document = sources.document('page.mdx', 'fast');
      const [expression, tag] = document.tree.children ?? [];
      if (expression && tag?.attributes?.[0]) {
        expression.value = text;
        tag.attributes[0].value = text;
      }
      const { problems } = new Programs(sources).ofDocument('page.mdx', document, 'fast');
      expect(problems).toHaveLength(2);
    },
  );
});

describe('places', () => {
  it('each line of a module maps to the line of the author', () => {
    const page = `---
title: x
---

export const a = () => {
  throw new Error('in the page');
};

Text

{(() => {
  throw new Error('in braces');
})()}

<div
  one={
    1
  }
  two={a(() => 1)}
/>`;
    const { document, program } = programOf({ 'page.mdx': page });
    const pieces = runModules(program.modules)('page.mdx')['$pieces'] as PieceFunction[];
    const lines = pieces.flatMap((piece) => {
      try {
        piece({});
        return [];
      } catch (error) {
        const [, line] = /page\.mdx:(\d+)/.exec((error as Error).stack ?? '') ?? [];
        const module = program.modules.at(-1);
        return module ? [authorLine(module, Number(line))] : [];
      }
    });
    expect(lines).toEqual([12, 6]);
    const tag = nodesOf(document.tree).find(({ name }) => name === 'div');
    expect(tag && [0, 1].map((index) => program.attributePieceOf(tag, index))).toMatchObject([
      { line: 16, column: 7 },
      { line: 19, column: 7 },
    ]);
  });

  it('each line of compiled TypeScript maps to its source line', () => {
    const files = {
      'page.mdx': 'import { a } from "./a.ts"\n\n{a()}',
      'a.ts':
        'interface Props {\n  a: number;\n}\n\nexport function a(b?: Props): void {\n  throw new Error("x");\n}',
    };
    const { program } = programOf(files);
    const module = program.modules[0];
    const pieces = runModules(program.modules)('page.mdx')['$pieces'] as PieceFunction[];
    expect(() => pieces[0]?.({})).toThrow();
    const line = (module?.factory ?? '').split('\n').findIndex((text) => text.includes('throw')) + 1;
    expect(module && authorLine(module, line)).toBe(6);
  });
});

describe('interactive code', () => {
  it.each<[string, string, boolean]>([
    ['plain code', 'export const A = () => <i/>\n\n<A/>', false],
    ['state', 'export const A = () => useState(1)\n\n<A/>', true],
    ['state of React', 'export const A = () => React.useState(1)\n\n<A/>', true],
    ['an id', 'export const A = () => useId()\n\n<A/>', false],
    ['a handler', 'export const A = () => <a onClick={f}/>\n\n<A/>', true],
    ['a handler among properties', 'export const A = () => h("a", { onClick: f })\n\n<A/>', true],
    ['a word that only looks like one', 'export const A = () => ({ once: 1, onTime: "x" })\n\n<A/>', false],
    ['a handler that is given', 'export const A = () => <i/>\n\n<A onClick={() => 1}/>', true],
    ['a handler on an element', '<a onClick={() => 1}/>', true],
    ['a reference to an element', '<a ref={() => 1}/>', true],
    ['an event as text', '<a onClick="x" b={1}/>{1}', false],
    ['a class component', 'export class A extends React.Component {}\n\n<A/>', true],
    ['a class without a parent', 'export class A {}\n\n<A/>', false],
    ['another component', 'export const B = () => useState(1)\n\nexport const A = () => <B/>\n\n<A/>', true],
    ['beside it', 'export const B = () => useState(1)\n\nexport const A = () => <i/>\n\n<A/>', false],
    ['added to it', 'export const A = () => <i/>; A.B = () => useState(1)\n\n<A.B/>', true],
    [
      'an attribute',
      'export const A = () => <i/>\nexport const B = () => useState(1)\n\n<A b={<B/>}/>',
      true,
    ],
    ['an expression', 'export const A = () => useState(1)\n\n{[1].map(() => <A/>)}', true],
    ['imported', 'import { Live } from "./live.jsx"\n\n<Live/>', true],
    ['imported by default', 'import Live from "./live.jsx"\n\n<Live/>', true],
    ['imported with others', 'import { Still } from "./live.jsx"\n\n<Still/>', false],
    ['imported in a circle', 'import { Circle } from "./circle.jsx"\n\n<Circle/>', true],
    ['imported as a whole', 'import * as all from "./circle.jsx"\n\n<all.Circle/>', true],
    ['imported through another', 'import { Live } from "./index"\n\n<Live/>', true],
    ['a document that holds it', 'import Other from "./other.mdx"\n\n<Other/>', false],
  ])('%s', (_name, page, interactive) => {
    const { document, program } = programOf({
      'page.mdx': page,
      'live.jsx':
        'export const Live = () => useState(1); export const Still = () => 1; export default () => useEffect(f)',
      'circle.jsx':
        'import { Back } from "./back.jsx"; export const Circle = () => <Back/>; export { Live } from "./live"',
      'back.jsx':
        'import { Live, Circle } from "./circle.jsx"; export const Back = () => 1 ? <Live/> : <Circle/>',
      'index.js': 'export * from "./live.jsx"',
      'other.mdx': 'import { Live } from "./live.jsx"\n\n<Live/>',
    });
    const piece = nodesOf(document.tree)
      .map((node) => program.pieceOf(node))
      .find(Boolean);
    expect(piece?.interactive).toBe(interactive);
  });

  it('a piece needs only the modules it uses', () => {
    const { document, program } = programOf({
      'page.mdx': 'import { A } from "./a.jsx"\nimport { B } from "./b.jsx"\n\n<A/>\n\n<B/>',
      'a.jsx': 'import { c } from "./c"; export const A = () => c',
      'b.jsx': 'export const B = 1',
      'c.js': 'export const c = 1',
    });
    const pieces = nodesOf(document.tree).flatMap((node) => program.pieceOf(node) ?? []);
    const needed = pieces.map((piece) => program.modulesFor([piece]).map(({ id }) => id));
    expect(needed).toEqual([
      ['c.js', 'a.jsx', 'page.mdx'],
      ['b.jsx', 'page.mdx'],
    ]);
    expect(program.modules.map(({ id }) => id)).toEqual(['c.js', 'a.jsx', 'b.jsx', 'page.mdx']);
  });
});

describe('limits', () => {
  const tooMuchTypeScript = 'the file contains too much TypeScript to compile; split it';

  it('a program has at most 200 files and reports more', () => {
    const names = Array.from({ length: 250 }, (_, index) => `a${index}`);
    const files = Object.fromEntries(names.map((name) => [`${name}.js`, `export const ${name} = 1`]));
    const page = `${names.map((name) => `import { ${name} } from "./${name}"`).join('\n')}\n\n{a1}`;
    const { program } = programOf({ ...files, 'page.mdx': page });
    expect(program.modules).toHaveLength(200);
    expect(program.problems).toMatchObject([{ message: 'more than 200 files are imported' }]);
  });

  it('a chain of imports may have the maximum length', () => {
    const names = Array.from({ length: 250 }, (_, index) => index);
    const files = Object.fromEntries(
      names.map((index) => [`a${index}.js`, `export * from "./a${index + 1}"`]),
    );
    const { program } = programOf({ ...files, 'page.mdx': 'import { a } from "./a0"\n\n{a}' });
    expect(program.modules).toHaveLength(200);
  });

  it('a program may have 2 MB of code', () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`a${index}.js`, `export default "${'x'.repeat(250_000)}"`]),
    );
    const page = Object.keys(files)
      .map((name, index) => `import a${index} from "./${name}"`)
      .join('\n');
    const { program } = programOf({ ...files, 'page.mdx': page });
    expect(program.modules).toHaveLength(9);
    expect(program.problems).toMatchObject([{ message: 'more than 2 MB of code are imported' }]);
  });

  it('a document may have 5,000 expressions', () => {
    const { program } = programOf({ 'page.mdx': '{1}'.repeat(5001) });
    expect(program.problems).toMatchObject([{ message: 'the page has more than 5000 expressions' }]);
  });

  it.each([
    ['a.js', `"${'x'.repeat(300_000)}"`, 'the code is larger than 256 KB'],
    ['a.ts', `"${'x'.repeat(300_000)}"`, tooMuchTypeScript],
    ['a.ts', `x = ${'('.repeat(20_000)}`, tooMuchTypeScript],
    ['a.ts', `x = ${'a => '.repeat(9000)}1`, tooMuchTypeScript],
    ['a.json', `"${'x'.repeat(1_000_000)}"`, 'the file is larger than 1 MB'],
    ['a.json', '[1,]', 'this is not valid JSON'],
    ['a.js', `x = ${'!'.repeat(20_000)}1`, 'the code is nested too deeply'],
  ])('%s is rejected: %s', (file, source, message) => {
    const { program } = programOf({ [file]: source, 'page.mdx': `import a from "./${file}"\n\n{a}` });
    expect(program.problems).toMatchObject([{ file, message }]);
    expect(program.modules).toHaveLength(2);
  });
});

it('changed files are compiled again', () => {
  const files: Record<string, string> = {
    'page.mdx': 'import { a } from "./a"\n\n{a}',
    'a.js': 'export const a = 1',
  };
  const sources = { ...site(files), revision: 0 };
  const document = sources.document('page.mdx', 'fast');
  const programs = new Programs(sources);
  const value = (): unknown =>
    runModules(programs.ofDocument('page.mdx', document, 'fast').modules)('a.js')['a'];
  const first = programs.ofDocument('page.mdx', document, 'fast');
  expect([value(), programs.ofDocument('page.mdx', document, 'fast') === first]).toEqual([1, true]);
  files['a.js'] = 'export const a = 2';
  sources.revision += 1;
  expect(value()).toBe(2);
});
