/** The log on standard error: readable lines on a terminal, JSON lines otherwise, without secrets. */
import { pino, type DestinationStream, type Logger } from 'pino';
import { textDestination } from './log-text.ts';

export interface LogOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Null for text on a terminal and JSON otherwise. */
  format: 'json' | 'text' | null;
  /** Values that no line may contain. */
  secrets?: readonly string[];
  serializers?: Record<string, (value: Error) => unknown>;
}

export function openLog(
  { level, format, secrets = [], serializers = {} }: LogOptions,
  destination: DestinationStream = standardError(format),
): Logger {
  const redact = ['*.authorization', '*.key', '*.password', '*.connectionString'];
  const hooks = { streamWrite: hiding(secrets) };
  return pino({ level, base: null, redact, serializers, hooks }, destination);
}

function standardError(format: LogOptions['format']): DestinationStream {
  const { stderr } = process;
  const isText = format === null ? stderr.isTTY : format === 'text';
  if (!isText) return pino.destination(2);
  const hasColors = stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return textDestination((line) => void stderr.write(line), hasColors);
}

/** What stands in a group is shown; the rest of a match is not. */
const shapes = [
  // API keys, secrets of webhooks.
  /(?:docyard|whsec)_[A-Za-z0-9+/=]{16,}/,
  // Keys of models and tokens of forges.
  /\bsk-[A-Za-z0-9_-]{16,}|\bgh[opsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/,
  // What is sent in a header.
  /(?:[Bb]earer|BEARER|[Bb]asic|BASIC) +[A-Za-z0-9._~+/=-]{8,}/,
  // Passwords in addresses.
  /(:\/\/[^\s/:@"\\]{0,100}:)[^\s/@"\\]+(?=@)/,
  // Signatures of download links, ours and those of object stores.
  /([?&](?:s|[Ss]ig|X-Amz-(?:Signature|Credential|Security-Token))=)[^&\s"\\]+/,
];

function hiding(known: readonly string[]): (line: string) => string {
  const literal = known.map((secret) => JSON.stringify(secret).slice(1, -1)).map(escaped);
  const pattern = new RegExp([...literal, ...shapes.map(({ source }) => source)].join('|'), 'g');
  return (line) => line.replaceAll(pattern, '$1$2[hidden]');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
