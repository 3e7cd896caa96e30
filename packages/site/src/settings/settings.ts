/**
 * Reads and validates all settings of a deployment from a file, the environment and flags. No other module
 * reads the environment.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import type { PublicKey } from '@docyard/bundle';
import { ConfigError } from '../errors.ts';
import { apiKeyOf, type Environment, publicKeysOf } from './keys.ts';
import { closestName } from './closest-name.ts';
import { reportSettingsOf, type ReportSettings } from './report-settings.ts';
import { type logLevels, type Setting, siteSettings } from './settings-table.ts';
import { fileErrorReason } from '../disk/file-error.ts';

export interface SiteSettings {
  dataDir: string;
  port: number;
  host: string;
  /** Null for the port of the site. */
  statusPort: number | null;
  /** Null for the path of the bundle. */
  basePath: string | null;
  /** 0 disables the header. */
  hstsSeconds: number;
  logLevel: (typeof logLevels)[number];
  /** Null for text on a terminal and JSON otherwise. */
  logFormat: 'json' | 'text' | null;
  staticExport: ExportSettings;
  /** Null disables reporting. */
  report: ReportSettings | null;
}

export interface ExportSettings {
  /** When false, nothing is fetched and the installed release is served. */
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

/** Flags override the environment, which overrides the file. */
export interface GivenSettings {
  file?: string | undefined;
  environment: Environment;
  flags?: Partial<Record<FlagName, string>>;
}

export type FlagName = 'data' | 'port' | 'host' | 'statusPort' | 'basePath' | 'logLevel' | 'logFormat';

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
    // The URL may contain a signature.
    const isShown = typeof value !== 'object' && !['bundleUrl', 'refreshFrom'].includes(name);
    const assigns = place.startsWith('--') ? ' ' : '=';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = isShown ? `${place}${assigns}${text}` : place;
    const complaint = parsed.error.issues[0]?.message ?? 'is not valid';
    throw new ConfigError(`${shown}: ${complaint}. ${siteSettings[name].meaning}`);
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

/** YAML is a superset of JSON. Aliases are limited against expansion attacks. */
function readFile(file: string): Record<string, unknown> {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
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
  const near = closestName(name, known);
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

/** URLs are kept; everything else is a path. */
function resolveAddress(value: string, folder: string): string {
  return /^(https?|s3|file):/i.test(value) ? value : resolve(folder, value);
}
