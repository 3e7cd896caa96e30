import { availableParallelism } from 'node:os';
import { ModelHeaders, modelOptions, modelProviders } from '@docyard/api';
import { z } from 'zod';
import { environmentOf, readPathsOf, sampleRunners } from './config-agent.ts';
import { complainAboutRange } from '@docyard/site/network';
import { parseEgressRules, type EgressRule } from './egress/rules.ts';

const count = (min: number, max: number, defaultValue: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(defaultValue);

const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object' });
    return z.NEVER;
  }
});

function egressRulesOf(text: string, context: z.RefinementCtx): EgressRule[] {
  try {
    return parseEgressRules(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

function trustedProxiesOf(text: string, context: z.RefinementCtx): boolean | readonly string[] {
  const word = z.stringbool().safeParse(text);
  if (word.success) return word.data;
  const ranges = text.split(',').map((range) => range.trim());
  for (const range of ranges.filter((each) => complainAboutRange(each) !== undefined)) {
    const message = `must be on, off, or addresses and CIDR ranges such as 10.244.0.0/16; "${range}" is none of them`;
    context.addIssue({ code: 'custom', message });
  }
  return ranges;
}

export interface Setting {
  check: z.ZodType;
  meaning: string;
  /** Never shown; NAME_FILE may name a file that contains it. */
  secret?: true;
}

/** Tests compare the manual's table with this one. */
export const settings = {
  ROLE: {
    check: z.enum(['all', 'api', 'worker'], { error: 'must be all, api or worker' }).default('all'),
    meaning: 'Role of this process: answer requests (api), run jobs (worker), or both (all).',
  },
  PORT: { check: count(0, 65_535, 4400), meaning: 'Port of the HTTP server. 0 picks a free one.' },
  HOST: { check: z.string().min(1).default('127.0.0.1'), meaning: 'Address to listen on.' },
  DATA_DIR: { check: z.string().min(1).default('./data'), meaning: 'Folder for all data.' },
  DATABASE_URL: {
    check: z.url({ protocol: /^postgres(ql)?$/, error: 'must begin with postgres://' }).optional(),
    meaning: 'PostgreSQL database. Default: SQLite in the data folder.',
    secret: true,
  },
  AUTO_MIGRATE: {
    check: z.stringbool({ error: 'must be on or off' }).default(true),
    meaning:
      'Apply pending database migrations at startup. When off, run docyard migrate first: a process does not start on a database with pending migrations.',
  },
  BLOBS_URL: {
    check: z
      .string()
      .regex(/^(s3:\/\/[a-z0-9]|file:\/\/\/[^/])/, 'must be s3://bucket/… or file:///folder')
      .optional(),
    meaning: 'Storage for bundles. Default: a folder in the data folder.',
  },
  SECRET_KEY: {
    check: z.string().min(32, 'must have at least 32 characters').optional(),
    meaning:
      'Secret from which all other secrets are derived, the same for every process. Default: created in the data folder.',
    secret: true,
  },
  SECRET_KEY_PREVIOUS: {
    check: z.string().min(32, 'must have at least 32 characters').optional(),
    meaning: 'The previous SECRET_KEY, during a rotation.',
    secret: true,
  },
  SIGNING_KEY: {
    check: z.string().min(1).optional(),
    meaning:
      'Secret key that signs bundles, created by `docyard signing-key create`, the same for every process. Default: derived from the other secrets.',
    secret: true,
  },
  PUBLIC_URL: {
    check: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .optional(),
    meaning: 'URL at which clients reach the server. Default: the host of each request.',
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
    meaning: 'Email of the owner account that is created when no users exist; needs ADMIN_PASSWORD.',
  },
  ADMIN_PASSWORD: {
    check: z.string().min(12, 'must have at least 12 characters').optional(),
    meaning: 'Password of that owner. Used only when the account is created.',
    secret: true,
  },
  OIDC_ISSUER: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'OpenID Connect issuer for single sign-on. Default: users sign in with a password.',
  },
  OIDC_CLIENT_ID: {
    check: z.string().min(1).optional(),
    meaning: 'Client id of this installation at the issuer; needed with OIDC_ISSUER.',
  },
  OIDC_CLIENT_SECRET: {
    check: z.string().min(1).optional(),
    meaning: 'Secret of that client. Default: none, for a public client.',
    secret: true,
  },
  OIDC_NAME: {
    check: z.string().min(1).max(40).default('single sign-on'),
    meaning: 'Name of the issuer on the sign-in page.',
  },
  OIDC_DEFAULT_ROLE: {
    check: z.enum(['admin', 'member', 'viewer']).optional(),
    meaning: 'Role of users who sign in without an invitation. Default: they are rejected.',
  },
  OIDC_EMAIL_DOMAINS: {
    check: z.string().default(''),
    meaning: 'Comma-separated email domains to which OIDC_DEFAULT_ROLE applies. Default: all.',
  },
  LOG_LEVEL: {
    check: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be trace, debug, info, warn, error or silent',
      })
      .default('info'),
    meaning: 'Minimum level of log lines.',
  },
  LOG_FORMAT: {
    check: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
    meaning: 'Format of the log: json or text. Default: text on a terminal, otherwise json.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'OpenTelemetry collector that receives traces over HTTP.',
  },
  TRUST_PROXY: {
    check: z.string().default('off').transform(trustedProxiesOf),
    meaning:
      'Proxies whose X-Forwarded-For names the caller: comma-separated addresses and CIDR ranges, on for every address, or off.',
  },
  EXPORT_CONCURRENCY: {
    check: count(1, 64, Math.min(64, availableParallelism())),
    meaning: 'Exports that run at the same time. Default: the number of cores.',
  },
  EXPORT_TIMEOUT_SECONDS: { check: count(10, 86_400, 900), meaning: 'Timeout of one export.' },
  AGENT_CONCURRENCY: { check: count(1, 64, 2), meaning: 'Agent jobs that run at the same time.' },
  AGENT_COMMAND: {
    check: z.string().regex(/^\//, 'must begin with the absolute path of a program').optional(),
    meaning:
      'Program with arguments that speaks the Agent Client Protocol and runs agent jobs in a sandbox. Default: the built-in engine.',
  },
  AGENT_ENV: {
    check: z.string().default('').transform(environmentOf),
    meaning:
      'Comma-separated environment variables of that program: NAME=value. {model} and {modelUrl} are the name and address of the model.',
    secret: true,
  },
  AGENT_READ_PATHS: {
    check: z.string().default('').transform(readPathsOf),
    meaning: 'Comma-separated files and folders that the program can also read.',
  },
  AGENT_SAMPLE_RUNNERS: {
    check: jsonText.pipe(sampleRunners).optional(),
    meaning:
      'Commands that run the changed code samples of a proposal in a sandbox, as a JSON object by language: {"bash": ["/bin/bash", "-s"]}. Each reads the sample from standard input.',
  },
  MODEL_PROVIDER: {
    check: z.enum(modelProviders).default('openai'),
    meaning: 'Protocol of the model endpoint; openai includes every compatible endpoint.',
  },
  MODEL_URL: {
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning:
      'URL of the model endpoint for agent jobs. Default: none; only projects with their own endpoint can run them.',
  },
  MODEL_NAME: { check: z.string().min(1).optional(), meaning: 'Name of the model; needed with MODEL_URL.' },
  MODEL_KEY: {
    check: z.string().min(1).optional(),
    meaning: 'Key of the model endpoint.',
    secret: true,
  },
  MODEL_HEADERS: {
    check: jsonText.pipe(ModelHeaders).optional(),
    meaning: 'Extra headers of requests to the model endpoint, as a JSON object.',
    secret: true,
  },
  MODEL_OPTIONS: {
    check: jsonText.pipe(z.strictObject(modelOptions)).optional(),
    meaning:
      'Other settings of the model endpoint, as a JSON object with the names of the API: {"contextTokens": 32768}.',
  },
  RENDER_PROCESSES: {
    check: count(1, 256, availableParallelism()),
    meaning: 'Parallel processes of one export. Default: one per core.',
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
      'Minimum isolation for running code of authors: 3 full, 2 partial, 1 limits, 0 none. Default: 3 with several organizations, otherwise 1; 0 on systems other than Linux.',
  },
  LINK_SECONDS: { check: count(60, 604_800, 3600), meaning: 'Lifetime of a download link.' },
  EGRESS_ALLOW: {
    check: z.string().default('').transform(egressRulesOf),
    meaning:
      'Comma-separated hosts that may be reached over http or at a private address, each with its purposes: `source+forge:git.internal`.',
  },
  OFFLINE: {
    check: z.stringbool({ error: 'must be on or off' }).default(false),
    meaning:
      'Connect to no other machine, and on this one only to addresses in EGRESS_ALLOW or another setting.',
  },
  LIMIT_READS_PER_MINUTE: { check: count(1, 1e9, 600), meaning: 'Reads per minute and key.' },
  LIMIT_WRITES_PER_MINUTE: { check: count(1, 1e9, 60), meaning: 'Writes per minute and key.' },
  LIMIT_EXPORT_STARTS_PER_HOUR: {
    check: count(1, 1e9, 10),
    meaning: 'Export starts per hour and organization.',
  },
  LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: {
    check: count(1, 1e9, 100),
    meaning: 'Agent jobs, messages and retries per hour and project.',
  },
  LIMIT_QUEUED_JOBS: { check: count(1, 1e9, 1000), meaning: 'Jobs that may be queued at the same time.' },
  LIMIT_RUNNING_PER_ORGANIZATION: {
    check: count(1, 1e6, 2),
    meaning:
      'Exports, and agent jobs, that an organization may have running at the same time on all workers.',
  },
  LIMIT_BODY_BYTES: { check: count(1000, 1e9, 1_000_000), meaning: 'Maximum size of a request body.' },
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
  RETENTION_ANALYTICS_DAYS: {
    check: count(1, 3650, 400),
    meaning: 'Days that page views, searches and feedback of deployments are kept.',
  },
  DRAIN_SECONDS: {
    check: count(0, 600, 0),
    meaning: 'How long a stopping server answers 503, for load balancers to notice.',
  },
  DASHBOARD: {
    check: z.stringbool({ error: 'must be on or off' }).default(true),
    meaning: 'Serve the dashboard under /dashboard/.',
  },
} as const satisfies Record<string, Setting>;
