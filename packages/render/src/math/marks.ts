/**
 * Finds formulas in the source of a page before parsing and marks each as code, which neither parsers nor
 * smart punctuation change. Prices and shell variables stay text. Line numbers stay.
 */
import { rewriteProse, someProse } from '../text/prose.ts';
import type { MathMode } from '../model/site-plan.ts';

export interface Formula {
  tex: string;
  display: boolean;
}

/** Private-use characters that carry a formula through the parser. */
const inlineMark = '\u{e0f0}';
const displayMark = '\u{e0f1}';
const fenceLanguage = '\u{e0f2}math';
/** Backticks would end the code, bars would split a table cell, and surrounding spaces would be trimmed. */
const carried: [string, string][] = [
  ['`', '\u{e0f3}'],
  ['|', '\u{e0f4}'],
];

export function markMath(source: string, mode: MathMode): string {
  if (mode === 'never' || !mayHoldMath(source) || !someProse(source, mayHoldMath)) return source;
  const { masked, restore } = maskModules(source);
  const blocks = rewriteProse(masked, markBlocks);
  return restore(rewriteProse(blocks, (prose) => markSpans(prose, mode)));
}

function mayHoldMath(text: string): boolean {
  if (text.includes('$')) return true;
  return (text.includes('<l') || text.includes('<L')) && /<la ?tex[\s>]/i.test(text);
}

/** Undefined for ordinary inline code. */
export function formulaOfCode(value: string): Formula | undefined {
  const mark = value[0];
  if (mark !== inlineMark && mark !== displayMark) return undefined;
  return { tex: unescaped(value.slice(1)).trim(), display: mark === displayMark };
}

export function unmarkMath(marked: string): string {
  if (!['\u{e0f0}', '\u{e0f1}', '\u{e0f2}'].some((mark) => marked.includes(mark))) return marked;
  const text = marked
    .replaceAll(/~~~~\u{e0f2}math\n([\s\S]*?)~~~~/gu, '$$$$\n$1$$$$')
    .replaceAll(/`([\u{e0f0}\u{e0f1}])([^`]*)`/gu, (_whole, mark: string, tex: string) =>
      mark === displayMark ? `$$${tex}$$` : `$${tex}$`,
    );
  return unescaped(text);
}

export function isMathFence(language: string): boolean {
  return language === fenceLanguage || language.toLowerCase() === 'math';
}

function unescaped(text: string): string {
  let result = text;
  for (const [character, stand] of carried) result = result.replaceAll(stand, character);
  return result;
}

function asCode({ tex, display }: Formula): string {
  let text = tex;
  for (const [character, stand] of carried) text = text.replaceAll(character, stand);
  return `\`${display ? displayMark : inlineMark}${text}\``;
}

/** Exports may contain template strings with dollars, so they are masked meanwhile. */
function maskModules(source: string): { masked: string; restore: (text: string) => string } {
  if (!/^(?:import|export)\b/m.test(source)) return { masked: source, restore: (text) => text };
  const kept: string[] = [];
  const lines = source.split('\n');
  for (let at = 0; at < lines.length; at++) {
    if (!/^(?:import|export)\s/.test(lines[at] ?? '')) continue;
    let depth = 0;
    for (; at < lines.length; at++) {
      const line = lines[at] ?? '';
      depth += (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);
      if (depth <= 0 && line.trim() === '') break;
      if (!line.includes('$')) continue;
      kept.push(line);
      lines[at] = line.replaceAll('$', '\u{e0f5}');
    }
  }
  if (kept.length === 0) return { masked: source, restore: (text) => text };
  return { masked: lines.join('\n'), restore: (text) => text.replaceAll('\u{e0f5}', '$') };
}

/** `$$` on its own line opens a block that the next such line closes: it becomes a fence. */
function markBlocks(prose: string): string {
  if (!prose.includes('$$')) return prose;
  const lines = prose.split('\n');
  const prefix = /^([ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){0,20})\$\$[ \t]*$/;
  const closing = /^([ \t>]*)(.*?)\$\$[ \t]*$/;
  for (let at = 0; at < lines.length; at++) {
    const open = prefix.exec(lines[at] ?? '');
    if (!open) continue;
    let end = at + 1;
    while (end < lines.length && !lines[end]?.includes('$$')) end++;
    const last = closing.exec(lines[end] ?? '');
    if (!last || last[2]?.trim() !== '') continue;
    lines[at] = `${open[1]}~~~~${fenceLanguage}`;
    lines[end] = `${last[1]}~~~~`;
    at = end;
  }
  return lines.join('\n');
}

const tag =
  /<\/?[A-Za-z][\w.:-]*(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}))?|\s*\{\.\.\.[^{}]*\})*\s*\/?>/y;
