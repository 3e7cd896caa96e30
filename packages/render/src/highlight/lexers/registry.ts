/** The languages with their own lexer. */
import { json } from './json.ts';
import { javascript, jsx, tsx, typescript } from './javascript.ts';
import type { Lexer } from './paint.ts';
import { shell } from './shell.ts';
import { yaml } from './yaml.ts';

const lexers: Readonly<Record<string, Lexer>> = {
  javascript,
  jsx,
  typescript,
  tsx,
  json,
  json5: json,
  bash: shell,
  yaml,
};

/** `language` is a name of `languages.ts`. */
export function lexerFor(language: string): Lexer | undefined {
  return Object.hasOwn(lexers, language) ? lexers[language] : undefined;
}
