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
}

export interface ReleaseStatus extends Pick<Manifest, 'version' | 'commit' | 'committedAt' | 'pages'> {
  id: string;
  signedBy: string | null;
  installedAt: string;
}

export interface Traffic {
  /** Responses by status. */
  answers: Map<number, number>;
  bodyBytes: number;
  requestsUnderWay: number;
  connections: number;
  connectionsRefused: number;
  cachedBytes: number;
}

export interface StatusAnswer {
  status: number;
  type: string;
  body: string;
}

export const statusPaths = ['/healthz', '/readyz', '/metrics'] as const;
export type StatusPath = (typeof statusPaths)[number];

const json = 'application/json; charset=utf-8';
const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';

export function statusAnswer(path: StatusPath, status: SiteStatus, traffic: Traffic): StatusAnswer {
  if (path === '/healthz') return { status: 200, type: json, body: '{"status":"ok"}\n' };
  if (path === '/metrics') {
    return { status: 200, type: prometheusText, body: metricsText(status, traffic) };
  }
  const reason = status.release === null ? 'no release is installed yet' : status.notReadyBecause;
  const body = { status: reason === undefined ? 'ready' : 'not ready', reason, ...status };
  return { status: reason === undefined ? 200 : 503, type: json, body: `${JSON.stringify(body)}\n` };
}

function metricsText(status: SiteStatus, traffic: Traffic): string {
  const { release, lastRefresh } = status;
  const numbers = new MetricsText();
  numbers.add('requests_total', 'counter', 'Responses by status.', byLabel('status', traffic.answers));
  numbers.add('response_body_bytes_total', 'counter', 'Bytes of content sent.', traffic.bodyBytes);
  numbers.add('requests_under_way', 'gauge', 'Requests in progress.', traffic.requestsUnderWay);
  numbers.add('connections', 'gauge', 'Open connections.', traffic.connections);
  numbers.add(
    'connections_refused_total',
    'counter',
    'Connections refused at the limit.',
    traffic.connectionsRefused,
  );
  numbers.add('cached_bytes', 'gauge', 'Content cached in memory.', traffic.cachedBytes);
  numbers.add('resident_memory_bytes', 'gauge', 'Memory of the process.', memoryUsage.rss());
  numbers.add('ready', 'gauge', '1 when a release is served.', release === null ? 0 : 1);
  if (release !== null) {
    const { id, version, commit, signedBy } = release;
    const labels = { release: id, version, commit, signed_by: signedBy };
    numbers.add('release_info', 'gauge', 'Always 1; the labels describe the served release.', [[labels, 1]]);
    numbers.add('release_pages', 'gauge', 'Pages of the served release.', release.pages);
    numbers.add(
      'release_installed_timestamp_seconds',
      'gauge',
      'When the release was installed.',
      seconds(release.installedAt),
    );
    if (release.committedAt !== null) {
      const at = seconds(release.committedAt);
      numbers.add('release_content_timestamp_seconds', 'gauge', 'When its content was committed.', at);
    }
  }
  if (lastRefresh !== null) {
    const at = seconds(lastRefresh.at);
    numbers.add('last_refresh_timestamp_seconds', 'gauge', 'The last refresh.', at);
  }
  const outcomes = byLabel('outcome', Object.entries(status.refreshes));
  numbers.add('refreshes_total', 'counter', 'Refreshes by outcome.', outcomes);
  const refusals = byLabel('reason', Object.entries(status.refusals));
  numbers.add('bundles_refused_total', 'counter', 'Refused bundles by reason.', refusals);
  return numbers.text;
}

type Labels = Record<string, string | null>;

class MetricsText {
  text = '';

  add(
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    values: number | Iterable<[Labels, number]>,
  ): void {
    const full = `docyard_site_${name}`;
    this.text += `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`;
    if (typeof values === 'number') this.text += `${full} ${values}\n`;
    else for (const [labels, value] of values) this.text += `${full}{${labelText(labels)}} ${value}\n`;
  }
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${(value ?? '').replaceAll(/["\\\n]/g, escapedInLabel)}"`)
    .join(',');
}

function escapedInLabel(character: string): string {
  return character === '\n' ? String.raw`\n` : `\\${character}`;
}

function byLabel(label: string, counts: Iterable<[string | number, number]>): [Labels, number][] {
  return [...counts].map(([key, count]) => [{ [label]: String(key) }, count]);
}

function seconds(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}
