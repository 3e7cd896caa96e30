/** The configuration of the service: environment variables and flags in, one checked Config out. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '@docyard/site/errors';
import { z } from 'zod';
import { refuseAgentExposure } from './config-agent.ts';
import {
  firstUserOf,
  modelOf,
  oidcOf,
  previewUrlOf,
  refuseRemoteServices,
  refuseUnsharedRole,
  refusePreviousKeyAlone,
  tracingOf,
  type ModelConfig,
} from './config-rules.ts';
import { type Setting, settings } from './config-settings.ts';
import type { EgressRules } from './egress/rules.ts';
import { fileErrorReason } from '@docyard/site/disk';

export interface Config {
  /** Whether this process answers requests, runs jobs, or both. */
  role: 'all' | 'api' | 'worker';
  port: number;
  host: string;
  dataDir: string;
  /** A PostgreSQL URL; null for SQLite in the data folder. */
  databaseUrl: string | null;
  /** Whether pending migrations are applied at startup, rather than refused. */
  autoMigrate: boolean;
  /** `s3://bucket/prefix?…` or `file:///folder`; null for a folder in the data folder. */
  blobsUrl: string | null;
  /** The secret that all processes share; null to use the one in the data folder. */
  secretKey: string | null;
  /** The previous secret, during a rotation. */
  secretKeyPrevious: string | null;
  /** A minisign secret key that signs bundles; null to derive one from the other secrets. */
  signingKey: string | null;
  publicUrl: string | null;
  /** A separate origin for previews; null to serve them sandboxed on the dashboard's host. */
  previewUrl: string | null;
  /** The first owner; null when the setup link creates it. */
  firstUser: { email: string; password: string } | null;
  /** Single sign-on; null for passwords only. */
  oidc: {
    issuer: string;
    clientId: string;
    clientSecret: string | null;
    name: string;
    /** The role for users without an invitation; null to reject them. */
    defaultRole: 'admin' | 'member' | 'viewer' | null;
    /** The email domains allowed without an invitation; empty for all. */
    emailDomains: string[];
  } | null;
  /** Null when tracing is off. */
  tracing: { endpoint: string; service: string } | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Null for text on a terminal and JSON otherwise. */
  logFormat: 'json' | 'text' | null;
  /** Addresses and ranges of the proxies whose X-Forwarded headers are read; true for every address. */
  trustProxy: boolean | readonly string[];
  exportConcurrency: number;
  exportTimeoutSeconds: number;
  agentConcurrency: number;
  /** The external agent program and its arguments; null for the built-in engine. */
  agentCommand: string[] | null;
  /** Environment variables of that program, which may contain `{model}` and `{modelUrl}`. */
  agentEnvironment: Record<string, string>;
  /** Files and folders that it can read besides its own. */
  agentReadPaths: string[];
  /** The commands that run code samples, by language; empty to run none. */
  sampleRunners: Readonly<Record<string, readonly string[]>>;
  /** The model endpoint for projects without one; null for none. */
  model: ModelConfig | null;
  renderProcesses: number;
  buildCacheBytes: number;
  /** The minimum isolation for running authors' code; null to derive it from the number of organizations. */
  renderIsolationMin: 0 | 1 | 2 | 3 | null;
  linkSeconds: number;
  egress: EgressRules;
  limits: {
    readsPerMinute: number;
    writesPerMinute: number;
    exportStartsPerHour: number;
    agentInstructionsPerHour: number;
    queuedJobs: number;
    runningPerOrganization: number;
    bodyBytes: number;
    connections: number;
  };
  retention: { exports: number; days: number; agentDays: number; jobDays: number; analyticsDays: number };
  drainSeconds: number;
  dashboard: boolean;
}

