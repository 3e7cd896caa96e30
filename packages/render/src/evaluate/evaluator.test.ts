import { runInNewContext } from 'node:vm';
import { array, assert, constantFrom, integer, letrec, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Evaluator } from './evaluator.ts';
import { parseExpression } from './parse.ts';
import { ElementValue, ObjectValue, Scope, UnsupportedError, type Value } from './values.ts';

function evaluate(source: string): unknown {
  const evaluator = new Evaluator();
  const scope = new Scope(evaluator.standard, [
    ['name', 'Ada'],
    ['list', [1, 2, 3]],
    ['item', new ObjectValue([['title', 'T']])],
  ]);
  return plain(evaluator.evaluate(parseExpression(source), scope));
}

function plain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof ObjectValue)
    return Object.fromEntries([...value.entries].map(([key, item]) => [key, plain(item)]));
  if (value instanceof ElementValue)
    return { type: value.type, props: plain(value.props), children: value.children.map(plain) };
  return value;
}

describe('results of the static evaluator', () => {
  it.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['"a" + 1 + true', 'a1true'],
    ['`Hi ${name}!`', 'Hi Ada!'],
    ['item.title', 'T'],
    ['item["title"]', 'T'],
    ['item.missing', undefined],
    ['item?.a?.b', undefined],
    ['list.length', 3],
    ['list.map((x) => x * 2)', [2, 4, 6]],
    ['list.filter((x) => x > 1).map((x, i) => `${i}:${x}`).join(" ")', '0:2 1:3'],
    ['list.reduce((sum, x) => sum + x, 0)', 6],
    ['name === "Ada" ? "yes" : "no"', 'yes'],
    ['null ?? "x"', 'x'],
    ['!list.includes(4)', true],
    ['({ ...item, n: 1 })', { title: 'T', n: 1 }],
    ['(({ title, ...rest }) => title + Object.keys(rest).length)({ title: "a", b: 1 })', 'a1'],
    ['(() => { const [a, set] = useState(() => 5); if (a > 3) { return "big"; } return "small"; })()', 'big'],
    ['Array.from({ length: 2 }, (_, i) => i)', [0, 1]],
    ['"a-b".split("-").reverse', UnsupportedError],
    ['Math.max(...list)', 3],
    ['Math.trunc(-1.5) + Math.sqrt(4)', 1],
    ['(({ a: [, b = 2], ...rest }) => b + rest.c)({ a: [1], c: 3 })', 5],
    ['(() => { const send = async () => 1; return typeof send; })()', 'function'],
    ['typeof window === "undefined" ? "no" : "yes"', 'no'],
    ['(() => { const [state] = useReducer((a) => a, 2, (n) => n * 2); return state; })()', 4],
    ['list.toReversed().concat(9, [8])', [3, 2, 1, 9, 8]],
    ['(2.345).toFixed(25).length', 27],
    ['String()', ''],
    ['(1.005).toFixed(1)', '1.0'],
    ['<b id="x">{name} !</b>', { type: 'b', props: { id: 'x' }, children: ['Ada', ' !'] }],
    ['<>\n  a\n  b\n</>', { type: null, props: {}, children: ['a b'] }],
  ])('%s', (source, expected) => {
    if (expected === UnsupportedError) expect(() => evaluate(source)).toThrow(UnsupportedError);
    else expect(evaluate(source)).toEqual(expected);
  });
});

