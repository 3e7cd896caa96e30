/**
 * Tokenizes stylesheets and finds URLs in them. Stylesheets are edited in place, so the remaining bytes stay
 * the same.
 */
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { string, url } from 'css-tree/utils';

export interface CssToken {
  type: number;
  start: number;
  end: number;
}

export { tokenTypes };

export function cssTokens(css: string): CssToken[] {
  const tokens: CssToken[] = [];
  tokenize(css, (type, start, end) => tokens.push({ type, start, end }));
  return tokens;
}

export interface CssAddress {
  address: string;
  start: number;
  end: number;
  next: number;
}

export function urlAt(css: string, tokens: readonly CssToken[], index: number): CssAddress | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  const { type, start, end } = token;
  const written = css.slice(start, end);
  if (type === tokenTypes.Url) return { address: url.decode(written), start, end, next: index + 1 };
  if (type !== tokenTypes.Function || written.toLowerCase() !== 'url(') return undefined;
  const inner = afterSpace(tokens, index + 1);
  const close = afterSpace(tokens, inner + 1);
  const [text, last] = [tokens[inner], tokens[close]];
  if (text?.type !== tokenTypes.String || last?.type !== tokenTypes.RightParenthesis) return undefined;
  const address = string.decode(css.slice(text.start, text.end));
  return { address, start, end: last.end, next: close + 1 };
}

export function importAt(
  css: string,
  tokens: readonly CssToken[],
  index: number,
  isWanted: (address: string) => boolean,
): CssAddress | undefined {
  const token = tokens[index];
  if (token?.type !== tokenTypes.AtKeyword || css.slice(token.start, token.end).toLowerCase() !== '@import')
    return undefined;
  const inner = afterSpace(tokens, index + 1);
  const text = tokens[inner];
  const address =
    text?.type === tokenTypes.String
      ? string.decode(css.slice(text.start, text.end))
      : urlAt(css, tokens, inner)?.address;
  if (address === undefined || !isWanted(address)) return undefined;
  let last = inner;
  while (last < tokens.length && tokens[last]?.type !== tokenTypes.Semicolon) last++;
  return { address, start: token.start, end: tokens[last]?.end ?? css.length, next: last + 1 };
}

function afterSpace(tokens: readonly CssToken[], from: number): number {
  let index = from;
  while (tokens[index]?.type === tokenTypes.WhiteSpace || tokens[index]?.type === tokenTypes.Comment) index++;
  return index;
}
