import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { programGlobals } from '../program/globals.ts';
import { CodeRefusedError, Realm } from './realm.ts';
import type { Tree } from './tree.ts';

const realm = new Realm();
const facts = { seed: 7, clockMs: Date.UTC(2026, 0, 2), address: 'https://docs.example.com/guide/a' };

beforeEach(() => realm.beginPage(facts));
afterAll(() => realm.close());

/** Runs an expression as a piece of a document; `before` is the code above it. */
function run(
  expression: string,
  {
    before = '',
    as = 'value',
    props = [],
  }: { before?: string; as?: 'value' | 'content'; props?: [string, Tree][] } = {},
): Tree {
  const body = `${before}; exports.$pieces = [(props, content) => { const children = content(0); return (${expression}); }];`;
  const factory = `(function (${programGlobals.join(', ')}) { return function (require, exports) { 'use strict'; ${body} } })`;
  const modules = [{ id: `${expression.slice(0, 60)}.mdx`, factory }];
  return realm.run(modules, {
    module: modules[0]?.id ?? '',
    piece: 0,
    props: { object: props },
    isWhole: false,
    idSpace: 0,
    as,
  });
}

const shown = (expression: string, before = ''): Tree => run(expression, { before, as: 'content' });

function refusal(work: () => unknown): CodeRefusedError {
  try {
    work();
  } catch (error) {
    if (error instanceof CodeRefusedError) return error;
    throw error;
  }
  throw new Error('the code was not refused');
}

describe('results of code', () => {
  it.each<[string, Tree]>([
    ['[1, "a", true, null, undefined]', [1, 'a', true, null, null]],
    [
      '({ a: 1, b: [() => 1], c: undefined })',
      {
        object: [
          ['a', 1],
          ['b', [{ function: true }]],
        ],
      },
    ],
    ['({ ["__proto__"]: 1 })', { object: [['__proto__', 1]] }],
    [
      '[NaN, -Infinity, 5n, new Date(0), new Set([1])]',
      ['NaN', '-Infinity', '5', '1970-01-01T00:00:00.000Z', [1]],
    ],
    [
      'React.createElement("a", { href: "/x" }, "b")',
      { type: 'a', props: [['href', '/x']], children: ['b'] },
    ],
  ])('%s', (expression, expected) => {
    expect(run(expression)).toEqual(expected);
  });

  it('results are elements by name, with components and fragments resolved', () => {
    const before = `
      const Theme = React.createContext('light');
      const Show = () => React.createElement('i', null, useContext(Theme));
      const Ref = React.forwardRef((props, ref) => React.createElement('u', { ref }, props.a));
      class Old extends React.Component { state = { n: 1 }; render() { return this.state.n + this.props.by; } }`;
    expect(
      shown(
        `React.createElement(Fragment, null,
          React.createElement(Theme.Provider, { value: 'dark' }, React.createElement(Show)),
          React.createElement(Show), React.createElement(React.memo(Ref), { a: 1 }), React.createElement(Old, { by: 2 }))`,
        before,
      ),
    ).toEqual({
      type: null,
      props: [],
      children: [
        { type: null, props: [], children: [{ type: 'i', props: [], children: ['dark'] }] },
        { type: 'i', props: [], children: ['light'] },
        { type: 'u', props: [], children: ['1'] },
        '3',
      ],
    });
  });

  it('code may use built-in components from MintlifyComponents', () => {
    const before = 'const { Card, Tabs: Choice } = MintlifyComponents';
    const elements = 'Card, Choice, MintlifyComponents.Note'.split(', ');
    expect(shown(`[${elements.map((name) => `React.createElement(${name})`).join()}]`, before)).toEqual(
      ['Card', 'Tabs', 'Note'].map((type) => ({ type, props: [], children: [] })),
    );
  });

  it('only the first render runs: state has its initial value, effects do not run', () => {
    const before = `
      let ran = 0;
      function Counter() {
        const [n, setN] = useState(() => 3);
        const [m] = useReducer((state) => state, 1, (first) => first + 1);
        useEffect(() => { ran++; });
        if (n < 5) setN((old) => old + 1);
        return [n, m, useMemo(() => 'memo'), useRef(9).current, ran].join(' ');
      }`;
    expect(shown('React.createElement(Counter)', before)).toBe('5 2 memo 9 0');
    expect(shown('useState(4)[0]')).toBe('4');
  });

  it('code places host content without seeing it', () => {
    expect(shown('React.createElement("div", null, children, props.more)')).toMatchObject({
      children: [{ slot: 0 }, null],
    });
    expect(run('props.more', { props: [['more', { slot: -3 }]] })).toEqual({ slot: -3 });
    expect(shown('React.Children.count(children)')).toBe('1');
  });
});

