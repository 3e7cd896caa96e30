/**
 * The gate for every setting of a deployment: a file in YAML or JSON, the environment and flags in, checked settings out.
 * What is wrong is told in one sentence that names the setting. Nothing else of a deployment reads the environment.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { PublicKey } from '@docyard/bundle';
import { ConfigError, type Environment } from '../config.ts';
import { apiKeyOf, publicKeysOf } from './given-keys.ts';
import { nearest } from './nearest.ts';
import { reportSettings, reportSettingsOf, type ReportSettings } from './report-settings.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export interface SiteSettings {
  dataDir: string;
  port: number;
  host: string;
  /** Where health and numbers are asked for; null for the port of the site. */
  statusPort: number | null;
  /** Null for what the bundle was made for. */
  basePath: string | null;
  /** Behind a proxy with TLS; 0 for never. */
  hstsSeconds: number;
  logLevel: (typeof levels)[number];
  /** Null for text on a terminal and JSON otherwise. */
  logFormat: 'json' | 'text' | null;
  staticExport: ExportSettings;
  /** Null when nothing is reported. */
  report: ReportSettings | null;
}

export interface ExportSettings {
  /** Off: nothing is fetched; what is installed is served. */
  enabled: boolean;
  bundleUrl: string | null;
  version: string | null;
  sha256: string | null;
  publicKeys: PublicKey[];
  refreshFrom: string | null;
  refreshSeconds: number;
  keep: number;
  /** For the stable address of a Docyard server. */
  apiKey: string | null;
  /** Nothing is fetched from other machines. */
  offline: boolean;
}

/** Flags win over the environment, and that wins over the file. */
export interface GivenSettings {
  file?: string | undefined;
  environment: Environment;
  flags?: Partial<Record<FlagName, string>>;
}

export type FlagName = 'data' | 'port' | 'host' | 'statusPort' | 'basePath' | 'logLevel' | 'logFormat';

