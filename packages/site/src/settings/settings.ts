/**
 * Reads and validates all settings of a deployment from a file, the environment and flags. No other module
 * reads the environment.
 */
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import type { ContentKey, PublicKey } from '@docyard/bundle';
import { ConfigError } from '../errors.ts';
import type { AnalyticsSettings } from '../analytics/analytics-settings.ts';
import type { AccessSettings } from '../access/access-settings.ts';
import type { AnswerSettings } from '../answers/answer-settings.ts';
import { apiKeyOf, contentKeyOf, type Environment, publicKeysOf } from './keys.ts';
import type { AccessLogFormat } from '../serving/access-log-line.ts';
import type { CertificateFiles } from '../serving/certificates.ts';
import type { PublicAddress } from '../serving/request-origin.ts';
import { closestName } from './closest-name.ts';
import { accessOf, analyticsOf, answersOf } from './reader-settings.ts';
import { reportSettingsOf, type ReportSettings } from './report-settings.ts';
import { entrySettings, type logLevels, type Setting, siteSettings } from './settings-table.ts';
import { type FileSection, openSettingsFile } from './settings-file.ts';
import { checked, type SettingName, SettingsReader } from './settings-reader.ts';
import { refuseConflicts } from './site-conflicts.ts';

/** With a list of sites, the settings of a site at the top are those that entries inherit. */
export interface SiteSettings extends SettingsOfSite {
  port: number;
  host: string;
  /** Null for the port of the site. */
  statusPort: number | null;
  redirectPort: number | null;
  logLevel: (typeof logLevels)[number];
  /** Null for text on a terminal and JSON otherwise. */
  logFormat: 'json' | 'text' | null;
  /** `file` is null for standard output. */
  accessLog: { format: AccessLogFormat; file: string | null } | null;
  /** Null for one site. */
  sites: NamedSite[] | null;
  defaultSite: string | null;
}

export interface SettingsOfSite {
  dataDir: string;
  /** Null for the path of the bundle. */
  basePath: string | null;
  /** 0 disables the header. */
  hstsSeconds: number;
  tls: CertificateFiles | null;
  staticExport: ExportSettings;
  /** Null disables reporting. */
  report: ReportSettings | null;
  /** Null for a public site. */
  access: AccessSettings | null;
  /** Whether readers can use the MCP server of the site. */
  mcp: boolean;
  /** Null without an assistant. */
  answers: AnswerSettings | null;
  /** Null when off. */
  analytics: (AnalyticsSettings & PublicAddress) | null;
}

/** An entry of `sites`. */
export interface NamedSite {
  name: string;
  /** Empty for every host that no other entry names. */
  hosts: readonly string[];
  basePath: string | null;
  dataDir: string;
  hstsSeconds: number;
  tls: CertificateFiles | null;
  /** A site whose key files cannot be read must not stop the others. */
  settings: SettingsOfSite | ConfigError;
}