describe('the platform inside the realm', () => {
  /** Node's own result is the expected one. */
  const same: [string, unknown][] = [
    ['(1234567.891).toLocaleString()', (1_234_567.891).toLocaleString('en-US')],
    [
      '(0.256).toLocaleString("de-DE", { style: "percent", minimumFractionDigits: 1 })',
      (0.256).toLocaleString('de-DE', { style: 'percent', minimumFractionDigits: 1 }),
    ],
    ['new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" }).format(5)', '€5.00'],
    [
      'new Date(Date.UTC(2026, 4, 6, 7)).toLocaleDateString("en-GB", { month: "long", day: "numeric", year: "numeric" })',
      '6 May 2026',
    ],
    ['new Date(0).toLocaleString()', new Date(0).toLocaleString('en-US', { timeZone: 'UTC' })],
    ['["z", "ä", "a"].sort((a, b) => a.localeCompare(b)).join("")', 'aäz'],
    ['new Intl.PluralRules("en", { type: "ordinal" }).select(2)', 'two'],
    ['new URL("../b?x=1#h", "https://u:p@a.b:8080/c/d").href', 'https://u:p@a.b:8080/b?x=1#h'],
    [
      '(() => { const u = new URL("https://a/?q=1"); u.searchParams.append("ä", "b c"); u.hash = "x"; return u.href; })()',
      'https://a/?q=1&%C3%A4=b+c#x',
    ],
    ['URL.canParse("no")', false],
    ['[...new URLSearchParams("a=1&a=2&b=%20")].join("|")', 'a,1|a,2|b, '],
    ['new TextDecoder().decode(new TextEncoder().encode("ä€𝒳"))', 'ä€𝒳'],
    ['atob(btoa("\\u00e4bc"))', 'äbc'],
    ['JSON.stringify(structuredClone({ a: [1, new Map([[1, 2]]).get(1)] }))', '{"a":[1,2]}'],
    [
      'typeof window + typeof document + typeof process + typeof module + typeof SharedArrayBuffer',
      'undefined'.repeat(5),
    ],
    ['typeof setTimeout(() => { throw 1 })', 'number'],
  ];
  it.each(same)('%s', (expression, expected) => {
    expect(run(expression)).toBe(expected);
  });

  it('the page determines the clock and the random seed', () => {
    const drawn = 'Math.random() + " " + crypto.randomUUID()';
    expect(run('new Date().toISOString()')).toBe('2026-01-02T00:00:00.000Z');
    const [first] = [run(drawn), realm.beginPage(facts)];
    expect(run(drawn)).toBe(first);
    realm.beginPage({ ...facts, seed: 8 });
    expect(run(drawn)).not.toBe(first);
  });

  it('browser globals are missing at first and stubbed for code that needs them', () => {
    expect(run('typeof window === "undefined" ? "no" : "yes"')).toBe('no');
    expect(run('window.location.pathname + document.title + localStorage.getItem("a")')).toBe('/guide/anull');
    expect(run('typeof window')).toBe('undefined');
    expect(refusal(() => run('document.body.nothing.more')).message).toMatch(/^TypeError/);
  });
});

