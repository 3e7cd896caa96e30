/** The log on stderr: text on a terminal, JSON otherwise, without secrets. */
import { pino, type DestinationStream, type Logger } from 'pino';
import { textDestination } from './log-text.ts';

export interface LogOptions {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Null for text on a terminal and JSON otherwise. */
  format: 'json' | 'text' | null;
  /** Values that are redacted in every line. */
  secrets?: readonly string[];
  serializers?: Record<string, (value: Error) => unknown>;
}

export function openLog(
  { level, format, secrets = [], serializers = {} }: LogOptions,
  destination: DestinationStream = standardError(format),
): Logger {
  const redact = ['*.authorization', '*.key', '*.password', '*.connectionString'];
  const hooks = { streamWrite: redacting(secrets) };
  return pino({ level, base: null, redact, serializers, hooks }, destination);
}

function standardError(format: LogOptions['format']): DestinationStream {
  const { stderr } = process;
  const isText = format === null ? stderr.isTTY : format === 'text';
  if (!isText) return pino.destination(2);
  const hasColors = stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return textDestination((line) => void stderr.write(line), hasColors);
}

/** A captured group is kept; the rest of the match is redacted. */
const shapes = [
  // API keys and webhook secrets.
  /(?:docyard|whsec)_[A-Za-z0-9+/=]{16,}/,
  // Model keys and forge tokens.
  /\bsk-[A-Za-z0-9_-]{16,}|\bgh[opsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/,
  // Authorization headers.
  /(?:[Bb]earer|BEARER|[Bb]asic|BASIC) +[A-Za-z0-9._~+/=-]{8,}/,
  // Passwords in URLs.
  /(:\/\/[^\s/:@"\\]{0,100}:)[^\s/@"\\]+(?=@)/,
  // Signatures of download links.
  /([?&](?:s|[Ss]ig|X-Amz-(?:Signature|Credential|Security-Token))=)[^&\s"\\]+/,
];

function redacting(known: readonly string[]): (line: string) => string {
  const literal = known.map((secret) => JSON.stringify(secret).slice(1, -1)).map(escaped);
  const pattern = new RegExp([...literal, ...shapes.map(({ source }) => source)].join('|'), 'g');
  return (line) => line.replaceAll(pattern, '$1$2[hidden]');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