describe('unsupported expressions', () => {
  it.each([
    'process',
    'globalThis',
    'window.location',
    'fetch("/x")',
    'import("fs")',
    'eval("1")',
    'new Date()',
    'name.constructor',
    'name.constructor.constructor("return process")()',
    '({}).constructor',
    '({}).__proto__',
    '({ __proto__: list })',
    '({}).toString()',
    '[].constructor',
    'list["constructor"]',
    '(() => 1).constructor',
    '(() => 1).call',
    '({ toString: () => "x" }) + ""',
    '`${item}`',
    '[1] + ""',
    'list.sort()',
    'list.push(4)',
    'name.replace(/a/, "b")',
    'name.match(/a/)',
    'name.replace("A", "$&$&")',
    'name.split("", 2)',
    'name.includes("A", 1)',
    'list.flat(2)',
    'list.indexOf(1, 1)',
    'Object.keys({ b: 1, 1: 2 })',
    '(() => { const a = b; const b = 1; return a; })()',
    '(() => { const unused = null.x; return 1; })()',
    '(1).toFixed(101)',
    'name = "x"',
    'list[0] = 1',
    'delete item.title',
    '(async () => 1)()',
    '(function* () {})()',
    'class {}',
    'this',
    '1 == "1"',
    '"2" * 3',
    '123.5 ** -13',
    'Array.from([], "x")',
    'Math.pow(2, 0.5)',
    'Object.getPrototypeOf(item)',
    'Object.assign(item, {})',
    'item.title.nothing.more',
  ])('%s', (source) => {
    expect(() => evaluate(source)).toThrow(UnsupportedError);
  });

  it('endless and oversized work is stopped before it is done', () => {
    for (const source of [
      '"x".repeat(1e9)',
      'Array.from({ length: 1e9 })',
      '"x".padStart(1e9)',
      '(() => { const f = () => f(); return f(); })()',
      '(() => { const a = Array.from({ length: 1e5 }); return a.map(() => (([, ...rest]) => rest.length)(a)); })()',
      '(() => { const t = "x".repeat(5e5); return Array.from({ length: 6e4 }, () => t.includes("y")); })()',
      '(() => { const t = "x".repeat(5e5); return Array.from({ length: 6e4 }, () => t.toUpperCase().length); })()',
      '(() => { const [a, b] = ["x".repeat(4e5) + 1, "x".repeat(4e5) + 2]; return Array.from({ length: 6e4 }, () => a === b); })()',
      '(() => { const a = Array.from({ length: 600 }); return a.map(() => a.map(() => a.map(() => 1))); })()',
    ]) {
      const start = performance.now();
      expect(() => evaluate(source)).toThrow(UnsupportedError);
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });
});

/** Random expressions from the supported operators, methods and literals, mostly well typed. */
const { expression } = letrec<{ expression: string }>((tie) => ({
  expression: oneof(
    { depthSize: 'small' },
    integer({ min: -20, max: 20 }).map((value) => `(${value})`),
    string({ maxLength: 4 }).map((value) => JSON.stringify(value)),
    constantFrom('true', 'false', 'null', 'undefined', '[1, 2, 3]', '({ a: 1, b: "x" })', '["b", "a"]'),
    tuple(
      tie('expression'),
      constantFrom(...'+ - * / % === !== < <= > >= && || ?? =='.split(' ')),
      tie('expression'),
    ).map(([left, operator, right]) => `((${left}) ${operator} (${right}))`),
    tuple(tie('expression'), tie('expression'), tie('expression')).map(
      (parts) => `(${parts[0]} ? ${parts[1]} : ${parts[2]})`,
    ),
    tuple(
      tie('expression'),
      constantFrom(
        '.length',
        '.a',
        '[0]',
        '["b"]',
        '?.a',
        '.trim()',
        '.slice(1)',
        '.join("-")',
        '.includes("a")',
        '.map((x) => x + 1)',
        '.filter((x) => x > 1)',
        '.toUpperCase()',
        '.split("")',
        '.at(-1)',
        '.concat([9])',
        '.toFixed(1)',
        '.indexOf("a")',
        '.flat()',
      ),
    ).map(([receiver, access]) => `(${receiver})${access}`),
    array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tie('expression').map((inner) => `\`<\${${inner}}>\``),
    tie('expression').map((inner) => `!(${inner})`),
  ),
}));

describe('comparison with a JavaScript engine', () => {
  it('the evaluator gives the value of the engine or rejects the expression', () => {
    let computed = 0;
    assert(
      property(expression, (source) => {
        let value: unknown;
        try {
          value = evaluate(source);
        } catch (error) {
          expect(error).toBeInstanceOf(UnsupportedError);
          return;
        }
        computed++;
        const real: unknown = runInNewContext(`JSON.stringify({ value: (${source}) })`, { undefined });
        expect(JSON.stringify({ value })).toBe(real);
      }),
      { numRuns: 1500, seed: 7 },
    );
    expect(computed).toBeGreaterThan(300);
  });
});
