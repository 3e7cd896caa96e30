import fc from 'fast-check';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { analyseScopes } from './scope.ts';
import { CompileError, parseScript } from './syntax.ts';

function freeNames(source: string): string[] {
  const { top, references } = analyseScopes(parseScript(source));
  return [...new Set(references.map(({ name }) => name).filter((name) => !top.has(name)))].toSorted();
}

describe('undeclared names', () => {
  it.each<[string, string, string[]]>([
    ['a use', 'a', ['a']],
    ['properties are none', 'a.b.c; ({ d: 1 }); a?.e', ['a']],
    ['computed properties are', 'a[b]; ({ [c]: 1 })', ['a', 'b', 'c']],
    ['shorthand is', '({ a })', ['a']],
    ['labels are none', 'a: for (;;) { break a }', []],
    ['elements', '<Card a={b} {...c}>{d}<div/><Tree.File/></Card>', ['Card', 'Tree', 'b', 'c', 'd']],
    ['exports of other files are none', 'export { a as b } from "x"; export * from "y"', []],
    ['parameters and defaults', '(({ a, b: [c = d] }, ...e) => [a, b, c, e])', ['b', 'd']],
    ['the name of a function expression', '(function a() { a }); a', ['a']],
    ['the name of a class expression', '(class A { b = A }); A', ['A']],
    ['var of a block', '{ var a } a', []],
    ['let of a block', '{ let a } a', ['a']],
    ['function of a block', '{ function a() {} } a', ['a']],
    ['arguments', '(function () { arguments }); (() => arguments)', ['arguments']],
    ['private names are none', 'class A { #a; b() { return this.#a } }', []],
    ['new.target is none', 'function f() { new.target }', []],
    ['writes', 'a = 1; [b, c.d] = e; f++; for (g of []);', ['a', 'b', 'c', 'e', 'f', 'g']],
    ['the head of a loop', 'for (let a = b; a < c; a++) d; a', ['a', 'b', 'c', 'd']],
    ['a switch', 'switch (a) { case b: let c; default: c } c', ['a', 'b', 'c']],
    ['a static block', 'class A { static { var a; a } } a', ['a']],
    ['catch', 'try {} catch ({ a }) { a } a', ['a']],
  ])('%s', (_name, source, names) => {
    expect(freeNames(source)).toEqual(names);
  });
});

/**
 * Programs in which every part runs. Names are used inside `t(() => …)`, which swallows temporal-dead-zone
 * errors, so that the engine's reads of globals show which names are free.
 */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const use = name.map((a) => `t(() => ${a})`);
const pattern = fc.oneof(
  name,
  fc.tuple(name, name, use).map(([a, b, c]) => `{ ${a}, x: [${b} = ${c}] }`),
  fc.tuple(name, use).map(([a, b]) => `{ [${b}]: ${a} = ${b} }`),
  fc.tuple(name, name).map(([a, b]) => `[${a}, ...${b}]`),
);
const { statements } = fc.letrec<{ statements: string; statement: string }>((tie) => ({
  statements: fc.array(tie('statement'), { maxLength: 4 }).map((list) => list.join('\n')),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    use.map((a) => `${a};`),
    name.map((a) => `(class ${a} {}, function ${a}() {});`),
    fc
      .tuple(name, name)
      .map(
        ([a, b]) =>
          `t(() => { ${a} = 5 }); t(() => typeof ${b}); t(() => [{ ${a} }, o.${b}]); t(() => ${b}++);`,
      ),
    fc.tuple(fc.constantFrom('var', 'let', 'const'), pattern).map(([kind, a]) => `${kind} ${a} = o;`),
    name.map((a) => `function ${a}() {}`),
    name.map((a) => `class ${a} {}`),
    tie('statements').map((body) => `{ ${body} }`),
    fc.tuple(name, tie('statements')).map(([a, body]) => `${a}: { ${body} }`),
    fc
      .tuple(name, pattern, tie('statements'))
      .map(([a, b, body]) => `t(() => (function ${a}(${b}) { ${body} })(o));`),
    fc.tuple(pattern, tie('statements')).map(([a, body]) => `t(() => ((${a}) => { ${body} })(o));`),
    fc
      .tuple(name, use, tie('statements'))
      .map(([a, b, body]) => `t(() => class ${a} { [${b}] = 1; static { ${body} } });`),
    fc
      .tuple(fc.constantFrom('var', 'let', 'const'), pattern, tie('statements'))
      .map(([kind, a, body]) => `for (${kind} ${a} of [o]) { ${body} }`),
    fc.tuple(pattern, tie('statements')).map(([a, body]) => `try { throw o } catch (${a}) { ${body} }`),
    fc.tuple(use, tie('statements')).map(([a, body]) => `switch (1) { case (${a}, 1): ${body} }`),
  ),
}));

const used = new Set<string>();
const context = createContext({
  o: Object.assign([1, 2], { x: [] }),
  t: (work: () => unknown) => attempt(work),
});
for (const key of ['a', 'b', 'c', 'd'])
  Object.defineProperty(context, key, {
    get: () => void used.add(key),
    set: () => {
      used.add(key);
    },
  });

function globalsUsed(source: string): string[] {
  used.clear();
  runInContext(`(function () { 'use strict'; ${source}\n})()`, context);
  return [...used].toSorted();
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

it('the analysis agrees with the engine on every program', () => {
  fc.assert(
    fc.property(statements, (source) => {
      let free: string[];
      try {
        free = freeNames(source);
      } catch (error) {
        if (error instanceof CompileError) return fc.pre(false);
        throw error;
      }
      expect(free.filter((item) => item.length === 1 && 'abcd'.includes(item))).toEqual(globalsUsed(source));
    }),
    { seed: 1, numRuns: 300 },
  );
});
