/**
 * Colours code by class, never by inline style, so that one stylesheet serves light and dark. Each line of the result
 * is balanced HTML. Very long code is left uncoloured rather than slow.
 */
import type { Token } from 'prismjs';
import { escapeText } from '../html.ts';
import { grammarFor, tokenize } from './grammars.ts';
import { languageName } from './languages.ts';

const maximumCharacters = 100_000;

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
  placeholder: 'v',
  'assign-left': 'v',
  environment: 'v',
  inserted: 'i',
  'inserted-sign': 'i',
  deleted: 'd',
  'deleted-sign': 'd',
  coord: 'c',
  'language-name': 't',
  'header-name': 'a',
  method: 'k',
  'status-code': 'n',
  datetime: 'n',
  bold: 'h',
  table: 't',
  directive: 'k',
  entity: 'n',
  unit: 'n',
  'section-name': 't',
  'field-name': 'a',
  label: 'f',
  operator: 'o',
  punctuation: 'o',
};

/** The same example stands on many pages of a site, in every language of the site and in generated references. */
const known = new Map<string, string[]>();
const maximumKnown = 2000;
const maximumKnownCharacters = 4000;

/** The lines of the code as HTML. */
export function highlightLines(code: string, language: string): readonly string[] {
  const grammar = code.length > maximumCharacters || code === '' ? undefined : grammarFor(language);
  if (!grammar) return code.split('\n').map(escapeText);
  const key = `${languageName(language)}\n${code}`;
  const before = known.get(key);
  if (before) return before;
  const lines = stringify(tokenize(code, grammar)).split('\n');
  if (known.size >= maximumKnown) known.clear();
  if (code.length <= maximumKnownCharacters) known.set(key, lines);
  return lines;
}

type Stream = string | Token | Stream[];

function stringify(stream: Stream): string {
  if (typeof stream === 'string') return escapeText(stream);
  if (Array.isArray(stream)) return stream.map(stringify).join('');
  const content = stringify(stream.content);
  const name = classOf(stream);
  if (name === undefined) return content;
  const open = `<span class="t-${name}">`;
  return `${open}${content.replaceAll('\n', `</span>\n${open}`)}</span>`;
}

function classOf({ type, alias }: Token): string | undefined {
  const names = [type, ...(Array.isArray(alias) ? alias : [alias])];
  for (const name of names) {
    if (typeof name === 'string' && Object.hasOwn(classes, name)) return classes[name];
  }
  return undefined;
}
