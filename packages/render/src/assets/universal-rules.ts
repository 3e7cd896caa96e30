/**
 * Moves universal rules, such as `* { margin: 0 }`, into the weakest cascade layer. A site's stylesheet is
 * unlayered, so they would override the theme.
 */
import { baseLayer } from '../css/layers.ts';
import { cssTokens, tokenTypes, type CssToken } from '../css/tokens.ts';

const universalSelectors = new Set(
  ['*', '*::before', '*::after', '*:before', '*:after', '::before', '::after', ':before', ':after'].concat([
    '*::backdrop',
    '::backdrop',
    '::file-selector-button',
  ]),
);

export function withWeakUniversalRules(css: string): string {
  if (!css.includes('*')) return css;
  const tokens = cssTokens(css);
  let result = '';
  let copied = 0;
  let start = 0;
  let prelude = '';
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as CssToken;
    if (token.type === tokenTypes.LeftCurlyBracket && isUniversal(prelude)) {
      const last = endOfBlock(tokens, index);
      const end = tokens[last]?.end ?? css.length;
      result += `${css.slice(copied, start)}@layer ${baseLayer} {${css.slice(start, end)}}`;
      copied = end;
      index = last;
    }
    if (isEndOfRule(tokens[index]?.type)) {
      start = tokens[index]?.end ?? css.length;
      prelude = '';
    } else if (token.type !== tokenTypes.Comment) prelude += css.slice(token.start, token.end);
  }
  return result + css.slice(copied);
}

function isEndOfRule(type: number | undefined): boolean {
  return (
    type === undefined ||
    type === tokenTypes.Semicolon ||
    type === tokenTypes.LeftCurlyBracket ||
    type === tokenTypes.RightCurlyBracket
  );
}

function isUniversal(prelude: string): boolean {
  const selectors = prelude.split(',').map((selector) => selector.trim().toLowerCase());
  return (
    selectors.some((selector) => selector.startsWith('*')) &&
    selectors.every((selector) => universalSelectors.has(selector))
  );
}

/** The token that closes the block; the number of tokens when none does. */
function endOfBlock(tokens: readonly CssToken[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const type = tokens[index]?.type;
    if (type === tokenTypes.LeftCurlyBracket) depth++;
    else if (type === tokenTypes.RightCurlyBracket && --depth === 0) return index;
  }
  return tokens.length;
}
