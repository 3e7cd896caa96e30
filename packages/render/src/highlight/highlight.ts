/**
 * Colours code by class, never by inline style, so that one stylesheet serves light and dark. Each line of the result
 * is balanced HTML. Very long code is left uncoloured rather than slow.
 */
import { escapeText } from '../text/html.ts';
import { keptText } from '../text/kept.ts';
import { prismLexerFor } from './grammars.ts';
import { languageName } from './languages.ts';
import { highlightedHtml, maximumCharacters } from './lexers/paint.ts';
import { lexerFor } from './lexers/registry.ts';

/**
 * The same example stands on many pages of a site, in every language of the site and in generated references: in nine
 * sites 31 of 100 blocks were repetitions. A million characters, some 4 MB of HTML, found nearly all of them.
 */
const known = new Map<string, Map<string, string>>();
let knownCharacters = 0;
const maximumKnownCharacters = 1_000_000;
const maximumKnownBlock = 4000;

/** The code as HTML, each line for itself. */
export function highlight(code: string, language: string): string {
  const name = languageName(language);
  const lexer =
    code === '' || code.length > maximumCharacters ? undefined : (lexerFor(name) ?? prismLexerFor(name));
  if (!lexer) return escapeText(code);
  if (code.length > maximumKnownBlock) return highlightedHtml(code, lexer);
  let blocks = known.get(name);
  const before = blocks?.get(code);
  if (before !== undefined) return before;
  const html = highlightedHtml(code, lexer);
  knownCharacters += code.length;
  if (knownCharacters > maximumKnownCharacters) {
    known.clear();
    knownCharacters = code.length;
    blocks = undefined;
  }
  if (!blocks) known.set(name, (blocks = new Map()));
  blocks.set(keptText(code), html);
  return html;
}
