/**
 * Highlights code with classes instead of inline styles, so that one stylesheet serves light and dark. Each
 * line of the result is balanced HTML. Very long code stays plain.
 */
import { escapeText } from '../text/html.ts';
import { detachedText } from '../text/compact-values.ts';
import { prismLexerFor } from './grammars.ts';
import { languageName } from './languages.ts';
import { highlightedHtml, maxCharacters } from './lexers/paint.ts';
import { lexerFor } from './lexers/registry.ts';

/** Examples repeat across pages, translations and generated references. */
const cache = new Map<string, Map<string, string>>();
let cachedCharacters = 0;
const maxCachedCharacters = 1_000_000;
const maxCachedBlockCharacters = 4000;

export function highlight(code: string, language: string): string {
  const name = languageName(language);
  const lexer =
    code === '' || code.length > maxCharacters ? undefined : (lexerFor(name) ?? prismLexerFor(name));
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
