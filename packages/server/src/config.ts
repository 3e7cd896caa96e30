/**
 * The gate for every setting: environment variables and flags in, one checked Config out. A wrong value stops
 * the boot with a sentence that names the variable; nothing else in the program reads the environment.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ConfigError } from '@docyard/site/errors';
import { OfflineError, refuseDistantPeer } from '@docyard/site/network';
import { z } from 'zod';
import { hostList } from './egress/environment.ts';
import { parseEgressRules, type EgressRule, type EgressRules } from './egress/rules.ts';

export interface Config {
  /** What this process does: answers requests, runs jobs, or both. */
  role: 'all' | 'api' | 'worker';
  port: number;
  host: string;
  dataDir: string;
  /** A PostgreSQL address; null for SQLite in the data folder. */
  databaseUrl: string | null;
  /** `s3://bucket/prefix?…` or `file:///folder`; null for a folder in the data folder. */
  blobsUrl: string | null;
  /** The secret that all processes share; null when the data folder has its own. */
  secretKey: string | null;
  /** The secret before it, while a rotation is under way. */
  secretKeyPrevious: string | null;
  /** A minisign secret key that signs bundles; null to derive one from the other secrets. */
  signingKey: string | null;
  publicUrl: string | null;
  /** The origin of previews; null when they are on the host of the dashboard, in a sandbox. */
  previewUrl: string | null;
  /** The first person, whom the operator names; null when the first to open the setup link is the one. */
  firstPerson: { email: string; password: string } | null;
  /** Where people sign in besides a password; null when there is nothing else. */
  oidc: {
    issuer: string;
    clientId: string;
    clientSecret: string | null;
    name: string;
    /** For whoever comes without an invitation; null to let nobody in like that. */
    defaultRole: 'admin' | 'member' | 'viewer' | null;
    /** Whose emails may come without an invitation; empty for all. */
    emailDomains: string[];
  } | null;
  /** Where traces go; null when nothing is traced. */
  tracing: { endpoint: string; service: string } | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Null for text on a terminal and JSON otherwise. */
  logFormat: 'json' | 'text' | null;
  trustProxy: boolean;
  exportConcurrency: number;
  exportTimeoutSeconds: number;
  agentConcurrency: number;
  /** The program and its arguments that do agent jobs in place of the built-in engine; null for that engine. */
  agentCommand: string[] | null;
  /** The endpoint for projects that have none of their own; null when there is none. */
  model: { provider: 'openai' | 'anthropic'; url: string; name: string; key: string | null } | null;
  renderProcesses: number;
  buildCacheBytes: number;
  /** How isolated a process must be to run code of authors; null to decide by how many organizations there are. */
  renderIsolationMin: 0 | 1 | 2 | 3 | null;
  linkSeconds: number;
  /** What may be reached. */
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
  retention: { exports: number; days: number; agentDays: number; jobDays: number };
  drainSeconds: number;
  /** Whether people are offered the dashboard. */
  dashboard: boolean;
}