const whole = (least: number, most: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

/** A value of YAML that looks like a number is meant as text: `version: 2.1`. */
const text = z.union([z.string(), z.number().transform(String)], { error: 'must be text' });
const address = text.refine(isAddress, {
  error: 'must be an http or https address, s3://bucket/…, a file or a folder',
});
const onOrOff = z.union([z.boolean(), z.stringbool({ error: 'must be on or off' })], {
  error: 'must be on or off',
});

interface Setting {
  check: z.ZodType;
  /** Its place in the file. */
  path: string;
  variable: string;
  /** Its earlier name, which still works. */
  deprecatedVariable?: string;
  meaning: string;
}

/** Every setting: where it stands in the file, its variable and one line of meaning. The manual's table is held to it. */
export const siteSettings = {
  enabled: {
    path: 'staticExport.enabled',
    variable: 'STATIC_EXPORT_ENABLED',
    check: onOrOff.default(true),
    meaning: 'Off: nothing is fetched, and what is installed is served on.',
  },
  bundleUrl: {
    path: 'staticExport.bundleUrl',
    variable: 'STATIC_EXPORT_BUNDLE_URL',
    check: address.optional(),
    meaning:
      'The bundle to serve: a link, the stable address of a Docyard server, a file, a folder or s3://.',
  },
  version: {
    path: 'staticExport.version',
    variable: 'STATIC_EXPORT_VERSION',
    check: text.pipe(z.string().min(1).max(256)).optional(),
    meaning: 'The only version that is installed.',
  },
  sha256: {
    path: 'staticExport.sha256',
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
    variable: 'STATIC_EXPORT_PUBLIC_KEY',
    check: z
      .union([z.string(), z.array(z.string())], { error: 'must be a key, a file, or a list of them' })
      .optional(),
    meaning: 'Keys, or files of keys, one of which must have signed the bundle.',
  },
  refreshFrom: {
    path: 'staticExport.refreshFrom',
    variable: 'STATIC_EXPORT_REFRESH_FROM',
    check: address.optional(),
    meaning: 'Where newer bundles come from, in the forms of bundleUrl. Default: bundleUrl.',
  },
  refreshSeconds: {
    path: 'staticExport.refreshSeconds',
    variable: 'STATIC_EXPORT_REFRESH_SECONDS',
    check: whole(1, 86_400).default(60),
    meaning: 'How often it is asked for something newer.',
  },
  keep: {
    path: 'staticExport.keep',
    variable: 'STATIC_EXPORT_KEEP',
    check: whole(1, 1000).default(5),
    meaning: 'Releases that are kept, the served one included.',
  },
  apiKeyFile: {
    path: 'staticExport.apiKeyFile',
    variable: 'DOCYARD_API_KEY_FILE',
    deprecatedVariable: 'DOCYARD_KEY_FILE',
    check: text.optional(),
    meaning: 'File with the API key for the stable address. DOCYARD_API_KEY holds the key itself.',
  },
  offline: {
    path: 'offline',
    variable: 'OFFLINE',
    check: onOrOff.default(false),
    meaning: 'Reach no other machine: bundles come from a folder, a file or docyard bundle import.',
  },
  data: {
    path: 'data',
    variable: 'DATA_DIR',
    check: text.default('./site-data'),
    meaning: 'Folder for releases.',
  },
  port: {
    path: 'port',
    variable: 'PORT',
    check: whole(0, 65_535).default(4480),
    meaning: 'Port to listen on. 0 picks a free one.',
  },
  host: {
    path: 'host',
    variable: 'HOST',
    check: text.pipe(z.string().min(1)).default('127.0.0.1'),
    meaning: 'Address to listen on.',
  },
  statusPort: {
    path: 'statusPort',
    variable: 'STATUS_PORT',
    check: whole(0, 65_535).optional(),
    meaning: 'Another port for /healthz, /readyz and /metrics.',
  },
  basePath: {
    path: 'basePath',
    variable: 'BASE_PATH',
    check: text
      .pipe(
        z
          .string()
          .regex(/^(\/|(\/[A-Za-z0-9._~-]+)*)$/, 'must begin with a slash and end without one')
          .refine((path) => !path.split('/').includes('..'), 'must have no .. in it'),
      )
      .optional(),
    meaning: 'Path below which the site is served, such as /docs. Default: what it was exported for.',
  },
  hstsSeconds: {
    path: 'hstsSeconds',
    variable: 'HSTS_SECONDS',
    check: whole(0, 63_072_000).default(0),
    meaning: 'For how long browsers are told to insist on https. Only with TLS in front.',
  },
  logLevel: {
    path: 'logLevel',
    variable: 'LOG_LEVEL',
    check: z.enum(levels, { error: `must be one of ${levels.join(', ')}` }).default('info'),
    meaning: 'How much is logged.',
  },
  logFormat: {
    path: 'logFormat',
    variable: 'LOG_FORMAT',
    check: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
    meaning: 'Form of the log: json or text. Default: text on a terminal, otherwise json.',
  },
  ...reportSettings,
} as const satisfies Record<string, Setting>;

type Name = keyof typeof siteSettings;
const names = Object.keys(siteSettings) as Name[];

export function readSettings({ file, environment, flags = {} }: GivenSettings): SiteSettings {
  const inFile = file === undefined ? {} : readFile(file);
  refuseUnknownVariables(environment);
  const given = (name: Name): { value: unknown; place: string } => {
    const { path, variable, deprecatedVariable = variable }: Setting = siteSettings[name];
    const flag = Object.hasOwn(flags, name) ? flags[name as FlagName] : undefined;
    if (flag !== undefined) return { value: flag, place: `--${dashed(name)}` };
    for (const each of [variable, deprecatedVariable]) {
      const set = environment[each];
      if (set !== undefined && set !== '') return { value: set, place: each };
    }
    return { value: valueAt(inFile, path), place: path };
  };
  const read = <N extends Name>(name: N): z.output<(typeof siteSettings)[N]['check']> => {
    const { value, place } = given(name);
    const parsed = siteSettings[name].check.safeParse(value === null || value === '' ? undefined : value);
    if (parsed.success) return parsed.data as z.output<(typeof siteSettings)[N]['check']>;
    // The signature of a link stands in its address.
    const isShown = typeof value !== 'object' && !['bundleUrl', 'refreshFrom'].includes(name);
    const shown = isShown ? `${place}=${JSON.stringify(value)}` : place;
    const complaint = parsed.error.issues[0]?.message ?? 'is not valid';
    throw new ConfigError(`${shown} ${complaint}. ${siteSettings[name].meaning}`);
  };
  /** Paths in the file are relative to the file. */
  const located = (name: 'bundleUrl' | 'refreshFrom' | 'apiKeyFile' | 'data' | 'reportKeyFile') => {
    const value = read(name);
    const isOfFile = file !== undefined && given(name).place === siteSettings[name].path;
    return value === undefined ? null : resolveAddress(value, isOfFile ? dirname(resolve(file)) : '.');
  };
  const keyFolder =
    file !== undefined && given('publicKey').place === siteSettings.publicKey.path
      ? dirname(resolve(file))
      : '.';
  const publicKey = read('publicKey');
  return {
    dataDir: located('data') ?? '',
    port: read('port'),
    host: read('host'),
    statusPort: read('statusPort') ?? null,
    basePath: read('basePath') ?? null,
    hstsSeconds: read('hstsSeconds'),
    logLevel: read('logLevel'),
    logFormat: read('logFormat') ?? null,
    staticExport: {
      enabled: read('enabled'),
      bundleUrl: located('bundleUrl'),
      version: read('version') ?? null,
      sha256: read('sha256') ?? null,
      publicKeys: publicKey === undefined ? [] : publicKeysOf(publicKey, keyFolder),
      refreshFrom: located('refreshFrom'),
      refreshSeconds: read('refreshSeconds'),
      keep: read('keep'),
      apiKey: apiKeyOf(environment, located('apiKeyFile')),
      offline: read('offline'),
    },
    report: reportSettingsOf(
      {
        url: read('reportUrl'),
        keyFile: located('reportKeyFile'),
        name: read('reportName'),
        siteUrl: read('reportSiteUrl'),
        seconds: read('reportSeconds'),
        rollback: read('reportRollback'),
      },
      environment,
    ),
  };
}

/** YAML is a superset of JSON. Aliases are limited, so that a small file stays small. */
function readFile(file: string): Record<string, unknown> {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  let value: unknown;
  try {
    value = parseYaml(source, { maxAliasCount: 100, prettyErrors: true }) ?? {};
  } catch (error) {
    throw new ConfigError(`${file} is neither YAML nor JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  if (!isMap(value))
    throw new ConfigError(`${file} must hold settings, such as staticExport: { bundleUrl: … }.`);
  refuseUnknownKeys(file, value);
  return value;
}

function refuseUnknownKeys(file: string, value: Record<string, unknown>): void {
  const known = names.map((name) => siteSettings[name].path as string);
  const given = Object.entries(value).flatMap(([key, content]) => {
    if (!sections.includes(key)) return [key];
    if (content !== null && !isMap(content))
      throw new ConfigError(`${file}: ${key} must hold settings, such as ${exampleOf(key, known)}.`);
    return Object.keys(content ?? {}).map((inner) => `${key}.${inner}`);
  });
  for (const path of given) {
    if (!known.includes(path)) {
      const near = didYouMean(path, [...sections, ...known]);
      throw new ConfigError(`${file}: there is no setting ${path}.${near}`);
    }
  }
}

const sections = ['staticExport', 'report'];

function exampleOf(section: string, known: readonly string[]): string {
  const names = known.filter((path) => path.startsWith(`${section}.`));
  return names
    .map((path) => path.slice(section.length + 1))
    .slice(0, 3)
    .join(', ');
}

function refuseUnknownVariables(environment: Environment): void {
  const known = names.map((name) => siteSettings[name].variable as string);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('STATIC_EXPORT_') && !known.includes(name))
      throw new ConfigError(`There is no setting ${name}.${didYouMean(name, known)}`);
  }
}

function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? ` Known: ${known.join(', ')}.` : ` Did you mean ${near}?`;
}

function valueAt(settings: Record<string, unknown>, path: string): unknown {
  let value: unknown = settings;
  for (const key of path.split('.')) {
    if (!isMap(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const dashed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function isAddress(value: string): boolean {
  if (/^https?:/i.test(value)) {
    const url = URL.parse(value);
    return url !== null && url.hostname !== '' && url.username === '' && url.password === '';
  }
  return value !== '' && !/^(?!s3:|file:)[a-z][a-z0-9+.-]+:/i.test(value);
}

/** Addresses stay as they are; everything else is a path. */
function resolveAddress(value: string, folder: string): string {
  return /^(https?|s3|file):/i.test(value) ? value : resolve(folder, value);
}
