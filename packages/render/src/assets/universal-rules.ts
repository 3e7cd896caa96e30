/**
 * Rules for every element, such as `* { margin: 0 }`, are meant to lose against any other rule. A stylesheet of a site is
 * in no cascade layer and would win over the theme, so these rules go into the weakest layer.
 */
import { baseLayer } from '../css/layers.ts';

const universalSelectors = new Set(
  ['*', '*::before', '*::after', '*:before', '*:after', '::before', '::after', ':before', ':after'].concat([
    '*::backdrop',
    '::backdrop',
    '::file-selector-button',
  ]),
);

export function withWeakUniversalRules(css: string): string {
  if (!css.includes('*')) return css;
  let result = '';
  let copied = 0;
  let start = 0;
  for (let at = 0; at < css.length; at++) {
    const skipped = endOfText(css, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    const character = css[at];
    if (character === ';' || character === '}') start = at + 1;
    else if (character === '{') {
      if (isUniversal(css.slice(start, at))) {
        const end = endOfBlock(css, at);
        result += `${css.slice(copied, start)}@layer ${baseLayer} {${css.slice(start, end)}}`;
        copied = end;
        at = end - 1;
      }
      start = at + 1;
    }
  }
  return result + css.slice(copied);
}

function isUniversal(prelude: string): boolean {
  const selectors = withoutComments(prelude).split(',');
  return (
    selectors.some((selector) => selector.trim().startsWith('*')) &&
    selectors.every((selector) => universalSelectors.has(selector.trim().toLowerCase()))
  );
}

function withoutComments(text: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf('/*', at);
    if (open < 0) return result + text.slice(at);
    result += text.slice(at, open);
    const close = text.indexOf('*/', open + 2);
    if (close < 0) return result;
    at = close + 2;
  }
}

/** After the closing brace of the block that opens at a position, or the end of the stylesheet. */
function endOfBlock(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    const skipped = endOfText(css, at);
    if (skipped > at) at = skipped - 1;
    else if (css[at] === '{') depth++;
    else if (css[at] === '}' && --depth === 0) return at + 1;
  }
  return css.length;
}

/** The end of the comment or string that starts at a position; the position itself when none does. */
function endOfText(css: string, at: number): number {
  const character = css[at];
  if (character === '/' && css[at + 1] === '*') {
    const end = css.indexOf('*/', at + 2);
    return end < 0 ? css.length : end + 2;
  }
  if (character !== '"' && character !== "'") return at;
  for (let next = at + 1; next < css.length; next++) {
    if (css[next] === '\\') next++;
    else if (css[next] === character || css[next] === '\n') return next + 1;
  }
  return css.length;
}
