import { char, maxTry, stringEnd } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

export interface StringRule {
  open: string;
  close?: string;
  isMultiline?: true;
  /** Backslashes are literal. */
  isRaw?: true;
  /** The opening of code in the string: `${`, `#{`, `{`, `\(`, with the prefix that it requires. */
  code?: string;
  codePrefix?: string;
  /** `$name` is interpolated. */
  hasVariables?: true;
}

/** The position after the string that begins here; 0 when there is none. */
export function readString(
  text: string,
  at: number,
  to: number,
  rules: readonly StringRule[],
  lexer: Lexer,
  prefix = '',
): number {
  for (const rule of rules) {
    if (!text.startsWith(rule.open, at)) continue;
    const end = ruleEnd(text, at, to, rule, prefix);
    if (end === 0) continue;
    paint(at, end, color.string);
    const inner = at + rule.open.length;
    const close = end - (rule.close ?? rule.open).length;
    const hasCode =
      rule.code !== undefined && (rule.codePrefix === undefined || prefix.includes(rule.codePrefix));
    if (hasCode || rule.hasVariables)
      paintCode(text, inner, close, hasCode ? rule : { ...rule, code: '' }, lexer);
    return end;
  }
  return 0;
}

function ruleEnd(text: string, at: number, to: number, rule: StringRule, prefix: string): number {
  const close = rule.close ?? rule.open;
  const isRaw = rule.isRaw === true || prefix.includes('r');
  if (!rule.isMultiline && !isRaw) return stringEnd(at, to, close.charCodeAt(0));
  let from = at + rule.open.length;
  for (;;) {
    const end = text.indexOf(close, from);
    if (end < 0 || end + close.length > to)
      return rule.isMultiline && (rule.open.length > 1 || to - at > maxTry) ? to : 0;
    if (!rule.isMultiline && text.slice(at, end).includes('\n')) return 0;
    if (isRaw || !isEscaped(at, end)) return end + close.length;
    from = end + 1;
  }
}

function isEscaped(from: number, at: number): boolean {
  let before = at - 1;
  while (before >= from && characterAt(before) === char.backslash) before--;
  return (at - before) % 2 === 0;
}

const maxCode = 500;

function paintCode(text: string, from: number, to: number, rule: StringRule, lexer: Lexer): void {
  const { code = '' } = rule;
  for (let at = from; at < to; at++) {
    const character = characterAt(at);
    if (code !== '' && character === code.charCodeAt(0) && text.startsWith(code, at)) {
      /** `{{` is an escaped brace. */
      if (code === '{' && characterAt(at + 1) === char.openBrace) {
        at++;
        continue;
      }
      const end = codeEnd(at + code.length, to);
      if (end === 0) continue;
      paint(at, end + 1, color.plain);
      paint(at, at + code.length, color.operator);
      lexer(text, at + code.length, end);
      paint(end, end + 1, color.operator);
      at = end;
    } else if (character === char.backslash && rule.isRaw !== true) at++;
    else if (rule.hasVariables && character === char.dollar) at = paintVariable(text, at, to);
  }
}

function codeEnd(from: number, to: number): number {
  let depth = 1;
  const last = Math.min(to, from + maxCode);
  for (let at = from; at < last; at++) {
    const character = characterAt(at);
    if (character === char.openBrace || character === char.open) depth++;
    else if ((character === char.closeBrace || character === char.close) && --depth === 0) return at;
  }
  return 0;
}

function paintVariable(text: string, at: number, to: number): number {
  let end = at + 1;
  while (end < to && /[A-Za-z0-9_]/.test(text.charAt(end))) end++;
  if (end > at + 1) paint(at, end, color.variable);
  return end - 1;
}
