/** Generated expressions: whatever the static evaluator gives for one, QuickJS and V8 must give too. */
import fc from 'fast-check';
import { Evaluator } from '../../packages/render/src/evaluate/evaluator.ts';
import { parseExpression } from '../../packages/render/src/evaluate/parse.ts';
import { CodeRefused, type CodeRunner } from '../../packages/render/src/evaluate/realm/realm.ts';
import { type Tree, treeOfValue } from '../../packages/render/src/evaluate/realm/tree.ts';
import { Scope, Unsupported } from '../../packages/render/src/evaluate/values.ts';
import { compileFile } from '../../packages/render/src/program/file.ts';
import type { ProgramModule } from '../../packages/render/src/program/program.ts';

export interface Difference {
  source: string;
  engine: string;
  expected: string;
  given: string;
}

export interface Compared {
  generated: number;
  /** Those that the static evaluator took. */
  taken: number;
  differences: Difference[];
}

/** As many go into one module; running a module costs more than running an expression. */
const perModule = 250;

export function compareExpressions(
  sources: readonly string[],
  engines: Readonly<Record<string, CodeRunner>>,
): Compared {
  const compared: Compared = { generated: sources.length, taken: 0, differences: [] };
  const taken = sources.flatMap((source) => {
    const value = statically(source);
    return value === undefined ? [] : [{ source, expected: JSON.stringify(value.tree) }];
  });
  compared.taken = taken.length;
  for (let at = 0; at < taken.length; at += perModule) {
    const part = taken.slice(at, at + perModule);
    for (const [engine, runner] of Object.entries(engines)) {
      const given = running(
        part.map(({ source }) => source),
        runner,
      );
      part.forEach(({ source, expected }, index) => {
        const value = JSON.stringify(given[index]);
        if (value !== expected) compared.differences.push({ source, engine, expected, given: value });
      });
    }
  }
  return compared;
}

/** Undefined when the evaluator refuses, or when the value is one that only it can hold. */
function statically(source: string): { tree: Tree } | undefined {
  const evaluator = new Evaluator();
  try {
    const value = evaluator.evaluate(parseExpression(source), new Scope(evaluator.standard));
    return { tree: shown(treeOfValue([value], [])) };
  } catch (error) {
    if (error instanceof Unsupported || error instanceof NothingToShow) return undefined;
    throw error;
  }
}

function running(sources: readonly string[], runner: CodeRunner): Tree[] {
  const pieces = sources.map(
    (source) => `() => { try { return [(${source}\n)]; } catch (error) { return 'threw ' + error; } }`,
  );
  const text = `export const pieces = [${pieces.join(',\n')}];`;
  const { factory } = compileFile('generated.jsx', text, () => undefined);
  const modules = [{ id: 'generated.jsx', factory }, page];
  runner.beginPage({ seed: 1, clockMs: 0, address: 'http://localhost/' });
  return sources.map((_, piece) => {
    try {
      const request = { module: page.id, piece, props: { object: [] }, children: null, as: 'value' as const };
      return shown(runner.run(modules, request));
    } catch (error) {
      if (error instanceof CodeRefused) return `refused: ${error.message}`;
      throw error;
    }
  });
}

/** Names that a compiled page keeps for itself cannot be written in a source. */
const page: ProgramModule = {
  id: 'page',
  factory: `(() => (require, exports) => { exports.$pieces = require('generated.jsx').pieces; })`,
};

/** What can be seen of a value: how children are grouped, keys and the sign of zero cannot. */
function shown(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(shown);
  if (tree === 0) return 0;
  if (typeof tree !== 'object' || tree === null) return tree;
  if ('object' in tree) return { object: tree.object.map(([name, value]) => [name, shown(value)]) };
  if (!('type' in tree)) return tree;
  return {
    type: tree.type,
    props: tree.props.filter(([name]) => name !== 'key').map(([name, value]) => [name, shown(value)]),
    children: content(tree.children),
  };
}

function content(children: readonly Tree[]): Tree[] {
  const parts = children.flatMap((child): Tree[] => {
    if (child === null || typeof child === 'boolean' || child === '') return [];
    if (typeof child === 'number') return [String(child)];
    if (Array.isArray(child)) return content(child);
    if (typeof child === 'object' && 'type' in child && child.type === null) return content(child.children);
    if (typeof child === 'object' && ('object' in child || 'function' in child)) throw new NothingToShow();
    return [shown(child)];
  });
  return parts.reduce<Tree[]>((joined, part) => {
    const last = joined.at(-1);
    if (typeof last !== 'string' || typeof part !== 'string') return [...joined, part];
    return [...joined.slice(0, -1), last + part];
  }, []);
}

/** An object between tags is refused by whoever shows it, after evaluation. */
class NothingToShow extends Error {}

