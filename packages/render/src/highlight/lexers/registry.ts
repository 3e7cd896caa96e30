/** The languages with their own lexer, each created at first use. */
import { languageName } from '../languages.ts';
import { css, scss } from './css.ts';
import { diff, http, ini, json, properties, toml } from './data.ts';
import { familyLexer, type Table } from './family.ts';
import { javascript, jsx, tsx, typescript } from './javascript.ts';
import { markdownLexer } from './markdown.ts';
import { markup } from './markup.ts';
import type { Lexer } from './paint.ts';
import { docker, shell } from './shell.ts';
import * as brackets from './tables-brackets.ts';
import * as tools from './tables-tools.ts';
import * as words from './tables-words.ts';
import { yaml } from './yaml.ts';

const made: Record<string, Lexer> = {
  javascript,
  jsx,
  typescript,
  tsx,
  json,
  json5: json,
  css,
  scss,
  less: scss,
  markup,
  yaml,
  toml,
  ini,
  properties,
  diff,
  http: http(markup),
  bash: shell,
  docker,
};
const tables: Readonly<Record<string, Table>> = { ...brackets, ...words, ...tools };

/** `language` is a name of `languages.ts`. */
export function lexerFor(language: string): Lexer | undefined {
  if (Object.hasOwn(made, language)) return made[language];
  if (language === 'markdown') made[language] = markdownLexer(lexerOfFence);
  else if (Object.hasOwn(tables, language)) made[language] = familyLexer(tables[language] as Table);
  return made[language];
}

function lexerOfFence(written: string): Lexer | undefined {
  const language = languageName(written);
  return language === 'markdown' ? undefined : lexerFor(language);
}
