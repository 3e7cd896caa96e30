/** Responses for /healthz, /readyz and /metrics. Metrics are formatted by hand, because there are few. */
import { memoryUsage } from 'node:process';
import type { Manifest } from '@docyard/bundle';

export interface SiteStatus {
  /** Null until the first installation. */
  release: ReleaseStatus | null;
  /** Null before the first refresh. */
  lastRefresh: { at: string; outcome: string; detail?: string | undefined } | null;
  /** Refreshes by outcome, and refused bundles by reason. */
  refreshes: Readonly<Record<string, number>>;
  refusals: Readonly<Record<string, number>>;
  /** Why load balancers should not send requests here although a site is served. */
  notReadyBecause?: string | undefined;
  /** `served`, or why they are not. Absent for a release without pages for groups. */
  restrictedPages?: string | undefined;
  /** Until the first refresh has ended. */
  isStarting?: boolean | undefined;
}

export interface ReleaseStatus extends Pick<Manifest, 'version' | 'commit' | 'committedAt' | 'pages'> {
  id: string;
  signedBy: string | null;
  installedAt: string;
}

export interface SiteTraffic {
  /** Responses by status. */
  answers: ReadonlyMap<number, number>;
  bodyBytes: number;
  requestsUnderWay: number;
  cachedBytes: number;
}

export interface ProcessTraffic {
  /** Responses to requests that belong to no site, by status. */
  unrouted: ReadonlyMap<number, number>;
  connections: number;
  connectionsRefused: number;
  accessLogDropped: number;
  /** End of validity by certificate file. */
  certificates: readonly { file: string; date: Date }[];
}

export interface ReportedSite {
  /** Null for the only site. */
  name: string | null;
  status: SiteStatus;
  traffic: SiteTraffic;
}

export interface StatusAnswer {
  status: number;
  type: string;
  body: string;
}

const statusPaths = ['/healthz', '/readyz', '/metrics'] as const;
const readinessOfSite = '/readyz/';

const json = 'application/json; charset=utf-8';
const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';

/** Whether a status is at the path; `/readyz/<name>` is the status of one of several sites. */
export function isStatusPath(path: string): boolean {
  return statusPaths.some((each) => each === path) || path.startsWith(readinessOfSite);
}

/** Undefined for a site that does not exist. */
export function statusAnswer(
  path: string,
  sites: readonly ReportedSite[],
  traffic: ProcessTraffic,
): StatusAnswer | undefined {
  if (path === '/healthz') return { status: 200, type: json, body: '{"status":"ok"}\n' };
  if (path === '/metrics') return { status: 200, type: prometheusText, body: metricsText(sites, traffic) };
  const name = path.startsWith(readinessOfSite) ? path.slice(readinessOfSite.length) : null;
  const only = sites.find((site) => site.name === name);
  if (only !== undefined) return readinessAnswer(readinessOf(only.status));
  return name === null ? readinessAnswer(readinessOfAll(sites)) : undefined;
}

interface Readiness {
  reason: string | undefined;
  [fact: string]: unknown;
}

function readinessAnswer({ reason, ...facts }: Readiness): StatusAnswer {
  const body = { status: reason === undefined ? 'ready' : 'not ready', reason, ...facts };
  return { status: reason === undefined ? 200 : 503, type: json, body: `${JSON.stringify(body)}\n` };
}

function readinessOf(status: SiteStatus): Readiness {
  const { notReadyBecause, ...facts } = status;
  const reason = notReadyBecause ?? (status.release === null ? 'no release is installed yet' : undefined);
  return { reason, ...facts };
}

/** A site that cannot be served must not stop requests for the others. */
function readinessOfAll(sites: readonly ReportedSite[]): Readiness {
  const all = sites.map(({ name, status }) => ({ name, status, reason: readinessOf(status).reason }));
  const starting = all.filter(({ status, reason }) => status.isStarting === true && reason !== undefined);
  const isServing = all.some(({ reason }) => reason === undefined);
  const reason =
    starting.length > 0
      ? `starting: ${starting.map(({ name }) => name).join(', ')}`
      : isServing
        ? undefined
        : 'no site is served';
  const bySite = sites.map(({ name, status }) => {
    const { reason: ownReason, ...facts } = readinessOf(status);
    return [name, { status: ownReason === undefined ? 'ready' : 'not ready', reason: ownReason, ...facts }];
  });
  return { reason, sites: Object.fromEntries(bySite) as object };
}

type Sample = [labels: Labels, value: number];