/** Former names that are still read, by their replacement. */
const deprecatedNames: Readonly<Record<string, string>> = { BUILD_CACHE_GB: 'EXPORT_MEMORY_GB' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** `options` maps variables to the command-line options that set them, for error messages. */
export function readConfig(environment: Environment, options: Readonly<Record<string, string>> = {}): Config {
  const shape = Object.fromEntries(Object.entries(settings).map(([name, { check }]) => [name, check])) as {
    [Name in keyof typeof settings]: (typeof settings)[Name]['check'];
  };
  const given = Object.fromEntries(
    Object.entries(settings).flatMap(([name, setting]: [string, Setting]) => {
      const value =
        (setting.secret && readSecretFile(name, environment)) ??
        environment[name] ??
        environment[deprecatedNames[name] ?? ''];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const parsed = z.object(shape).safeParse(given);
  if (!parsed.success) throw explain(parsed.error, given, options);
  const value = parsed.data;
  refuseUnsharedRole(value);
  refusePreviousKeyAlone(value);
  refuseRemoteServices(value, environment['PGHOST']);
  refuseAgentExposure(
    { environment: value.AGENT_ENV, readPaths: value.AGENT_READ_PATHS },
    { dataDir: resolve(value.DATA_DIR), ...secretsAmong(given, environment) },
  );
  return {
    role: value.ROLE,
    port: value.PORT,
    host: value.HOST,
    dataDir: resolve(value.DATA_DIR),
    databaseUrl: value.DATABASE_URL ?? null,
    autoMigrate: value.AUTO_MIGRATE,
    blobsUrl: value.BLOBS_URL ?? null,
    secretKey: value.SECRET_KEY ?? null,
    secretKeyPrevious: value.SECRET_KEY_PREVIOUS ?? null,
    signingKey: value.SIGNING_KEY ?? null,
    publicUrl: value.PUBLIC_URL ?? null,
    previewUrl: previewUrlOf(value.PREVIEW_URL, value.PUBLIC_URL),
    firstUser: firstUserOf(value.ADMIN_EMAIL, value.ADMIN_PASSWORD),
    oidc: oidcOf(value),
    tracing: tracingOf(value.OTEL_EXPORTER_OTLP_ENDPOINT, environment),
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT ?? null,
    trustProxy: value.TRUST_PROXY,
    exportConcurrency: value.EXPORT_CONCURRENCY,
    exportTimeoutSeconds: value.EXPORT_TIMEOUT_SECONDS,
    agentConcurrency: value.AGENT_CONCURRENCY,
    agentCommand: value.AGENT_COMMAND?.split(/ +/).filter((part) => part !== '') ?? null,
    agentEnvironment: value.AGENT_ENV,
    agentReadPaths: value.AGENT_READ_PATHS,
    sampleRunners: value.AGENT_SAMPLE_RUNNERS ?? {},
    model: modelOf(value),
    renderProcesses: value.RENDER_PROCESSES,
    buildCacheBytes: value.BUILD_CACHE_GB * 1e9,
    renderIsolationMin: value.RENDER_ISOLATION_MIN ?? null,
    linkSeconds: value.LINK_SECONDS,
    egress: { rules: value.EGRESS_ALLOW, offline: value.OFFLINE },
    limits: {
      readsPerMinute: value.LIMIT_READS_PER_MINUTE,
      writesPerMinute: value.LIMIT_WRITES_PER_MINUTE,
      exportStartsPerHour: value.LIMIT_EXPORT_STARTS_PER_HOUR,
      agentInstructionsPerHour: value.LIMIT_AGENT_INSTRUCTIONS_PER_HOUR,
      queuedJobs: value.LIMIT_QUEUED_JOBS,
      runningPerOrganization: value.LIMIT_RUNNING_PER_ORGANIZATION,
      bodyBytes: value.LIMIT_BODY_BYTES,
      connections: value.LIMIT_CONNECTIONS,
    },
    retention: {
      exports: value.RETENTION_EXPORTS,
      days: value.RETENTION_DAYS,
      agentDays: value.RETENTION_AGENT_DAYS,
      jobDays: value.RETENTION_JOB_DAYS,
      analyticsDays: value.RETENTION_ANALYTICS_DAYS,
    },
    drainSeconds: value.DRAIN_SECONDS,
    dashboard: value.DASHBOARD,
  };
}

function secretsAmong(given: Environment, environment: Environment) {
  const names = Object.entries(settings).flatMap(([name, setting]: [string, Setting]) =>
    setting.secret && name !== 'AGENT_ENV' ? [name] : [],
  );
  const values = names.flatMap((name): [string, string][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    secretValues: Object.fromEntries(values),
    secretFiles: names.flatMap((name) => environment[`${name}_FILE`] || []),
  };
}

/** Orchestrators mount secrets as files. */
function readSecretFile(name: string, environment: Environment): string | undefined {
  const file = environment[`${name}_FILE`];
  if (file === undefined || file === '') return undefined;
  if (environment[name]) throw new ConfigError(`${name} and ${name}_FILE are both set. Remove one of them.`);
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    throw new ConfigError(`${name}_FILE=${file} cannot be read: ${fileErrorReason(error)}.`);
  }
  throw new ConfigError(`${name}_FILE=${file} is empty.`);
}

function explain(
  error: z.ZodError,
  given: Environment,
  options: Readonly<Record<string, string>>,
): ConfigError {
  const lines = error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const setting: Setting | undefined = settings[name as keyof typeof settings];
    const option = options[name];
    const shown = setting?.secret
      ? name
      : `${option === undefined ? `${name}=` : `${option} `}${given[name]}`;
    return `${shown}: ${issue.message}. ${setting?.meaning ?? ''}`;
  });
  const isUsage = error.issues.every(({ path }) => options[String(path[0])] !== undefined);
  const list = lines.map((line) => `  ${line}`).join('\n');
  return new ConfigError(isUsage ? lines.join(' ') : `Invalid configuration:\n${list}`, {
    isUsage,
  });
}