const count = (least: number, most: number, usual: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`)
    .default(usual);

function egressRulesOf(text: string, context: z.RefinementCtx): EgressRule[] {
  try {
    return parseEgressRules(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

interface Setting {
  check: z.ZodType;
  meaning: string;
  /** It is never shown, and NAME_FILE may name a file that holds it. */
  secret?: true;
}

/** Every variable, its check, its default and one line of meaning. The manual's table is held to this one. */
export const settings = {
  ROLE: {
    check: z.enum(['all', 'api', 'worker'], { error: 'must be all, api or worker' }).default('all'),
    meaning: 'What this process does: answer requests (api), run jobs (worker), or both (all).',
  },
  PORT: { check: count(0, 65_535, 4400), meaning: 'Port of the HTTP server. 0 picks a free one.' },
  HOST: { check: z.string().min(1).default('127.0.0.1'), meaning: 'Address to listen on.' },
  DATA_DIR: { check: z.string().min(1).default('./data'), meaning: 'Folder for everything that is kept.' },
  DATABASE_URL: {
    check: z.url({ protocol: /^postgres(ql)?$/, error: 'must begin with postgres://' }).optional(),
    meaning: 'PostgreSQL database. Default: SQLite in the data folder.',
    secret: true,
  },
  BLOBS_URL: {
    check: z
      .string()
      .regex(/^(s3:\/\/[a-z0-9]|file:\/\/\/[^/])/, 'must be s3://bucket/… or file:///folder')
      .optional(),
    meaning: 'Where bundles are kept. Default: a folder in the data folder.',
  },
  SECRET_KEY: {
    check: z.string().min(32, 'must have at least 32 characters').optional(),
    meaning:
      'Secret from which all others are derived, the same for every process. Default: made in the data folder.',
    secret: true,
  },
  SECRET_KEY_PREVIOUS: {
    check: z.string().min(32, 'must have at least 32 characters').optional(),
    meaning: 'The SECRET_KEY before the current one, during its rotation.',
    secret: true,
  },
  SIGNING_KEY: {
    check: z.string().min(1).optional(),
    meaning:
      'Secret key that signs bundles, as `docyard signing-key create` makes it, the same for every process. Default: derived from the other secrets.',
    secret: true,
  },
  PUBLIC_URL: {
    check: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .optional(),
    meaning: 'Address under which clients reach the server. Default: the host of each request.',
  },
  PREVIEW_URL: {
    check: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .refine((url) => URL.parse(url)?.pathname === '/', 'must be an origin, without a path')
      .transform((url) => URL.parse(url)?.origin ?? url)
      .optional(),
    meaning:
      'Separate origin for previews of exported sites, such as `https://preview.example.com`. It must reach this server. Needs `PUBLIC_URL`. Default: previews are sandboxed on the host of the dashboard.',
  },
  ADMIN_EMAIL: {
    check: z.email('must be an email address').toLowerCase().optional(),
    meaning:
      'Email of the first person, an owner, who is created when there is nobody; needs ADMIN_PASSWORD.',
  },
  ADMIN_PASSWORD: {
    check: z.string().min(12, 'must have at least 12 characters').optional(),
    meaning: 'Password of the first person. Counts only when that person is created.',
    secret: true,
  },
  OIDC_ISSUER: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'OpenID Connect issuer where people may sign in. Default: they sign in with a password alone.',
  },
  OIDC_CLIENT_ID: {
    check: z.string().min(1).optional(),
    meaning: 'Client that the issuer knows this installation by; needed with OIDC_ISSUER.',
  },
  OIDC_CLIENT_SECRET: {
    check: z.string().min(1).optional(),
    meaning: 'Secret of that client. Default: a public client, which has none.',
    secret: true,
  },
  OIDC_NAME: {
    check: z.string().min(1).max(40).default('single sign-on'),
    meaning: 'What the issuer is called on the sign-in page.',
  },
  OIDC_DEFAULT_ROLE: {
    check: z.enum(['admin', 'member', 'viewer']).optional(),
    meaning: 'Role of people whom the issuer knows and nobody has invited. Default: they are not let in.',
  },
  OIDC_EMAIL_DOMAINS: {
    check: z.string().default(''),
    meaning: 'Comma-separated domains of emails that OIDC_DEFAULT_ROLE is for. Default: all.',
  },
  LOG_LEVEL: {
    check: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be trace, debug, info, warn, error or silent',
      })
      .default('info'),
    meaning: 'How much is logged.',
  },
  LOG_FORMAT: {
    check: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
    meaning: 'Form of the log: json or text. Default: text on a terminal, otherwise json.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'OpenTelemetry collector that is sent traces over HTTP.',
  },
  TRUST_PROXY: {
    check: z.stringbool({ error: 'must be on or off' }).default(false),
    meaning: 'Take the caller’s address from the last entry of X-Forwarded-For.',
  },
  EXPORT_CONCURRENCY: {
    check: count(1, 64, Math.min(64, availableParallelism())),
    meaning: 'Exports that run at the same time. Default: the number of cores.',
  },
  EXPORT_TIMEOUT_SECONDS: { check: count(10, 86_400, 900), meaning: 'Longest time one export may take.' },
  AGENT_CONCURRENCY: { check: count(1, 64, 2), meaning: 'Agent jobs that run at the same time.' },
  AGENT_COMMAND: {
    check: z.string().regex(/^\//, 'must begin with the absolute path of a program').optional(),
    meaning:
      'Program with arguments that speaks the Agent Client Protocol and does agent jobs, in a sandbox. Default: the built-in engine.',
  },
  MODEL_PROVIDER: {
    check: z.enum(['openai', 'anthropic']).default('openai'),
    meaning: 'How the model endpoint is spoken to; openai stands for everything compatible with it.',
  },
  MODEL_URL: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning:
      'Address of the model endpoint for agent jobs. Default: none, so that only projects with their own have any.',
  },
  MODEL_NAME: { check: z.string().min(1).optional(), meaning: 'Name of the model; needed with MODEL_URL.' },
  MODEL_KEY: {
    check: z.string().min(1).optional(),
    meaning: 'Key of the model endpoint.',
    secret: true,
  },
  RENDER_PROCESSES: {
    check: count(1, 256, availableParallelism()),
    meaning: 'Processes of one export that work at the same time. Default: one a core.',
  },
  BUILD_CACHE_GB: {
    check: count(0, 10_000, 10),
    meaning: 'Size of the build cache that exports share, in gigabytes. 0 turns the cache off.',
  },
  RENDER_ISOLATION_MIN: {
    check: z
      .enum(['0', '1', '2', '3'], { error: 'must be 0, 1, 2 or 3' })
      .transform((level) => Number(level) as 0 | 1 | 2 | 3)
      .optional(),
    meaning:
      'Isolation without which no code of authors runs: 3 full, 2 partial, 1 limits, 0 none. Default: 3 with several organizations, otherwise 1, and 0 where there is no Linux.',
  },
  LINK_SECONDS: { check: count(60, 604_800, 3600), meaning: 'Lifetime of a download link.' },
  EGRESS_ALLOW: {
    check: z.string().default('').transform(egressRulesOf),
    meaning:
      'Comma-separated hosts that may be reached over http or at a private address, each with its purposes: `source+forge:git.internal`.',
  },
  OFFLINE: {
    check: z.stringbool({ error: 'must be on or off' }).default(false),
    meaning: 'Reach no other machine; of this one what EGRESS_ALLOW or another setting names.',
  },
  LIMIT_READS_PER_MINUTE: { check: count(1, 1e9, 600), meaning: 'Reads a minute and key.' },
  LIMIT_WRITES_PER_MINUTE: { check: count(1, 1e9, 60), meaning: 'Writes a minute and key.' },
  LIMIT_EXPORT_STARTS_PER_HOUR: {
    check: count(1, 1e9, 10),
    meaning: 'Export starts an hour and organization.',
  },
  LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: {
    check: count(1, 1e9, 100),
    meaning: 'Agent jobs, messages and retries an hour and project.',
  },
  LIMIT_QUEUED_JOBS: { check: count(1, 1e9, 1000), meaning: 'Jobs that may wait at the same time.' },
  LIMIT_RUNNING_PER_ORGANIZATION: {
    check: count(1, 1e6, 2),
    meaning:
      'Exports, and agent jobs, that an organization may have running at the same time on all workers.',
  },
  LIMIT_BODY_BYTES: { check: count(1000, 1e9, 1_000_000), meaning: 'Largest request body.' },
  LIMIT_CONNECTIONS: {
    check: count(1, 1e6, 10_000),
    meaning: 'Connections that the HTTP server holds open at the same time.',
  },
  RETENTION_EXPORTS: { check: count(1, 1e6, 5), meaning: 'Completed exports kept for a project.' },
  RETENTION_DAYS: { check: count(1, 36_500, 30), meaning: 'Days that an export is kept.' },
  RETENTION_JOB_DAYS: {
    check: count(1, 36_500, 90),
    meaning: 'Days that the record of a job is kept after its end.',
  },
  RETENTION_AGENT_DAYS: {
    check: count(1, 36_500, 90),
    meaning: 'Days that the steps and the diff of an agent job are kept after its end.',
  },
  DRAIN_SECONDS: {
    check: count(0, 600, 0),
    meaning: 'How long a stopping server goes on answering 503, for load balancers to notice.',
  },
  DASHBOARD: {
    check: z.stringbool({ error: 'must be on or off' }).default(true),
    meaning: 'Serve the dashboard under /dashboard/.',
  },
} as const satisfies Record<string, Setting>;

