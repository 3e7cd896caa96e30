/**
 * What a stream of this process can show: colours, box characters, a line that is drawn again, and how wide it is.
 * The one place that reads NO_COLOR, FORCE_COLOR, TERM and CI. Text of strangers passes through `printable`.
 */
import { styleText } from 'node:util';

/** A stream that is no terminal has neither. */
interface Output {
  isTTY?: boolean;
  columns?: number;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** NO_COLOR wins over FORCE_COLOR: who asked for silence means it. */
export function hasColors(stream: Output, environment = process.env): boolean {
  if (environment['NO_COLOR']) return false;
  const forced = environment['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && environment['TERM'] !== 'dumb';
}

export function painter(colors: boolean): Paint {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

/** Somebody watches, and the cursor can go back to the beginning of the line. */
export function canRedraw(stream: Output, environment = process.env): boolean {
  return stream.isTTY === true && environment['TERM'] !== 'dumb' && !isCi(environment);
}

/** Some pipelines set CI to false to say that they are none. */
function isCi(environment: NodeJS.ProcessEnv): boolean {
  const value = environment['CI'];
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

/** By the locale, as other programs decide it. Windows' terminals of today can. */
export function hasUnicode(environment = process.env, platform = process.platform): boolean {
  if (platform === 'win32') return true;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}

/** 80 where it is not known. */
export function columnsOf(stream: Output): number {
  return stream.columns || 80;
}

/** No line breaks, and nothing that moves the cursor of a terminal or recolours what follows; as wide as it was. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').trimEnd();
}
