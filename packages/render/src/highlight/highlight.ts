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

let prism: PrismModule | undefined;
const grammars = new Map<string, string | undefined>();

/** The lines of the code as HTML. */
export function highlightLines(code: string, language: string): string[] {
  const name = code.length > maximumCharacters ? undefined : grammarFor(language);
  const grammar = name === undefined ? undefined : prism?.languages[name];
  if (!grammar || !prism) return code.split('\n').map(escapeText);
  return stringify(prism.tokenize(code, grammar)).split('\n');
}

/** Loads a language on first use; undefined when there is no such language. */
function grammarFor(language: string): string | undefined {
  const wanted = language.toLowerCase();
  if (grammars.has(wanted)) return grammars.get(wanted);
  const name = Object.hasOwn(synonyms, wanted) ? (synonyms[wanted] ?? wanted) : wanted;
  const found = /^[a-z][a-z0-9-]*$/.test(name) ? loadGrammar(name) : undefined;
  grammars.set(wanted, found);
  return found;
}

function loadGrammar(name: string): string | undefined {
  prism ??= require('prismjs') as PrismModule;
  if (typeof prism.languages[name] !== 'object') {
    const load = require('prismjs/components/index.js') as LoadLanguages;
    load.silent = true;
    load([name]);
  }
  return typeof prism.languages[name] === 'object' ? name : undefined;
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
