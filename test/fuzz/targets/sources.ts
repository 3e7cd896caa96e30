/** Untrusted sources: front matter, configuration, expressions. Nothing in them may be executed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SiteLoadError } from '../../../packages/render/src/model/diagnostic.ts';
import { readConfig } from '../../../packages/render/src/config/read.ts';
import { Evaluator } from '../../../packages/render/src/evaluate/evaluator.ts';
import { parseExpression } from '../../../packages/render/src/evaluate/parse.ts';
import { Scope, UnsupportedError } from '../../../packages/render/src/evaluate/values.ts';
import { readFrontMatter } from '../../../packages/render/src/source/front-matter.ts';
import { insistOnCleanPrototypes, mutatedText, target, type Outcome } from '../target.ts';

const matters = [
  'title: Start\ndescription: "How to begin"\ntags: [a, b]\n',
  'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n',
  '__proto__:\n  polluted: yes\nconstructor: {prototype: {polluted: yes}}\n',
  'x: !!js/function "function(){}"\ny: !!binary aGVsbG8=\nz: !!set {a, b}\n? [a]\n: b\n',
];
const yamlWords = [
  '&a',
  '*a',
  '<<: *a',
  '!!js/regexp',
  '!<tag:x>',
  '|',
  '>-',
  '---',
  '...',
  '%YAML 9.9',
  '{',
  '}',
  '[',
  ']',
  ': ',
  '- ',
  '? ',
  '"',
  "'",
  '\t',
  '\u2028',
  '__proto__',
  '1e999',
  '0x_',
  '2026-01-01',
  '~',
  '#',
  '\0',
];

export const frontMatter = target({
  name: 'front matter',
  promise: 'any text gives data without a prototype, and runs nothing',
  inputs: mutatedText(matters, yamlWords),
  attempt(text): Outcome {
    const { data, problem } = readFrontMatter(text);
    if (Object.getPrototypeOf(data) !== null && Object.keys(data).length > 0)
      throw new Error('it has a prototype');
    insistOnCleanPrototypes();
    return problem === undefined ? 'taken' : 'refused';
  },
});

const configs = [
  '{"name":"A","navigation":{"tabs":[{"tab":"One","groups":[{"group":"G","pages":["a","b"]}]}]},"colors":{"primary":"#123456"}}',
  '{"$ref":"./other.json","navigation":["a"],"redirects":[{"source":"/a/:x*","destination":"/b/:x*"}]}',
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"navigation":{"pages":[]}}',
];
const jsonWords = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  '-',
  '1e999',
  '\\u0000',
  '\\',
  '//',
  '/*',
  '*/',
  '"$ref":"../../etc/passwd"',
  '"__proto__":',
  '\uFEFF',
  '"a"',
  'true',
];
const folder = mkdtempSync(join(tmpdir(), 'docyard-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

export const configuration = target({
  name: 'configuration',
  promise: 'any text is read or refused with its place',
  inputs: mutatedText(configs, jsonWords),
  async attempt(text): Promise<Outcome> {
    writeFileSync(join(folder, 'docs.json'), text);
    try {
      await readConfig(folder);
      return 'taken';
    } catch (error) {
      if (!(error instanceof SiteLoadError) || error.diagnostic.line === undefined) throw error;
      return 'refused';
    } finally {
      insistOnCleanPrototypes();
    }
  },
});

const expressions = [
  'list.map((x) => <li key={x}>{x.title ?? `n ${x}`}</li>)',
  '({ a: 1, ...b, ["c" + 1]: [1, 2] })',
  '(() => { const [a, setA] = useState(() => 5); if (a > 3) { return "big"; } return <b>{a}</b>; })()',
  '"a-b".split("-").filter(Boolean).join("+").toUpperCase().padStart(9)',
  'Object.entries({ a: 1 }).map(([k, v]) => k + v)',
];
const codeWords = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'Symbol.iterator',
  'this',
  'globalThis',
  'process',
  'import("fs")',
  'eval',
  'Function',
  'new ',
  'await ',
  'yield ',
  'async ',
  '=>',
  '...',
  '?.',
  '??',
  '[0]',
  '()',
  '({})',
  '`${',
  '}`',
  '.map(',
  '.repeat(1e9)',
  '.length',
  '/(a+)+$/',
  'class{}',
  'super',
  'arguments',
  '<A/>',
  '</',
  '{',
  '}',
  'get a(){}',
  'Array.from({length:1e9})',
  'Reflect',
  'Proxy',
  'delete ',
  'void ',
  'typeof ',
  '**',
  '>>>',
  '1n',
  '\\u{61}',
];

export const evaluator = target({
  name: 'static evaluator',
  promise: 'every expression has a value or is refused, within its budget, and touches nothing of ours',
  inputs: mutatedText(expressions, codeWords),
  attempt(text): Outcome {
    const own = new Evaluator();
    const scope = new Scope(own.standard, [['list', [1, 'two', null]]]);
    try {
      own.evaluate(parseExpression(text), scope);
      return 'taken';
    } catch (error) {
      if (error instanceof UnsupportedError) return 'refused';
      throw error;
    } finally {
      insistOnCleanPrototypes();
    }
  },
});