describe('code without a result', () => {
  it.each([
    ['throws', 'null.x', 'failed', "TypeError: cannot read property 'x' of null"],
    ['never ends', '(() => { for (;;); })()', 'timeout', 'second'],
    [
      'never ends in a getter of what it throws',
      '(() => { throw { get message() { for (;;); } }; })()',
      'timeout',
      'second',
    ],
    [
      'asks for too much memory',
      '(() => { const a = []; for (;;) a.push(new ArrayBuffer(1e6)); })()',
      'memory',
      '64 MB',
    ],
    [
      'calls itself for ever',
      '(() => { const f = () => f() + 1; return f(); })()',
      'failed',
      'stack overflow',
    ],
    ['gives too much', '"x".repeat(6e6)', 'too_large', '5 MB'],
    ['gives itself', '(() => { const a = []; a.push(a); return a; })()', 'failed', 'too deeply'],
    ['waits', '(async () => 1)()', 'failed', 'async'],
    ['throws a symbol', '(() => { throw Symbol("s"); })()', 'failed', 'Symbol(s)'],
    [
      'throws what cannot be read',
      '(() => { throw { get message() { throw 1; } }; })()',
      'failed',
      'without a message',
    ],
    [
      'is a component that shows itself',
      '(() => { const A = () => React.createElement(A); return React.createElement(A); })()',
      'failed',
      'too deeply',
    ],
  ])(
    'code that %s is refused with its reason, and the next piece runs',
    (_why, expression, reason, message) => {
      const refused = refusal(() => shown(expression));
      expect(refused.reason).toBe(reason);
      expect(refused.message).toContain(message);
      expect(shown('1 + 1')).toBe('2');
    },
  );

  it('a native loop uses up the time of its page; the next page has another thread', () => {
    for (const piece of [1, 2])
      expect(refusal(() => run(`[${piece}, new Array(1e9) + ""]`)).reason).toBe('timeout');
    expect(refusal(() => run('1')).message).toContain('used up');
    realm.beginPage(facts);
    expect(run('1')).toBe(1);
  });

  it('a result is refused when earlier ones have used up the size limit', () => {
    expect(shown('"x".repeat(3e6).length + "x".repeat(3e6)')).toHaveLength(3_000_007);
    expect(refusal(() => shown('"y".repeat(3e6)')).reason).toBe('too_large');
    expect(shown('"z"')).toBe('z');
  });

  it('many endless pieces share the time of the page', () => {
    const began = performance.now();
    const reasons = Array.from(
      { length: 50 },
      (_, index) => refusal(() => run(`(() => { for (;;); })(${index})`)).reason,
    );
    expect(new Set(reasons)).toEqual(new Set(['timeout']));
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it.each([
    ['a regular expression that backtracks', '/^(a+)+$/.test("a".repeat(40) + "b")'],
    ['a long list that is joined', 'new Array(1e9) + ""'],
    ['lists that grow', '(() => { let a = [1]; for (;;) a = a.concat(a); })()'],
    ['many lists', 'new Array(3e6).fill(0).map(String).join("").length'],
    ['a list that is sorted', 'Array.from({ length: 4e5 }, (_, i) => (i * 7919) % 1e6).sort().length'],
  ])('twenty pieces with %s stay within the time of the page', (_what, expression) => {
    run('1');
    realm.beginPage(facts);
    const began = performance.now();
    const before = process.cpuUsage();
    for (let piece = 0; piece < 20; piece++) refusal(() => run(`[${piece}, ${expression}][2].nothing`));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('failing code is reported with its place', () => {
    expect(refusal(() => run('(() => {\n  return nothing;\n})()')).trace).toMatch(/\.mdx:2:\d+/);
  });
});

it('the next page starts with a clean realm', () => {
  run(`(() => {
    Object.prototype.left = Array.prototype.map = globalThis.left = 1;
    JSON.stringify = () => '{"tree":"forged"}';
    React.createElement = Date = Map = Symbol = undefined;
    Object.defineProperty(globalThis, 'Intl', { get() { throw 1; } });
    return 1;
  })()`);
  realm.beginPage(facts);
  expect(run('[typeof left, ({}).left, [1].map(String)[0], typeof Date, (5).toLocaleString()]')).toEqual([
    'undefined',
    null,
    '1',
    'function',
    '5',
  ]);
  expect(shown('React.createElement("b")')).toEqual({ type: 'b', props: [], children: [] });
});
