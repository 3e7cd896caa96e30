/** Formats JSON log lines for a terminal. */
import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';

const levels: Record<number, { name: string; style: 'dim' | 'yellow' | 'red' }> = {
  10: { name: 'trace', style: 'dim' },
  20: { name: 'debug', style: 'dim' },
  30: { name: 'info', style: 'dim' },
  40: { name: 'warn', style: 'yellow' },
  50: { name: 'error', style: 'red' },
  60: { name: 'fatal', style: 'red' },
};

const errorLevel = 50;

/** `write` receives one line at a time. */
export function textDestination(write: (line: string) => void, hasColors: boolean): DestinationStream {
  return { write: (line) => write(readableLine(line, hasColors)) };
}

export function readableLine(line: string, hasColors: boolean): string {
  const record = parsed(line);
  if (record === undefined) return line;
  const { level, time, msg, err, ...fields } = record;
  const { name, style } = levels[Number(level)] ?? { name: String(level), style: 'dim' };
  const paint = (as: 'dim' | 'yellow' | 'red', text: string) =>
    hasColors ? styleText(as, text, { validateStream: false }) : text;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${valueText(value)}`);
  const cause = errorText(err, Number(level) >= errorLevel);
  const text = `${safe(typeof msg === 'string' ? msg : '')}${cause.message}`;
  return `${paint('dim', clock)} ${paint(style, name.padEnd(5))} ${text}${paint('dim', facts.join(''))}\n${cause.stack}`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@%+-]+$/.test(value)) return value;
  return safe(JSON.stringify(value) ?? '');
}

function errorText(error: unknown, withStack: boolean): { message: string; stack: string } {
  if (typeof error !== 'object' || error === null) return { message: '', stack: '' };
  const { message = '', stack = '' } = error as { message?: string; stack?: string };
  const frames = stack.split('\n').filter((line) => /^ *at /.test(line));
  return {
    message: message === '' ? '' : `: ${safe(message)}`,
    stack: withStack ? frames.map((line) => `${safe(line)}\n`).join('') : '',
  };
}

/** Removes control characters, which could move the cursor of a terminal. */
function safe(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