const latexElement = /<(la ?tex)(?:\s[^<>{}]*)?>(?!\s*\{)([\s\S]{0,2000}?)<\/\1\s*>/iy;
const target = /\]\((?:[^()\s]|\([^()\s]*\))*/y;

function markSpans(prose: string, mode: MathMode): string {
  if (!/\$|<la ?tex/i.test(prose)) return prose;
  let result = '';
  let at = 0;
  while (at < prose.length) {
    const stop = nextStop(prose, at);
    result += prose.slice(at, stop);
    if (stop === prose.length) break;
    const step = stepAt(prose, stop, mode);
    result += step.text;
    at = step.next;
  }
  return result;
}

const stops = /[\\<{\]$]/g;

function nextStop(prose: string, from: number): number {
  stops.lastIndex = from;
  return stops.exec(prose)?.index ?? prose.length;
}

function stepAt(prose: string, at: number, mode: MathMode): { text: string; next: number } {
  const character = prose[at] ?? '';
  const keep = (length: number): { text: string; next: number } => ({
    text: prose.slice(at, at + length),
    next: at + length,
  });
  if (character === '\\') return keep(2);
  if (character === '<') {
    const latex = matchAt(latexElement, prose, at);
    if (latex)
      return {
        text: asCode({ tex: latex[2]?.trim() ?? '', display: false }),
        next: at + latex[0].length,
      };
    return keep(matchAt(tag, prose, at)?.[0].length ?? 1);
  }
  if (character === '{') return keep(expressionLength(prose, at));
  if (character === ']') return keep(matchAt(target, prose, at)?.[0].length ?? 1);
  if (character !== '$') return keep(1);
  const found = prose.startsWith('$$', at) ? doubleDollar(prose, at) : singleDollar(prose, at, mode);
  if (found) return found;
  return keep(/^\$+/.exec(prose.slice(at, at + 20))?.[0].length ?? 1);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** An unmatched brace is an ordinary character. */
function expressionLength(prose: string, at: number): number {
  let depth = 0;
  for (let next = at; next < prose.length && next < at + 20_000; next++) {
    if (prose[next] === '{') {
      if (++depth > 100) return next - at;
    } else if (prose[next] === '}' && --depth === 0) return next + 1 - at;
  }
  return 1;
}

/** `$$…$$` within a paragraph: display style when it is alone on its lines, otherwise inline. */
function doubleDollar(prose: string, at: number): { text: string; next: number } | undefined {
  const end = prose.indexOf('$$', at + 2);
  if (end < 0) return undefined;
  const tex = prose.slice(at + 2, end);
  if (tex.trim() === '' || tex.includes('$') || /\n[ \t]*\n/.test(tex)) return undefined;
  const before = prose.slice(prose.lastIndexOf('\n', at) + 1, at);
  const after = /^[^\n]*/.exec(prose.slice(end + 2))?.[0] ?? '';
  const alone =
    /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/.test(before) && /^[ \t]*[.,;]?[ \t]*$/.test(after);
  return { text: asCode({ tex, display: alone }), next: end + 2 };
}

/**
 * `$…$` by pandoc's rules: no space inside the dollars, no digit after the last. A word next to a dollar
 * makes it a price or a variable, unless there is a TeX command between them.
 */
function singleDollar(prose: string, at: number, mode: MathMode): { text: string; next: number } | undefined {
  if (prose[at - 1] === '$' || /^\$(?:\s|$)/.test(prose.slice(at, at + 2))) return undefined;
  const span = /^\$((?:\\[\s\S]|[^$\\\n]|\n(?![ \t]*\n))+)\$/.exec(prose.slice(at, at + 2000));
  const tex = span?.[1] ?? '';
  const next = at + (span?.[0].length ?? 0);
  if (!span || /\s$/.test(tex) || /[${]/.test(prose[next] ?? '')) return undefined;
  const touchesWord = /\w/.test(prose[at - 1] ?? '') || /\w/.test(prose[next] ?? '');
  if (touchesWord && !isPlainlyTex(tex)) return undefined;
  if (mode === 'auto' && !looksLikeFormula(tex)) return undefined;
  return { text: asCode({ tex, display: false }), next };
}

function isPlainlyTex(tex: string): boolean {
  return /\\[A-Za-z]{2,}/.test(tex) && !/^\d[\d.,]*\s+[A-Za-z]{2,}/.test(tex);
}

/** Between two prices there are words; a formula has commands, operators, or only short names. */
function looksLikeFormula(tex: string): boolean {
  if (/\\[A-Za-z,;!{}|]/.test(tex)) return true;
  if (/[*_`[\]]{2}|\]\(|\w\.\s|[“”"?]/.test(tex)) return false;
  const words = tex.replaceAll(/\{[^{}]*\}/g, ' ');
  if (/[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}/.test(words) || /^\d[\d.,]*\S*\s+[A-Za-z]{2,}/.test(words))
    return false;
  if (/[=^<>+]|_[\w{]|\{/.test(tex)) return !/^[A-Z][A-Z0-9_]{2,}$/.test(tex);
  return !/[A-Za-z]{4,}/.test(words) && tex.length <= 40 && !/^[\d.,]+\s*[-–/]\s*$/.test(tex);
}
