/** Every setting of a site. A test checks the manual's table against it. */
import { z } from 'zod';
import { analyticsSettings } from '../analytics/analytics-settings.ts';
import { accessSettings } from '../access/access-settings.ts';
import { answerSettings } from '../answers/answer-settings.ts';
import { accessLogFormats } from '../serving/access-log-line.ts';
import { reportSettings } from './report-settings.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const whole = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

/** YAML parses `version: 2.1` as a number. */
const text = z.union([z.string(), z.number().transform(String)], { error: 'must be text' });
const address = text.refine(isAddress, {
  error: 'must be an http or https address, s3://bucket/…, a file or a folder',
});
const onOrOff = z.union([z.boolean(), z.stringbool({ error: 'must be on or off' })], {
  error: 'must be on or off',
});

/** In the form in which browsers send it, so that international names can be written as they are read. */
const hostName = z.string().transform((name, context) => {
  const parsed = /[\s/:?#@\\]/.test(name) ? null : URL.parse(`http://${name}`);
  if (parsed !== null && parsed.hostname !== '') return parsed.hostname;
  context.addIssue({ code: 'custom', message: 'must be a host name without a port' });
  return z.NEVER;
});

export interface Setting {
  check: z.ZodType;
  /** Its path in the file. */
  path: string;
  /**
   * With a list of sites: `process` settings stay at the top of the file, `site` settings belong to an entry, and an
   * entry inherits `shared` settings from the top.
   */
  scope: 'process' | 'site' | 'shared';
  variable: string;
  /** The former name, which still works. */
  deprecatedVariable?: string;
  meaning: string;
}

export const siteSettings = {
  enabled: {
    path: 'staticExport.enabled',
    scope: 'shared',
    variable: 'STATIC_EXPORT_ENABLED',
    check: onOrOff.default(true),
    meaning: 'When off, nothing is fetched and the installed release stays live.',
  },
  bundleUrl: {
    path: 'staticExport.bundleUrl',
    scope: 'site',
    variable: 'STATIC_EXPORT_BUNDLE_URL',
    check: address.optional(),
    meaning:
      'The bundle to serve: a link, the stable address of a Docyard server, a file, a folder or s3://.',
  },
  version: {
    path: 'staticExport.version',
    scope: 'site',
    variable: 'STATIC_EXPORT_VERSION',
    check: text.pipe(z.string().min(1).max(256)).optional(),
    meaning: 'The only version that is installed.',
  },
  sha256: {
    path: 'staticExport.sha256',
    scope: 'site',
    variable: 'STATIC_EXPORT_SHA256',
    check: text
      .pipe(
        z
          .string()
          .trim()
          .toLowerCase()
          .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
      )
      .optional(),
    meaning: 'The only archive that is installed, by its SHA-256.',
  },
  publicKey: {
    path: 'staticExport.publicKey',
    scope: 'shared',
    variable: 'STATIC_EXPORT_PUBLIC_KEY',
    check: z
      .union([z.string(), z.array(z.string())], { error: 'must be a key, a file, or a list of them' })
      .optional(),
    meaning: 'Keys, or files of keys, one of which must have signed the bundle.',
  },
  refreshFrom: {
    path: 'staticExport.refreshFrom',
    scope: 'site',
    variable: 'STATIC_EXPORT_REFRESH_FROM',
    check: address.optional(),
    meaning: 'Source of newer bundles; accepts the same addresses as bundleUrl. Default: bundleUrl.',
  },
  refreshSeconds: {
    path: 'staticExport.refreshSeconds',
    scope: 'shared',
    variable: 'STATIC_EXPORT_REFRESH_SECONDS',
    check: whole(1, 86_400).default(60),
    meaning: 'Interval between checks for a newer bundle.',
  },
  keep: {
    path: 'staticExport.keep',
    scope: 'shared',
    variable: 'STATIC_EXPORT_KEEP',
    check: whole(1, 1000).default(5),
    meaning: 'Number of releases to keep, including the served one.',
  },
  apiKeyFile: {
    path: 'staticExport.apiKeyFile',
    scope: 'shared',
    variable: 'DOCYARD_API_KEY_FILE',
    deprecatedVariable: 'DOCYARD_KEY_FILE',
    check: text.optional(),
    meaning: 'File with the API key for the stable address. DOCYARD_API_KEY holds the key itself.',
  },
  offline: {
    path: 'offline',
    scope: 'process',
    variable: 'OFFLINE',
    check: onOrOff.default(false),
    meaning: 'Contact no other machine. Bundles come from a folder, a file or docyard bundle import.',
  },
  data: {
    path: 'data',
    scope: 'process',
    variable: 'DATA_DIR',
    check: text.default('./site-data'),
    meaning: 'Folder for releases.',
  },
  port: {
    path: 'port',
    scope: 'process',
    variable: 'PORT',
    check: whole(0, 65_535).default(4480),
    meaning: 'Port to listen on. 0 picks a free one.',
  },
  host: {
    path: 'host',
    scope: 'process',
    variable: 'HOST',
    check: text.pipe(z.string().min(1)).default('127.0.0.1'),
    meaning: 'Address to listen on.',
  },
  statusPort: {
    path: 'statusPort',
    scope: 'process',
    variable: 'STATUS_PORT',
    check: whole(0, 65_535).optional(),
    meaning: 'Separate port for /healthz, /readyz and /metrics.',
  },
  basePath: {
    path: 'basePath',
    scope: 'site',
    variable: 'BASE_PATH',
    check: text
      .pipe(
        z
          .string()
          .regex(/^(\/|(\/[A-Za-z0-9._~-]+)*)$/, 'must begin with a slash and end without one')
          .refine((path) => !path.split('/').includes('..'), 'must not contain ..'),
      )
      .optional(),
    meaning: 'Path below which the site is served, such as /docs. Default: the path it was exported for.',
  },
  hstsSeconds: {
    path: 'hstsSeconds',
    scope: 'shared',
    variable: 'HSTS_SECONDS',
    check: whole(0, 63_072_000).default(0),
    meaning: 'max-age of Strict-Transport-Security. Use it only behind TLS.',
  },
  logLevel: {
    path: 'logLevel',
    scope: 'process',
    variable: 'LOG_LEVEL',
    check: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
    meaning: 'Minimum level of log lines.',
  },
  logFormat: {
    path: 'logFormat',
    scope: 'process',
    variable: 'LOG_FORMAT',
    check: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
    meaning: 'Log format: json or text. Default: text on a terminal, otherwise json.',
  },
  accessLog: {
    path: 'accessLog.format',
    scope: 'process',
    variable: 'ACCESS_LOG',
    check: z.enum(accessLogFormats, { error: `must be one of ${accessLogFormats.join(', ')}` }).optional(),
    meaning: 'Access log: common, combined or json. Off without a value.',
  },
  accessLogFile: {
    path: 'accessLog.file',
    scope: 'process',
    variable: 'ACCESS_LOG_FILE',
    check: text.optional(),
    meaning: 'File of the access log, reopened on SIGHUP and SIGUSR1. Default: standard output.',
  },
  tlsCertFile: {
    path: 'tls.certFile',
    scope: 'shared',
    variable: 'TLS_CERT_FILE',
    check: text.optional(),
    meaning: 'Certificate chain in PEM. With it, the port accepts only HTTPS.',
  },
  tlsKeyFile: {
    path: 'tls.keyFile',
    scope: 'shared',
    variable: 'TLS_KEY_FILE',
    check: text.optional(),
    meaning: 'Private key of the certificate in PEM.',
  },
  redirectPort: {
    path: 'redirectPort',
    scope: 'process',
    variable: 'REDIRECT_PORT',
    check: whole(0, 65_535).optional(),
    meaning: 'Another port that redirects HTTP to HTTPS.',
  },
  defaultSite: {
    path: 'defaultSite',
    scope: 'process',
    variable: 'DEFAULT_SITE',
    check: text.optional(),
    meaning: 'Name of the entry of sites that answers requests for unknown hosts. Default: a 404 response.',
  },
  mcp: {
    path: 'mcp.enabled',
    scope: 'shared',
    variable: 'MCP_ENABLED',
    check: onOrOff.default(true),
    meaning: 'Serve an MCP server for readers at /mcp.',
  },
  ...accessSettings,
  ...answerSettings,
  ...analyticsSettings,
  ...reportSettings,
} as const satisfies Record<string, Setting>;

/** Settings that only an entry of `sites` has, beside the `site` and `shared` settings above. */
export const entrySettings = {
  name: {
    path: 'name',
    check: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'must be lower-case letters, digits, dots, dashes and underscores',
      )
      .optional(),
    meaning: 'Name in commands, logs and metrics. Default: the first host with the base path.',
  },
  host: {
    path: 'host',
    check: z
      .union([hostName.transform((name) => [name]), z.array(hostName).min(1, 'must name a host')], {
        error: 'must be a host name or a list of them, without a port',
      })
      .optional(),
    meaning: 'Host names of the site. Default: every host that no other entry names.',
  },
  data: {
    path: 'data',
    check: text.optional(),
    meaning: 'Folder for releases of the site. Default: sites/<name> in the folder of the process.',
  },
} as const satisfies Record<string, { path: string; check: z.ZodType; meaning: string }>;

function isAddress(value: string): boolean {
  if (/^https?:/i.test(value)) {
    const url = URL.parse(value);
    return url !== null && url.hostname !== '' && url.username === '' && url.password === '';
  }
  return value !== '' && !/^(?!s3:|file:)[a-z][a-z0-9+.-]+:/i.test(value);
}
