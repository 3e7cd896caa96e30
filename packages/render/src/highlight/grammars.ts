/**
 * Prism's grammars for the languages without a lexer, loaded at first use. A grammar must not depend on which
 * others were loaded or used before.
 */
import { createRequire } from 'node:module';
import type * as PrismNamespace from 'prismjs';
import { prismLanguages } from './languages.ts';
import { color, type Lexer, paint } from './lexers/paint.ts';

export type Grammar = PrismNamespace.Grammar;
type PrismModule = typeof PrismNamespace;

/** Prism's table of languages that another one requires, or contains if they are loaded before it. */
type Table = Record<string, { require?: string | string[]; optional?: string | string[] }>;

interface Prism {
  module: PrismModule;
  table: Table;
}

const require = createRequire(import.meta.url);
let prism: Prism | undefined;

/** `name` is a name of `languages.ts`. */
export function prismLexerFor(name: string): Lexer | undefined {
  const grammar = grammarFor(name);
  return (
    grammar &&
    ((code, from, to) => {
      prism ??= loadPrism();
      paintTokens(prism.module.tokenize(code.slice(from, to), grammar), from, color.plain);
    })
  );
}

export function grammarFor(name: string): Grammar | undefined {
  if (!prismLanguages.includes(name)) return undefined;
  prism ??= loadPrism();
  if (!Object.hasOwn(prism.module.languages, name)) addLanguage(prism, name);
  const grammar = Object.hasOwn(prism.module.languages, name) ? prism.module.languages[name] : undefined;
  return typeof grammar === 'object' ? grammar : undefined;
}

type Stream = string | PrismNamespace.Token | Stream[];

function paintTokens(stream: Stream, from: number, around: number): number {
  if (typeof stream === 'string') {
    paint(from, from + stream.length, around);
    return from + stream.length;
  }
  if (!Array.isArray(stream)) return paintTokens(stream.content, from, colorOf(stream) ?? around);
  let at = from;
  for (const inner of stream) at = paintTokens(inner, at, around);
  return at;
}

function colorOf({ type, alias }: PrismNamespace.Token): number | undefined {
  for (const name of [type, ...[alias].flat()]) {
    const painted = colors.get(name);
    if (painted !== undefined) return painted;
  }
  return undefined;
}

/** Maps Prism's token names to colors; unlisted ones stay plain. */
const colors = new Map(
  (
    [
      [color.comment, 'comment prolog doctype cdata shebang coord'],
      [color.keyword, 'keyword atrule control-flow module important method directive'],
      [color.string, 'string char attr-value template-string triple-quoted-string string-literal url'],
      [color.regex, 'regex'],
      [color.number, 'number boolean constant symbol status-code datetime entity unit'],
      [color.function, 'function function-definition decorator annotation label'],
      [color.type, 'class-name builtin namespace language-name table section-name'],
      [color.property, 'property attr-name key literal-property parameter header-name field-name'],
      [color.tag, 'tag selector'],
      [color.title, 'title bold'],
      [color.variable, 'variable placeholder assign-left environment'],
      [color.inserted, 'inserted inserted-sign'],
      [color.deleted, 'deleted deleted-sign'],
      [color.operator, 'operator punctuation'],
    ] as const
  ).flatMap(([painted, names]) => names.split(' ').map((name): [string, number] => [name, painted])),
);

function loadPrism(): Prism {
  const module = require('prismjs') as PrismModule;
  const { languages: table } = require('prismjs/components.js') as { languages: Table };
  return { module, table };
}

/** Prism's own loader would reload languages that this one may modify, after they were used. */
function addLanguage({ module, table }: Pick<Prism, 'module' | 'table'>, file: string): void {
  const { require: required = [], optional = [] } = table[file] ?? {};
  const contained = [optional].flat().filter((name) => prismLanguages.includes(name));
  for (const needed of [required, contained].flat())
    if (!Object.hasOwn(module.languages, needed)) addLanguage({ module, table }, needed);
  require(`prismjs/components/prism-${file}.js`);
}
