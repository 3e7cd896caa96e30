/** The log of the service. It masks every secret of the configuration. */
import { openLog } from '@docyard/site/log';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { Config } from './config.ts';

type LogConfig = Pick<Config, 'logLevel' | 'secretKey' | 'databaseUrl' | 'model'> &
  Partial<Pick<Config, 'logFormat' | 'firstUser' | 'oidc' | 'secretKeyPrevious' | 'signingKey'>>;

export function openServiceLog(config: LogConfig, destination?: DestinationStream): Logger {
  const { logLevel: level, logFormat: format = null } = config;
  const serializers = { err: withoutClient };
  return openLog({ level, format, secrets: knownSecrets(config), serializers }, destination);
}

/** Errors of the PostgreSQL driver contain the whole connection. */
function withoutClient(error: Error): unknown {
  const { client: _client, ...serialized } = pino.stdSerializers.err(error) as { client?: unknown };
  return serialized;
}

/** Short values are left out: masking them would also mask unrelated text. */
function knownSecrets(config: LogConfig): string[] {
  const { secretKey, secretKeyPrevious, signingKey, databaseUrl, model, firstUser, oidc } = config;
  const password = databaseUrl === null ? '' : new URL(databaseUrl).password;
  const given = [
    secretKey,
    secretKeyPrevious,
    signingKey,
    model?.key,
    firstUser?.password,
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