export interface ExportSettings {
  /** When false, nothing is fetched and the installed release is served. */
  enabled: boolean;
  bundleUrl: string | null;
  version: string | null;
  sha256: string | null;
  publicKeys: PublicKey[];
  /** Opens the pages for groups; null without a key. */
  contentKey: ContentKey | null;
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

export type FlagName =
  | 'data'
  | 'port'
  | 'host'
  | 'statusPort'
  | 'basePath'
  | 'logLevel'
  | 'logFormat'
  | 'accessLog'
  | 'accessLogFile'
  | 'tlsCertFile'
  | 'tlsKeyFile'
  | 'redirectPort';

const names = Object.keys(siteSettings) as SettingName[];

export function readSettings({ file, environment, flags = {} }: GivenSettings): SiteSettings {
  const inFile = file === undefined ? undefined : openSettingsFile(file);
  const folder = inFile?.folder ?? '.';
  refuseUnknownVariables(environment);
  const top = new SettingsReader((name) => {
    const { path, variable, deprecatedVariable = variable }: Setting = siteSettings[name];
    const flag = Object.hasOwn(flags, name) ? flags[name as FlagName] : undefined;
    if (flag !== undefined) return { value: flag, place: `--${dashed(name)}`, folder: '.' };
    for (const each of [variable, deprecatedVariable]) {
      const set = environment[each];
      if (set !== undefined && set !== '') return { value: set, place: each, folder: '.' };
    }
    return { value: inFile?.valueOf(path), place: inFile?.placeOf(path) ?? path, folder };
  });
  const dataDir = top.address('data') ?? '';
  const entries = inFile?.entries ?? null;
  if (entries !== null) refuseSettingsOfOneSite(top);
  const sites = entries?.map((entry) => readEntry(entry, { top, environment, folder, dataDir })) ?? null;
  const settings: SiteSettings = {
    ...settingsOfSite(top, environment, { dataDir, readsKeys: sites === null }),
    port: top.read('port'),
    host: top.read('host'),
    statusPort: top.read('statusPort') ?? null,
    redirectPort: top.read('redirectPort') ?? null,
    logLevel: top.read('logLevel'),
    logFormat: top.read('logFormat') ?? null,
    accessLog: accessLogOf(top),
    sites,
    defaultSite: top.read('defaultSite') ?? null,
  };
  refuseConflicts(settings);
  return settings;
}

interface SharedParts {
  top: SettingsReader;
  environment: Environment;
  folder: string;
  dataDir: string;
}

function readEntry(entry: FileSection, { top, environment, folder, dataDir }: SharedParts): NamedSite {
  const own = <N extends keyof typeof entrySettings>(name: N, value = entry.valueOf(name)) =>
    checked(entrySettings[name], { value, place: entry.placeOf(name) }) as z.output<
      (typeof entrySettings)[N]['check']
    >;
  const reader = new SettingsReader((name) => {
    const { path, scope }: Setting = siteSettings[name];
    const value = entry.valueOf(path);
    const isOwn = scope === 'site' || (value !== undefined && value !== null && value !== '');
    return isOwn ? { value, place: entry.placeOf(path), folder } : top.given(name);
  });
  const hosts = own('host') ?? [];
  const basePath = reader.read('basePath') ?? null;
  const name = own('name') ?? own('name', nameOf(hosts, basePath, entry)) ?? '';
  const data = own('data');
  // The key of the environment is for entries without a key file.
  const hasOwn = (path: string) => (entry.valueOf(path) ?? '') !== '';
  const variables = Object.entries(environment).filter(
    ([variable]) =>
      !(hasOwn('staticExport.apiKeyFile') && ['DOCYARD_API_KEY', 'DOCYARD_KEY'].includes(variable)) &&
      !(hasOwn('report.apiKeyFile') && variable === 'REPORT_KEY'),
  );
  const tls = certificateOf(reader);
  const ownFolder = data === undefined ? join(dataDir, 'sites', name) : resolve(folder, data);
  // Wrong values end the start, key files that cannot be read do not.
  settingsOfSite(reader, {}, { dataDir: ownFolder, readsKeys: false });
  const settings = settingsOrError(() =>
    settingsOfSite(reader, Object.fromEntries(variables), { dataDir: ownFolder, readsKeys: true }),
  );
  const hstsSeconds = reader.read('hstsSeconds');
  return { name, hosts, basePath, dataDir: ownFolder, hstsSeconds, tls, settings };
}

function settingsOrError(read: () => SettingsOfSite): SettingsOfSite | ConfigError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function nameOf(hosts: readonly string[], basePath: string | null, entry: FileSection): string {
  const parts = [...hosts.slice(0, 1), ...(basePath ?? '').split('/')].filter((part) => part !== '');
  if (parts.length > 0) return parts.join('-').toLowerCase();
  throw new ConfigError(`${entry.placeOf('name')} is missing. ${entrySettings.name.meaning}`);
}

function settingsOfSite(
  reader: SettingsReader,
  environment: Environment,
  { dataDir, readsKeys }: { dataDir: string; readsKeys: boolean },
): SettingsOfSite {
  const publicKey = reader.read('publicKey');
  const keyFolder = reader.given('publicKey').folder;
  const apiKeyFile = reader.address('apiKeyFile');
  const contentKeyFile = reader.address('accessContentKeyFile');
  const report = {
    url: reader.read('reportUrl'),
    keyFile: reader.address('reportKeyFile'),
    name: reader.read('reportName'),
    siteUrl: reader.read('reportSiteUrl'),
    seconds: reader.read('reportSeconds'),
    rollback: reader.read('reportRollback'),
  };
  return {
    dataDir,
    basePath: reader.read('basePath') ?? null,
    hstsSeconds: reader.read('hstsSeconds'),
    tls: certificateOf(reader),
    staticExport: {
      enabled: reader.read('enabled'),
      bundleUrl: reader.address('bundleUrl'),
      version: reader.read('version') ?? null,
      sha256: reader.read('sha256') ?? null,
      publicKeys: readsKeys && publicKey !== undefined ? publicKeysOf(publicKey, keyFolder) : [],
      contentKey: readsKeys && contentKeyFile !== null ? contentKeyOf(contentKeyFile) : null,
      refreshFrom: reader.address('refreshFrom'),
      refreshSeconds: reader.read('refreshSeconds'),
      keep: reader.read('keep'),
      apiKey: readsKeys ? apiKeyOf(environment, apiKeyFile) : null,
      offline: reader.read('offline'),
    },
    report: readsKeys ? reportSettingsOf(report, environment) : null,
    access: readsKeys ? accessOf(reader) : null,
    mcp: reader.read('mcp'),
    answers: readsKeys ? answersOf(reader) : null,
    analytics: analyticsOf(reader),
  };
}

function certificateOf(reader: SettingsReader): CertificateFiles | null {
  const certFile = reader.address('tlsCertFile');
  const keyFile = reader.address('tlsKeyFile');
  if (certFile === null && keyFile === null) return null;
  if (certFile === null || keyFile === null) {
    const [there, missing] =
      keyFile === null ? (['tlsCertFile', 'tlsKeyFile'] as const) : (['tlsKeyFile', 'tlsCertFile'] as const);
    throw new ConfigError(
      `${reader.given(there).place} is set without ${siteSettings[missing].path}. TLS needs both files.`,
    );
  }
  return { certFile, keyFile };
}

function accessLogOf(reader: SettingsReader): SiteSettings['accessLog'] {
  const format = reader.read('accessLog');
  const file = reader.address('accessLogFile');
  if (format !== undefined) return { format, file };
  if (file === null) return null;
  throw new ConfigError(
    `${reader.given('accessLogFile').place} is set without ${siteSettings.accessLog.path}. Set it to common, combined or json.`,
  );
}

/** Those of the file are refused with it. */
function refuseSettingsOfOneSite(top: SettingsReader): void {
  for (const name of names) {
    if (siteSettings[name].scope === 'site' && top.has(name))
      throw new ConfigError(
        `${top.given(name).place} is a setting of one site. Set ${siteSettings[name].path} in an entry of sites.`,
      );
  }
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

const dashed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
