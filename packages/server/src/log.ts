/**
 * The log on standard error: readable lines on a terminal, JSON lines otherwise. Every line goes out without secrets: those
 * that this process knows, and everything that has the shape of one.
 */
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from './config.ts';
import { textDestination } from './log-text.ts';

type LogConfig = Pick<Config, 'logLevel' | 'secretKey' | 'databaseUrl' | 'model'> &
  Partial<Pick<Config, 'logFormat' | 'firstPerson' | 'oidc' | 'secretKeyPrevious' | 'signingKey'>>;

/** Standard output is for people. */
export function openLog(config: LogConfig, destination: DestinationStream = standardError(config)): Logger {
  const hide = hiding(knownSecrets(config));
  const redact = ['*.authorization', '*.key', '*.password', '*.connectionString'];
  const serializers = { err: withoutClient };
  const hooks = { streamWrite: hide };
  return pino({ level: config.logLevel, base: null, redact, serializers, hooks }, destination);
}

function standardError({ logFormat = null }: LogConfig): DestinationStream {
  const { stderr } = process;
  const isText = logFormat === null ? stderr.isTTY : logFormat === 'text';
  if (!isText) return pino.destination(2);
  const hasColors = stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return textDestination((line) => void stderr.write(line), hasColors);
}

/** The driver of PostgreSQL hangs a whole connection on an error of it: a page of text that tells nothing. */
function withoutClient(error: Error): unknown {
  const { client: _client, ...told } = pino.stdSerializers.err(error) as { client?: unknown };
  return told;
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

/** A short one would also hide what is none. */
function knownSecrets(config: LogConfig): string[] {
  const { secretKey, secretKeyPrevious, signingKey, databaseUrl, model, firstPerson, oidc } = config;
  const password = databaseUrl === null ? '' : new URL(databaseUrl).password;
  const given = [
    secretKey,
    secretKeyPrevious,
    signingKey,
    model?.key,
    firstPerson?.password,
    oidc?.clientSecret,
  ];
  return [...given, password, decoded(password)].flatMap((secret) =>
    secret !== null && secret !== undefined && secret.length >= 8 ? [secret] : [],
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
