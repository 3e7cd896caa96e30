/** Generates expressions from a seed. */
import fc from 'fast-check';

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
  '.length',
  '[0]',
  '["b"]',
  '?.a',
  '?.[1]',
  '.a',
  '.missing',
  '.at(-1)',
  '.at(0)',
  '.trim()',
  '.trimStart()',
  '.trimEnd()',
  '.toUpperCase()',
  '.toLowerCase()',
  '.slice(1)',
  '.slice(-2)',
  '.slice(0, 2)',
  '.split("")',
  '.split("-")',
  '.split(" ", 1)',
  '.repeat(2)',
  '.padStart(4, "ab")',
  '.padEnd(3)',
  '.charAt(1)',
  '.includes("a")',
  '.startsWith("a")',
  '.endsWith("b")',
  '.indexOf("a")',
  '.lastIndexOf("a")',
  '.replace("a", "b")',
  '.replaceAll("a", "$&b")',
  '.substring(1, 3)',
  '.concat("z")',
  '.concat([9])',
  '.codePointAt(0)',
  '.charCodeAt(1)',
  '.join("-")',
  '.join()',
  '.reverse()',
  '.toReversed()',
  '.flat()',
  '.sort()',
  '.toSorted()',
  '.includes(1)',
  '.indexOf(2)',
  '.map((x) => x + 1)',
  '.map((x, i) => `${i}:${x}`)',
  '.map(String)',
  '.filter((x) => x > 1)',
  '.filter(Boolean)',
  '.find((x) => x > 1)',
  '.findIndex((x) => x === 2)',
  '.some((x) => !x)',
  '.every((x) => x)',
  '.flatMap((x) => [x, x])',
  '.reduce((sum, x) => sum + x, 0)',
  '.reduce((sum, x) => sum + x)',
  '.map(({ a, ...rest }) => rest)',
  '.entries',
  '.keys()',
  '.toFixed(1)',
  '.toFixed(0)',
  '.toString()',
  '.toString(2)',
  '.toPrecision(3)',
  '.toLocaleString()',
  '.valueOf()',
  '.slice()',
  '.map((x) => <li key={x}>{x}</li>)',
  '.forEach((x) => x)',
  '.constructor',
  '.__proto__',
];
const callees = [
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
  'parseInt',
  'parseFloat',
  'Number.isInteger',
  'isNaN',
  'Array.isArray',
  'Object.keys',
  'Object.values',
  'Object.entries',
  'Object.fromEntries',
  'Array.from',
  'JSON.stringify',
  'JSON.parse',
  'encodeURIComponent',
  'decodeURIComponent',
];

/** Mostly well typed, sometimes not, because the evaluator must also refuse. */
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
