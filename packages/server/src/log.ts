/**
 * The log: JSON lines on standard error. Whatever is logged, by whomever, goes out without secrets: those that this
 * process knows, and everything that has the shape of one.
 */
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from './config.ts';

type LogConfig = Pick<Config, 'logLevel' | 'secretKey' | 'databaseUrl' | 'model'>;

/** Standard output is for people. */
export function openLog(config: LogConfig, destination: DestinationStream = pino.destination(2)): Logger {
  const hide = hiding(knownSecrets(config));
  const redact = ['*.authorization', '*.key', '*.password', '*.connectionString'];
  const serializers = { err: withoutClient };
  const hooks = { streamWrite: hide };
  return pino({ level: config.logLevel, base: null, redact, serializers, hooks }, destination);
}

/** The driver of PostgreSQL hangs a whole connection on an error of it: a page of text that tells nothing. */
function withoutClient(error: Error): unknown {
  const { client: _client, ...told } = pino.stdSerializers.err(error) as { client?: unknown };
  return told;
}

const shapes = [
  // API keys, secrets of webhooks.
  /\b(?:docyard|whsec)_[A-Za-z0-9+/=]{16,}/,
  // Keys of models and tokens of forges.
  /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/,
  // What is sent in a header.
  /\b(?:Bearer|Basic) +[A-Za-z0-9._~+/=-]{8,}/i,
  // Passwords in addresses.
  /(?<=:\/\/[^\s/:@"\\]{0,100}:)[^\s/@"\\]+(?=@)/,
  // Signatures of download links, ours and those of object stores.
  /(?<=[?&](?:s|sig|X-Amz-(?:Signature|Credential|Security-Token))=)[^&\s"\\]+/i,
];

function hiding(known: readonly string[]): (line: string) => string {
  const literal = known.map((secret) => JSON.stringify(secret).slice(1, -1)).map(escaped);
  const pattern = new RegExp([...literal, ...shapes.map(({ source }) => source)].join('|'), 'gi');
  return (line) => line.replaceAll(pattern, '[hidden]');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** A short one would also hide what is none. */
function knownSecrets({ secretKey, databaseUrl, model }: LogConfig): string[] {
  const password = databaseUrl === null ? '' : new URL(databaseUrl).password;
  return [secretKey, password, decodeURIComponent(password), model?.key].flatMap((secret) =>
    secret !== null && secret !== undefined && secret.length >= 8 ? [secret] : [],
  );
}
