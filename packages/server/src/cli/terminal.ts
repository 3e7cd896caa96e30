/** The capabilities of a terminal. The only module that reads NO_COLOR, FORCE_COLOR, TERM and CI. */
import { styleText } from 'node:util';

interface Output {
  isTTY?: boolean;
  columns?: number;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** NO_COLOR wins over FORCE_COLOR. */
export function hasColors(stream: Output, environment = process.env): boolean {
  if (environment['NO_COLOR']) return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && environment['TERM'] !== 'dumb';
}

export function painter(colors: boolean): Paint {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

export function canRedraw(stream: Output, environment = process.env): boolean {
  return stream.isTTY === true && environment['TERM'] !== 'dumb' && !isCi(environment);
}

/** Some pipelines set CI to false. */
function isCi(environment: NodeJS.ProcessEnv): boolean {
  const value = environment['CI'];
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

/** Decided by the locale, as other programs do; Windows terminals support it. */
export function hasUnicode(environment = process.env, platform = process.platform): boolean {
  if (platform === 'win32') return true;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}

/** 80 when unknown. */
export function columnsOf(stream: Output): number {
  return stream.columns || 80;
}

/** Replaces line breaks and control characters; the width stays the same. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').trimEnd();
}