/** Former names that are still read, by the name that replaced them. */
const deprecatedNames: Readonly<Record<string, string>> = { BUILD_CACHE_GB: 'EXPORT_MEMORY_GB' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** `options` are the command-line options that set a variable, for the message about a wrong value. */
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
  refuseLonelyRole(value);
  refusePreviousKeyAlone(value);
  refuseDistantPeers(value, environment['PGHOST']);
  return {
    role: value.ROLE,
    port: value.PORT,
    host: value.HOST,
    dataDir: resolve(value.DATA_DIR),
    databaseUrl: value.DATABASE_URL ?? null,
    blobsUrl: value.BLOBS_URL ?? null,
    secretKey: value.SECRET_KEY ?? null,
    secretKeyPrevious: value.SECRET_KEY_PREVIOUS ?? null,
    signingKey: value.SIGNING_KEY ?? null,
    publicUrl: value.PUBLIC_URL ?? null,
    previewUrl: previewUrlOf(value.PREVIEW_URL, value.PUBLIC_URL),
    firstPerson: firstPersonOf(value.ADMIN_EMAIL, value.ADMIN_PASSWORD),
    oidc: oidcOf(value),
    tracing: tracingOf(value.OTEL_EXPORTER_OTLP_ENDPOINT, environment),
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT ?? null,
    trustProxy: value.TRUST_PROXY,
    exportConcurrency: value.EXPORT_CONCURRENCY,
    exportTimeoutSeconds: value.EXPORT_TIMEOUT_SECONDS,
    agentConcurrency: value.AGENT_CONCURRENCY,
    agentCommand: value.AGENT_COMMAND?.split(/ +/).filter((part) => part !== '') ?? null,
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
    },
    drainSeconds: value.DRAIN_SECONDS,
    dashboard: value.DASHBOARD,
  };
}