function metricsText(sites: readonly ReportedSite[], traffic: ProcessTraffic): string {
  const numbers = new MetricsText();
  /** Several sites are distinguished by a label. */
  const each = (samplesOf: (site: ReportedSite) => Iterable<Sample> | number | undefined): Sample[] =>
    sites.flatMap((site) => {
      const samples = samplesOf(site) ?? [];
      const own: Labels = site.name === null ? {} : { site: site.name };
      const list: Iterable<Sample> = typeof samples === 'number' ? [[{}, samples]] : samples;
      return [...list].map(([labels, value]): Sample => [{ ...own, ...labels }, value]);
    });
  const ofRelease = (valueOf: (release: ReleaseStatus) => Iterable<Sample> | number | undefined) =>
    each(({ status: { release } }) => (release === null ? undefined : valueOf(release)));
  const unrouted = byLabel('status', traffic.unrouted).map(([labels, value]): Sample => {
    return [{ site: '', ...labels }, value];
  });
  const answers = [...each((site) => byLabel('status', site.traffic.answers)), ...unrouted];
  numbers.add('requests_total', 'counter', 'Responses by status.', answers);
  const bodyBytes = each((site) => site.traffic.bodyBytes);
  numbers.add('response_body_bytes_total', 'counter', 'Bytes of content sent.', bodyBytes);
  const underWay = each((site) => site.traffic.requestsUnderWay);
  numbers.add('requests_under_way', 'gauge', 'Requests in progress.', underWay);
  numbers.add('connections', 'gauge', 'Open connections.', traffic.connections);
  const { connectionsRefused, accessLogDropped, certificates } = traffic;
  numbers.add(
    'connections_refused_total',
    'counter',
    'Connections refused at the limit.',
    connectionsRefused,
  );
  numbers.add('access_log_dropped_total', 'counter', 'Lines that were not written.', accessLogDropped);
  const ends = certificates.map(({ file, date }): Sample => [{ file }, date.getTime() / 1000]);
  numbers.add('certificate_not_after_timestamp_seconds', 'gauge', 'End of validity of a certificate.', ends);
  const cachedBytes = each((site) => site.traffic.cachedBytes);
  numbers.add('cached_bytes', 'gauge', 'Content cached in memory.', cachedBytes);
  numbers.add('resident_memory_bytes', 'gauge', 'Memory of the process.', memoryUsage.rss());
  const ready = each(({ status }) => (status.release === null ? 0 : 1));
  numbers.add('ready', 'gauge', '1 when a release is served.', ready);
  numbers.addIfAny(
    'release_info',
    'Always 1; the labels describe the served release.',
    ofRelease(({ id, version, commit, signedBy }) => [
      [{ release: id, version, commit, signed_by: signedBy }, 1],
    ]),
  );
  const pages = ofRelease((release) => release.pages);
  numbers.addIfAny('release_pages', 'Pages of the served release.', pages);
  const installed = ofRelease(({ installedAt }) => seconds(installedAt));
  numbers.addIfAny('release_installed_timestamp_seconds', 'When the release was installed.', installed);
  const committed = ofRelease(({ committedAt }) => (committedAt === null ? undefined : seconds(committedAt)));
  numbers.addIfAny('release_content_timestamp_seconds', 'When its content was committed.', committed);
  const refreshed = each(({ status }) =>
    status.lastRefresh === null ? undefined : seconds(status.lastRefresh.at),
  );
  numbers.addIfAny('last_refresh_timestamp_seconds', 'The last refresh.', refreshed);
  const outcomes = each(({ status }) => byLabel('outcome', Object.entries(status.refreshes)));
  numbers.add('refreshes_total', 'counter', 'Refreshes by outcome.', outcomes);
  const refusals = each(({ status }) => byLabel('reason', Object.entries(status.refusals)));
  numbers.add('bundles_refused_total', 'counter', 'Refused bundles by reason.', refusals);
  return numbers.text;
}

type Labels = Record<string, string | null>;

class MetricsText {
  text = '';

  add(name: string, type: 'counter' | 'gauge', help: string, values: number | readonly Sample[]): void {
    const full = `docyard_site_${name}`;
    this.text += `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`;
    const samples: readonly Sample[] = typeof values === 'number' ? [[{}, values]] : values;
    for (const [labels, value] of samples) this.text += `${full}${labelText(labels)} ${value}\n`;
  }

  addIfAny(name: string, help: string, samples: readonly Sample[]): void {
    if (samples.length > 0) this.add(name, 'gauge', help, samples);
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels)
    .map(([name, value]) => `${name}="${(value ?? '').replaceAll(/["\\\n]/g, escapedInLabel)}"`)
    .join(',');
  return pairs === '' ? '' : `{${pairs}}`;
}

function escapedInLabel(character: string): string {
  return character === '\n' ? String.raw`\n` : `\\${character}`;
}

function byLabel(label: string, counts: Iterable<[string | number, number]>): Sample[] {
  return [...counts].map(([key, count]): Sample => [{ [label]: String(key) }, count]);
}

function seconds(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}
