/** Settings for reporting to a service; disabled without `report.url`. */
import { hostname } from 'node:os';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { type Environment, readKeyFile } from './keys.ts';

export interface ReportSettings {
  /** Of the service. */
  url: string;
  apiKey: string;
  name: string;
  siteUrl: string | null;
  seconds: number;
  acceptsInstructions: boolean;
}

const serviceUrl = z
  .url({ protocol: /^https?$/, error: 'must be the http or https address of a service' })
  .transform((url) => url.replace(/\/$/, ''));
const flag = z.union([z.boolean(), z.stringbool({ error: 'must be on or off' })], {
  error: 'must be on or off',
});
const maxName = 63;

export const reportSettings = {
  reportUrl: {
    path: 'report.url',
    scope: 'shared',
    variable: 'REPORT_URL',
    check: serviceUrl.optional(),
    meaning: 'Address of the service to report to. Nothing is reported without it.',
  },
  reportKeyFile: {
    path: 'report.apiKeyFile',
    scope: 'shared',
    variable: 'REPORT_KEY_FILE',
    check: z.string().optional(),
    meaning: 'File with an API key that has the scope deployments:report. REPORT_KEY holds the key itself.',
  },
  reportName: {
    path: 'report.name',
    scope: 'site',
    variable: 'REPORT_NAME',
    check: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'must be lower-case letters, digits, dots, dashes and underscores',
      )
      .optional(),
    meaning: 'Name of this site in the list of deployments. Default: the host name.',
  },
  reportSiteUrl: {
    path: 'report.siteUrl',
    scope: 'site',
    variable: 'REPORT_SITE_URL',
    check: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'Where readers find this site.',
  },
  reportSeconds: {
    path: 'report.seconds',
    scope: 'shared',
    variable: 'REPORT_SECONDS',
    check: z.coerce
      .number({ error: 'must be a number' })
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(3600, 'must be at most 3600')
      .default(30),
    meaning: 'How often the site reports.',
  },
  reportRollback: {
    path: 'report.rollback',
    scope: 'shared',
    variable: 'REPORT_ROLLBACK',
    check: flag.default(false),
    meaning: 'On: the service may roll this site back to a release that it keeps, and resume it.',
  },
} as const;

interface GivenReport {
  url: string | undefined;
  keyFile: string | null;
  name: string | undefined;
  siteUrl: string | undefined;
  seconds: number;
  rollback: boolean;
}

export function reportSettingsOf(given: GivenReport, environment: Environment): ReportSettings | null {
  const { url, keyFile, name, siteUrl, seconds, rollback } = given;
  if (url === undefined) return null;
  return {
    url,
    apiKey: keyOf(environment, keyFile),
    name: name ?? nameOfHost(),
    siteUrl: siteUrl ?? null,
    seconds,
    acceptsInstructions: rollback,
  };
}

function keyOf(environment: Environment, file: string | null): string {
  const given = environment['REPORT_KEY']?.trim();
  if (given !== undefined && given !== '') return given;
  if (file === null)
    throw new ConfigError('report.url is set without a key. Set report.apiKeyFile or REPORT_KEY.');
  return readKeyFile(file);
}

function nameOfHost(): string {
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-');
  return /^[a-z0-9]/.test(name) ? name.slice(0, maxName) : 'site';
}