const names = ['a', 'b', 'x', 'item', 'length'];
const word = fc.oneof(
  fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)),
  fc.constantFrom("'a'", '"-"', '""', '" x "', "'1'", '"Ä"', '"😀b"'),
);
const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map((value) => `(${value})`),
  fc.constantFrom('0.1', '1e21', '(-0)', '1e-7', '123456789.123', '(0 / 0)', '(1 / 0)'),
);
const operators = '+ - * / % ** === !== == != < <= > >= && || ??'.split(' ');
const accesses = [
  ...['.length', '[0]', '["b"]', '?.a', '?.[1]', '.a', '.missing', '.at(-1)', '.at(0)'],
  ...[
    '.trim()',
    '.trimStart()',
    '.trimEnd()',
    '.toUpperCase()',
    '.toLowerCase()',
    '.slice(1)',
    '.slice(-2)',
    '.slice(0, 2)',
  ],
  ...[
    '.split("")',
    '.split("-")',
    '.split(" ", 1)',
    '.repeat(2)',
    '.padStart(4, "ab")',
    '.padEnd(3)',
    '.charAt(1)',
  ],
  ...[
    '.includes("a")',
    '.startsWith("a")',
    '.endsWith("b")',
    '.indexOf("a")',
    '.lastIndexOf("a")',
    '.replace("a", "b")',
  ],
  ...[
    '.replaceAll("a", "$&b")',
    '.substring(1, 3)',
    '.concat("z")',
    '.concat([9])',
    '.codePointAt(0)',
    '.charCodeAt(1)',
  ],
  ...[
    '.join("-")',
    '.join()',
    '.reverse()',
    '.toReversed()',
    '.flat()',
    '.sort()',
    '.toSorted()',
    '.includes(1)',
    '.indexOf(2)',
  ],
  ...[
    '.map((x) => x + 1)',
    '.map((x, i) => `${i}:${x}`)',
    '.map(String)',
    '.filter((x) => x > 1)',
    '.filter(Boolean)',
  ],
  ...[
    '.find((x) => x > 1)',
    '.findIndex((x) => x === 2)',
    '.some((x) => !x)',
    '.every((x) => x)',
    '.flatMap((x) => [x, x])',
  ],
  ...[
    '.reduce((sum, x) => sum + x, 0)',
    '.reduce((sum, x) => sum + x)',
    '.map(({ a, ...rest }) => rest)',
    '.entries',
    '.keys()',
  ],
  ...[
    '.toFixed(1)',
    '.toFixed(0)',
    '.toString()',
    '.toString(2)',
    '.toPrecision(3)',
    '.toLocaleString()',
    '.valueOf()',
  ],
  ...['.slice()', '.map((x) => <li key={x}>{x}</li>)', '.forEach((x) => x)', '.constructor', '.__proto__'],
];
const callees = [
  ...[
    'Math.max',
    'Math.min',
    'Math.round',
    'Math.floor',
    'Math.abs',
    'Math.sign',
    'Math.sqrt',
    'Number',
    'String',
    'Boolean',
  ],
  ...[
    'parseInt',
    'parseFloat',
    'Number.isInteger',
    'isNaN',
    'Array.isArray',
    'Object.keys',
    'Object.values',
    'Object.entries',
  ],
  ...[
    'Object.fromEntries',
    'Array.from',
    'JSON.stringify',
    'JSON.parse',
    'encodeURIComponent',
    'decodeURIComponent',
  ],
];

/** Mostly well typed and sometimes not, since refusing is the evaluator's to decide. */
const { expression } = fc.letrec<{ expression: string; list: string; object: string }>((tie) => ({
  list: fc.array(tie('expression'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
  object: fc
    .array(fc.tuple(fc.constantFrom(...names), tie('expression')), { maxLength: 3 })
    .map((entries) => `({ ${entries.map(([name, value]) => `${name}: ${value}`).join(', ')} })`),
  expression: fc.oneof(
    { depthSize: 'small' },
    number,
    word,
    fc.constantFrom('true', 'false', 'null', 'undefined', '[1, 2, 3]', '["b", "a"]', '({ a: 1, b: "x" })'),
    tie('list'),
    tie('object'),
    fc
      .tuple(tie('expression'), fc.constantFrom(...operators), tie('expression'))
      .map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie('expression'), fc.constantFrom(...accesses))
        .map(([of, access]) => `(${of})${access}`),
    },
    fc
      .tuple(fc.constantFrom(...callees), fc.array(tie('expression'), { maxLength: 2 }))
      .map(([callee, args]) => `${callee}(${args.join(', ')})`),
    tie('expression').map((inner) => `\`<\${${inner}}>\``),
    fc
      .tuple(fc.constantFrom('!', '-', '+', 'typeof ', 'void '), tie('expression'))
      .map(([operator, inner]) => `${operator}(${inner})`),
    tie('expression').map((inner) => `[...(${inner}), 0]`),
    tie('expression').map((inner) => `({ ...(${inner}), z: 1 })`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([value, otherwise]) => `(({ a = ${otherwise}, ...rest }) => [a, rest])(${value})`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(
        ([value, start]) =>
          `(([a, ...b], c = ${start}) => { const [s] = useState(() => c); if (s) { return [a, s]; } return b; })(${value})`,
      ),
    tie('expression').map((inner) => `<b title={${inner}} {...{ id: 'x' }}>{${inner}} text</b>`),
    tie('expression').map((inner) => `<>{${inner}}</>`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([a, b]) => `((x, ...more) => more.length + x)(${a}, ${b}, ...[1, 2])`),
  ),
}));

export function generatedExpressions(seed: number, count: number): string[] {
  return fc.sample(expression, { seed, numRuns: count });
}
