/**
 * Highlights code with classes instead of inline styles, so that one stylesheet serves light and dark. Each
 * line of the result is balanced HTML. Very long code stays plain.
 */
import { escapeText } from '../text/html.ts';
import { detachedText } from '../text/compact-values.ts';
import { prismLexerFor } from './grammars.ts';
import { languageName } from './languages.ts';
import { type Lexer, highlightedHtml, maxCharacters } from './lexers/paint.ts';
import { lexerFor } from './lexers/registry.ts';

/** Patterns of Prism take quadratic time on code that was written to be slow. */
const maxPrismCharacters = 20_000;

/** Examples repeat across pages, translations and generated references. */
const cache = new Map<string, Map<string, string>>();
let cachedCharacters = 0;
const maxCachedCharacters = 1_000_000;
const maxCachedBlockCharacters = 4000;

export function highlight(code: string, language: string): string {
  const name = languageName(language);
  const lexer = lexerOf(name, code);
  if (!lexer) return escapeText(code);
  if (code.length > maxCachedBlockCharacters) return highlightedHtml(code, lexer);
  let blocks = cache.get(name);
  const before = blocks?.get(code);
  if (before !== undefined) return before;
  const html = highlightedHtml(code, lexer);
  cachedCharacters += code.length;
  if (cachedCharacters > maxCachedCharacters) {
    cache.clear();
    cachedCharacters = code.length;
    blocks = undefined;
  }
  if (!blocks) cache.set(name, (blocks = new Map()));
  blocks.set(detachedText(code), html);
  return html;
}

function lexerOf(language: string, { length }: string): Lexer | undefined {
  if (length === 0 || length > maxCharacters) return undefined;
  return lexerFor(language) ?? (length > maxPrismCharacters ? undefined : prismLexerFor(language));
}
