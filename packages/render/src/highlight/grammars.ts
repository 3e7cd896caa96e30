/**
 * Prism's grammars, loaded when the first block of a language needs them: all of them take 70 ms of every render
 * process, those that a site uses 20. What a grammar holds must not depend on which others were loaded or used before.
 */
import { createRequire } from 'node:module';
import type * as PrismNamespace from 'prismjs';
import { languageName, languages, relatedLanguages } from './languages.ts';

export type Grammar = PrismNamespace.Grammar;
type PrismModule = typeof PrismNamespace;
type LoadLanguages = ((names: string[]) => void) & { silent: boolean };

/** Prism's own table: other names of a language, and the languages it cannot do without. */
type Table = Record<string, { alias?: string | string[]; require?: string | string[] }>;

interface Prism {
  module: PrismModule;
  table: Table;
  /** The file that holds a language, by each of the names Prism gives it. */
  files: ReadonlyMap<string, string>;
}

const require = createRequire(import.meta.url);
let prism: Prism | undefined;

export function grammarFor(language: string): Grammar | undefined {
  const name = languageName(language);
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return undefined;
  prism ??= loadPrism();
  const file = prism.files.get(name);
  if (file !== undefined && !Object.hasOwn(prism.module.languages, name)) addLanguage(prism, file);
  const grammar = Object.hasOwn(prism.module.languages, name) ? prism.module.languages[name] : undefined;
  return typeof grammar === 'object' ? grammar : undefined;
}

export function tokenize(code: string, grammar: Grammar): (string | PrismNamespace.Token)[] {
  prism ??= loadPrism();
  return prism.module.tokenize(code, grammar);
}

function loadPrism(): Prism {
  const module = require('prismjs') as PrismModule;
  const load = require('prismjs/components/index.js') as LoadLanguages;
  load.silent = true;
  load(relatedLanguages);
  const { languages: table } = require('prismjs/components.js') as { languages: Table };
  const files = languages.flatMap((file) =>
    [file, ...[table[file]?.alias ?? []].flat()].map((name): [string, string] => [name, file]),
  );
  return { module, table, files: new Map(files) };
}

/** Prism's loader would also load languages again that may be changed by this one, when they were used already. */
function addLanguage({ module, table }: Pick<Prism, 'module' | 'table'>, file: string): void {
  for (const needed of [table[file]?.require ?? []].flat())
    if (!Object.hasOwn(module.languages, needed)) addLanguage({ module, table }, needed);
  require(`prismjs/components/prism-${file}.js`);
  if (file === 'bash') addPlaceholders(module);
}

/** `<your-key>` in a command is not redirection but something to fill in. */
function addPlaceholders({ languages: grammars }: PrismModule): void {
  const bash = {
    placeholder: { pattern: /<[a-z][\w.-]*(?:[ ][\w.-]+){0,5}>/i, greedy: true },
    ...grammars['bash'],
  };
  for (const name of ['bash', 'sh', 'shell']) grammars[name] = bash;
}
