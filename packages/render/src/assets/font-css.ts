/** Reads the `@font-face` rules of a stylesheet from another host. Its values reach the site's stylesheet, so they are checked. */
import { cssTokens, tokenTypes, urlAt, type CssToken } from '../css/tokens.ts';

export interface DeclaredFace {
  address: string;
  weight: string;
  unicodeRange?: string | undefined;
}

const fontAddress = /^https:[^"')\s]{1,2000}$/;
const weightValue = /^\d{1,4}(?: \d{1,4})?$/;
const rangeValue = /^[Uu]\+[\dA-Fa-f?-]+(?:, ?[Uu]\+[\dA-Fa-f?-]+)*$/;

/** Upright faces in the order of the stylesheet; the last one wins in CSS. */
export function declaredFaces(css: string): DeclaredFace[] {
  const tokens = cssTokens(css);
  return tokens.flatMap((token, index): DeclaredFace[] => {
    if (token.type !== tokenTypes.AtKeyword || textOf(css, [token]).toLowerCase() !== '@font-face') return [];
    const values = descriptorsFrom(css, tokens, index + 1);
    const address = addressIn(css, values.get('src') ?? []);
    const weight = textOf(css, values.get('font-weight')) || '400';
    const unicodeRange = textOf(css, values.get('unicode-range')) || undefined;
    const isUpright = (textOf(css, values.get('font-style')) || 'normal') === 'normal';
    const isReadable =
      weightValue.test(weight) && (unicodeRange === undefined || rangeValue.test(unicodeRange));
    return address !== undefined && isUpright && isReadable ? [{ address, weight, unicodeRange }] : [];
  });
}

/** The tokens of each value in the block that follows. */
function descriptorsFrom(css: string, tokens: readonly CssToken[], from: number): Map<string, CssToken[]> {
  const values = new Map<string, CssToken[]>();
  let name = '';
  let value: CssToken[] | undefined;
  for (const token of tokens.slice(from)) {
    const { type } = token;
    if (type === tokenTypes.Comment || type === tokenTypes.LeftCurlyBracket) continue;
    if (type === tokenTypes.Semicolon || type === tokenTypes.RightCurlyBracket) {
      if (value !== undefined) values.set(name.trim().toLowerCase(), value);
      if (type === tokenTypes.RightCurlyBracket) break;
      [name, value] = ['', undefined];
    } else if (value !== undefined) value.push(token);
    else if (type === tokenTypes.Colon) value = [];
    else name += textOf(css, [token]);
  }
  return values;
}

function addressIn(css: string, value: readonly CssToken[]): string | undefined {
  return value
    .map((_, index) => urlAt(css, value, index)?.address)
    .find((address) => address !== undefined && fontAddress.test(address));
}

function textOf(css: string, tokens: readonly CssToken[] = []): string {
  return tokens
    .map(({ start, end }) => css.slice(start, end))
    .join('')
    .trim();
}