/** Pages of authors are kept from the dashboard by the origin, so both must be known and differ. */
function previewUrlOf(previewUrl: string | undefined, publicUrl: string | undefined): string | null {
  if (previewUrl === undefined) return null;
  if (publicUrl === undefined) throw new ConfigError('PREVIEW_URL needs PUBLIC_URL. Set both.');
  if (new URL(publicUrl).host === new URL(previewUrl).host)
    throw new ConfigError(
      'PREVIEW_URL and PUBLIC_URL have the same host. Give previews a host of their own.',
    );
  return previewUrl;
}

/** Orchestrators hand secrets over as files. Undefined when none is named. */
function readSecretFile(name: string, environment: Environment): string | undefined {
  const file = environment[`${name}_FILE`];
  if (file === undefined || file === '') return undefined;
  if (environment[name]) throw new ConfigError(`${name} and ${name}_FILE are both set. Keep one of them.`);
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    throw new ConfigError(`${name}_FILE=${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  throw new ConfigError(`${name}_FILE=${file} is empty.`);
}

/** A process that does only a part of the work must find the other part's data. */
function refuseLonelyRole(value: {
  ROLE: Config['role'];
  DATABASE_URL?: string | undefined;
  BLOBS_URL?: string | undefined;
  SECRET_KEY?: string | undefined;
}): void {
  if (value.ROLE === 'all') return;
  const missing = [
    value.DATABASE_URL === undefined && 'DATABASE_URL (the PostgreSQL database of all processes)',
    value.BLOBS_URL === undefined && 'BLOBS_URL (s3://…, or file:///… of a folder that every machine sees)',
    value.SECRET_KEY === undefined && 'SECRET_KEY (the same for every process)',
  ].filter((part) => part !== false);
  if (missing.length === 0) return;
  throw new ConfigError(
    `ROLE=${value.ROLE} leaves the other half to other processes, which must share its data. Set ${missing.join(', ')} too.`,
  );
}

function refusePreviousKeyAlone(value: {
  SECRET_KEY?: string | undefined;
  SECRET_KEY_PREVIOUS?: string | undefined;
}): void {
  if (value.SECRET_KEY_PREVIOUS === undefined || value.SECRET_KEY !== undefined) return;
  throw new ConfigError('SECRET_KEY_PREVIOUS is set without SECRET_KEY. Set SECRET_KEY to the new key.');
}

/** Offline, what the service cannot do without must be on this machine; libraries of their own connect to it. */
function refuseDistantPeers(
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
        `${error.message} ${name} names another machine. Turn OFFLINE off, or use this one.`,
      );
    }
  }
}

function firstPersonOf(email: string | undefined, password: string | undefined): Config['firstPerson'] {
  if (email === undefined && password === undefined) return null;
  if (email !== undefined && password !== undefined) return { email, password };
  throw new ConfigError('ADMIN_EMAIL and ADMIN_PASSWORD, or ADMIN_PASSWORD_FILE, belong together. Set both.');
}

function oidcOf(value: {
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
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID belong together. Set both.');
  return {
    issuer,
    clientId,
    clientSecret: value.OIDC_CLIENT_SECRET ?? null,
    name: value.OIDC_NAME,
    defaultRole: value.OIDC_DEFAULT_ROLE ?? null,
    emailDomains: hostList(value.OIDC_EMAIL_DOMAINS),
  };
}

function modelOf(value: {
  MODEL_PROVIDER: 'openai' | 'anthropic';
  MODEL_URL?: string | undefined;
  MODEL_NAME?: string | undefined;
  MODEL_KEY?: string | undefined;
}): Config['model'] {
  const { MODEL_PROVIDER: provider, MODEL_URL: url, MODEL_NAME: name } = value;
  if (url === undefined) return null;
  if (name === undefined) throw new ConfigError('MODEL_URL is set: set MODEL_NAME too.');
  return { provider, url, name, key: value.MODEL_KEY ?? null };
}

/** The other variables of OpenTelemetry are read by its own libraries. */
function tracingOf(endpoint: string | undefined, environment: Environment): Config['tracing'] {
  if (endpoint === undefined || environment['OTEL_SDK_DISABLED'] === 'true') return null;
  return { endpoint, service: environment['OTEL_SERVICE_NAME'] || 'docyard' };
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
  return new ConfigError(isUsage ? lines.join(' ') : `The configuration is not usable:\n${list}`, {
    isUsage,
  });
}
