/**
 * Colours code by class, never by inline style, so that one stylesheet serves light and dark. Each line of the result
 * is balanced HTML. Very long code is left uncoloured rather than slow.
 */
import { createRequire } from 'node:module';
import type * as PrismNamespace from 'prismjs';
import { escapeText } from '../html.ts';

type PrismModule = typeof PrismNamespace;
type LoadLanguages = ((names: string[]) => void) & { silent: boolean };

const require = createRequire(import.meta.url);
const maximumCharacters = 100_000;

const synonyms: Record<string, string> = {
  curl: 'bash',
  console: 'bash',
  commandline: 'bash',
  cmd: 'batch',
  shellscript: 'bash',
  'shell-session': 'bash',
  terminal: 'bash',
  zsh: 'bash',
  env: 'properties',
  dotenv: 'properties',
  conf: 'ini',
  golang: 'go',
  jsonc: 'json5',
  jsonl: 'json',
  mdx: 'markdown',
  vue: 'markup',
  svelte: 'markup',
  terraform: 'hcl',
  node: 'javascript',
  react: 'jsx',
  gradle: 'groovy',
  'c++': 'cpp',
  'c#': 'csharp',
  jinja: 'django',
};

/** Prism's many token names come down to a few classes; what is not named here stays plain. */
const classes: Record<string, string> = {
  comment: 'c',
  prolog: 'c',
  doctype: 'c',
  cdata: 'c',
  shebang: 'c',
  keyword: 'k',
  atrule: 'k',
  'control-flow': 'k',
  module: 'k',
  important: 'k',
  string: 's',
  char: 's',
  'attr-value': 's',
  'template-string': 's',
  'triple-quoted-string': 's',
  'string-literal': 's',
  url: 's',
  regex: 'r',
  number: 'n',
  boolean: 'n',
  constant: 'n',
  symbol: 'n',
  function: 'f',
  'function-definition': 'f',
  'class-name': 't',
  builtin: 't',
  namespace: 't',
  property: 'a',
  'attr-name': 'a',
  key: 'a',
  'literal-property': 'a',
  parameter: 'a',
  tag: 'g',
  selector: 'g',
  title: 'h',
  decorator: 'f',
  annotation: 'f',
  variable: 'v',
  environment: 'v',
  inserted: 'i',
  'inserted-sign': 'i',
  deleted: 'd',
  'deleted-sign': 'd',
  operator: 'o',
  punctuation: 'o',
};

/**
 * Loaded together, in this order, on first use. A language loaded later would change how others colour what they
 * embed (front matter in Markdown, styles in HTML), and pages would differ with the order they are rendered in.
 */
const languages = (
  'markup css clike javascript bash basic batch c cpp csharp clojure cmake csv dart diff docker ruby elixir erlang git go ' +
  'graphql groovy haskell hcl http ini java json json5 jsx kotlin latex less liquid lua makefile markdown markup-templating ' +
  'nginx objectivec perl php powershell properties protobuf python django promql r rego regex rust sass scala scss solidity ' +
  'sql swift toml typescript tsx vim wasm yaml zig'
).split(' ');

let prism: PrismModule | undefined;

/** The lines of the code as HTML. */
export function highlightLines(code: string, language: string): string[] {
  const grammar = code.length > maximumCharacters || code === '' ? undefined : grammarFor(language);
  if (!grammar || !prism) return code.split('\n').map(escapeText);
  return stringify(prism.tokenize(code, grammar)).split('\n');
}

function grammarFor(language: string): PrismNamespace.Grammar | undefined {
  const wanted = language.toLowerCase();
  const name = Object.hasOwn(synonyms, wanted) ? (synonyms[wanted] ?? wanted) : wanted;
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return undefined;
  prism ??= loadPrism();
  const grammar = Object.hasOwn(prism.languages, name) ? prism.languages[name] : undefined;
  return typeof grammar === 'object' ? grammar : undefined;
}

function loadPrism(): PrismModule {
  const loaded = require('prismjs') as PrismModule;
  const load = require('prismjs/components/index.js') as LoadLanguages;
  load.silent = true;
  load(languages);
  return loaded;
}

type Stream = string | PrismNamespace.Token | Stream[];

function stringify(stream: Stream): string {
  if (typeof stream === 'string') return escapeText(stream);
  if (Array.isArray(stream)) return stream.map(stringify).join('');
  const content = stringify(stream.content as Stream);
  const name = classOf(stream);
  if (name === undefined) return content;
  const open = `<span class="t-${name}">`;
  return `${open}${content.replaceAll('\n', `</span>\n${open}`)}</span>`;
}

function classOf({ type, alias }: PrismNamespace.Token): string | undefined {
  const names = [type, ...(Array.isArray(alias) ? alias : [alias])];
  for (const name of names) {
    if (typeof name === 'string' && Object.hasOwn(classes, name)) return classes[name];
  }
  return undefined;
}
