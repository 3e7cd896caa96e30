/** Rules for settings that depend on each other. */
import type { ModelOptions, modelProviders } from '@docyard/api';
import { ConfigError } from '@docyard/site/errors';
import { OfflineError, refuseDistantPeer } from '@docyard/site/network';
import type { Config, Environment } from './config.ts';
import { hostList } from './egress/environment.ts';

/** The origin separates authors' pages from the dashboard, so both origins must be known and differ. */
export function previewUrlOf(previewUrl: string | undefined, publicUrl: string | undefined): string | null {
  if (previewUrl === undefined) return null;
  if (publicUrl === undefined) throw new ConfigError('PREVIEW_URL needs PUBLIC_URL. Set both.');
  if (new URL(publicUrl).host === new URL(previewUrl).host)
    throw new ConfigError('PREVIEW_URL and PUBLIC_URL have the same host. Use a separate host for previews.');
  return previewUrl;
}

/** A process with one role needs the data of the processes with the other role. */
export function refuseUnsharedRole(value: {
  ROLE: Config['role'];
  DATABASE_URL?: string | undefined;
  BLOBS_URL?: string | undefined;
  SECRET_KEY?: string | undefined;
}): void {
  if (value.ROLE === 'all') return;
  const missing = [
    value.DATABASE_URL === undefined && 'DATABASE_URL (the PostgreSQL database of all processes)',
    value.BLOBS_URL === undefined && 'BLOBS_URL (s3://…, or file:///… of a folder that every machine shares)',
    value.SECRET_KEY === undefined && 'SECRET_KEY (the same for every process)',
  ].filter((part) => part !== false);
  if (missing.length === 0) return;
  throw new ConfigError(
    `ROLE=${value.ROLE} shares its data with processes of the other role. Also set ${missing.join(', ')}.`,
  );
}

export function refusePreviousKeyAlone(value: {
  SECRET_KEY?: string | undefined;
  SECRET_KEY_PREVIOUS?: string | undefined;
}): void {
  if (value.SECRET_KEY_PREVIOUS === undefined || value.SECRET_KEY !== undefined) return;
  throw new ConfigError('SECRET_KEY_PREVIOUS is set without SECRET_KEY. Set SECRET_KEY to the new key.');
}

/**
 * Third-party libraries connect to these services without the egress check, so offline they must run on this machine.
 */
export function refuseRemoteServices(
  value: {
    OFFLINE: boolean;
    DATABASE_URL?: string | undefined;
    BLOBS_URL?: string | undefined;
    OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  },
  databaseHost: string | undefined,
): void {
  const { OFFLINE: offline, DATABASE_URL, BLOBS_URL, OTEL_EXPORTER_OTLP_ENDPOINT } = value;
  for (const [name, address] of Object.entries({ DATABASE_URL, BLOBS_URL, OTEL_EXPORTER_OTLP_ENDPOINT })) {
    try {
      if (address !== undefined) refuseDistantPeer(address, { offline }, databaseHost);
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
      throw new ConfigError(
        `${error.message} ${name} names another machine. Unset OFFLINE, or use a service on this machine.`,
      );
    }
  }
}

export function firstUserOf(email: string | undefined, password: string | undefined): Config['firstUser'] {
  if (email === undefined && password === undefined) return null;
  if (email !== undefined && password !== undefined) return { email, password };
  throw new ConfigError('ADMIN_EMAIL and ADMIN_PASSWORD, or ADMIN_PASSWORD_FILE, must be set together.');
}

export function oidcOf(value: {
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
  OIDC_NAME: string;
  OIDC_DEFAULT_ROLE?: 'admin' | 'member' | 'viewer' | undefined;
  OIDC_EMAIL_DOMAINS: string;
}): Config['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = value;
  if (issuer === undefined && clientId === undefined) return null;
  if (issuer === undefined || clientId === undefined)
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID must be set together.');
  return {
    issuer,
    clientId,
    clientSecret: value.OIDC_CLIENT_SECRET ?? null,
    name: value.OIDC_NAME,
    defaultRole: value.OIDC_DEFAULT_ROLE ?? null,
    emailDomains: hostList(value.OIDC_EMAIL_DOMAINS),
  };
}

export interface ModelConfig extends ModelOptions {
  provider: (typeof modelProviders)[number];
  url: string;
  name: string;
  key: string | null;
  headers?: Record<string, string> | undefined;
}

export function modelOf(value: {
  MODEL_PROVIDER: (typeof modelProviders)[number];
  MODEL_URL?: string | undefined;
  MODEL_NAME?: string | undefined;
  MODEL_KEY?: string | undefined;
  MODEL_HEADERS?: Record<string, string> | undefined;
  MODEL_OPTIONS?: ModelOptions | undefined;
}): ModelConfig | null {
  const { MODEL_PROVIDER: provider, MODEL_URL: url, MODEL_NAME: name, MODEL_HEADERS: headers } = value;
  if (url === undefined) return null;
  if (name === undefined) throw new ConfigError('MODEL_URL needs MODEL_NAME. Set both.');
  const key = value.MODEL_KEY ?? null;
  return { provider, url, name, key, ...(headers === undefined ? {} : { headers }), ...value.MODEL_OPTIONS };
}

/** OpenTelemetry's libraries read its other variables. */
export function tracingOf(endpoint: string | undefined, environment: Environment): Config['tracing'] {
  if (endpoint === undefined || environment['OTEL_SDK_DISABLED'] === 'true') return null;
  return { endpoint, service: environment['OTEL_SERVICE_NAME'] || 'docyard' };
}
