/** The dashboard and the alert rules of deploy/monitoring use only metrics that /metrics offers. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operations } from '@docyard/api';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { compose, openTelemetry } from '../packages/server/src/compose.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { prepareDataFolder } from '../packages/server/src/data-folder.ts';
import {
  cleanUp,
  createExport,
  createTenant,
  createTestProject,
  serveForTest,
  temporaryFolder,
} from '../packages/server/test/support/test-context.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../deploy/monitoring/${name}`, import.meta.url)), 'utf8');

interface Dashboard {
  title: string;
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: {
    id: number;
    type: string;
    title: string;
    gridPos: { h: number; w: number; x: number; y: number };
    targets?: { expr: string; legendFormat: string; refId: string }[];
  }[];
}

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const alerts = parseYaml(read('prometheus-alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = alerts.groups.flatMap((group) => group.rules);

/** Grafana replaces its variables before Prometheus parses the query. */
const queried: [where: string, expression: string][] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [
      title,
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    ]),
  ),
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
];

interface Selector {
  metric: string;
  matchers: { label: string; value: string }[];
}

interface Query {
  selectors: Selector[];
  grouping: string[];
  hasError: boolean;
}

function parseQuery(text: string): Query {
  const query: Query = { selectors: [], grouping: [], hasError: false };
  const ancestors: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, name, from, to }) => {
      const part = text.slice(from, to);
      if (type.isError) query.hasError = true;
      if (name === 'VectorSelector') query.selectors.push({ metric: '', matchers: [] });
      const selector = query.selectors.at(-1);
      if (name === 'Identifier' && selector !== undefined) selector.metric = part;
      if (name === 'LabelName' && ancestors.includes('GroupingLabels')) query.grouping.push(part);
      else if (name === 'LabelName') selector?.matchers.push({ label: part, value: '' });
      const matcher = selector?.matchers.at(-1);
      if (name === 'StringLiteral' && matcher !== undefined) matcher.value = part.slice(1, -1);
      ancestors.push(name);
    },
    leave: () => void ancestors.pop(),
  });
  return query;
}

/** Labels and the metric that Prometheus adds to every target. */
const labelsOfTargets = ['instance', 'job'];
const offered = new Map<string, Set<string>>([['up', new Set()]]);

beforeAll(async () => {
  const config = readConfig({ DATA_DIR: temporaryFolder('monitoring'), LOG_LEVEL: 'silent' });
  await prepareDataFolder(config.dataDir);
  const context = await compose(config, await openTelemetry(config));
  cleanUp(() => context.close());
  const { measures } = context;
  measures.jobStarted({ kind: 'export', waitSeconds: 1 });
  measures.phaseEnded({ kind: 'export', phase: 'rendering', seconds: 1 });
  measures.jobEnded({ kind: 'export', outcome: 'completed', seconds: 1 });
  measures.webhookAttempted('delivered');
  measures.s3Requested({ operation: 'PutObject', seconds: 0.1, failed: true });
  const tenant = await createTenant(context);
  await createExport(context, tenant, await createTestProject(context, tenant));
  const service = await serveForTest(context);
  await service.request('/v1/me');
  const text = await (await service.request('/metrics')).text();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{([^}]*)\})? /gm)) {
    const known = offered.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    offered.set(name, known);
  }
});

describe('every query of the dashboard and the alert rules', () => {
  test.each(queried)('%s parses: %s', (_where, expression) => {
    const { hasError, selectors } = parseQuery(expression);
    expect(hasError).toBe(false);
    expect(selectors.length).toBeGreaterThan(0);
  });

  test.each(queried)('%s asks for metrics and labels that exist: %s', (_where, expression) => {
    const { selectors, grouping } = parseQuery(expression);
    const labels = selectors.flatMap(({ metric }) => [...(offered.get(metric) ?? [])]);
    expect(selectors.filter(({ metric }) => !offered.has(metric))).toEqual([]);
    expect(grouping.filter((label) => ![...labels, ...labelsOfTargets].includes(label))).toEqual([]);
    for (const { metric, matchers } of selectors) {
      const known = [...(offered.get(metric) ?? []), ...labelsOfTargets];
      expect(matchers.filter(({ label }) => !known.includes(label))).toEqual([]);
    }
  });
});

test('a query with a mistake is found', () => {
  expect(parseQuery('sum(rate(docyard_jobs[5m])').hasError).toBe(true);
  expect(parseQuery('sum by (kind) (docyard_jobs{status="queued"})')).toEqual({
    selectors: [{ metric: 'docyard_jobs', matchers: [{ label: 'status', value: 'queued' }] }],
    grouping: ['kind'],
    hasError: false,
  });
});

test('the operations that alert rules name exist', () => {
  const named = queried
    .flatMap(([, expression]) => parseQuery(expression).selectors)
    .flatMap(({ matchers }) => matchers)
    .flatMap(({ label, value }) => (label === 'operation' ? value.split('|') : []));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !Object.hasOwn(operations, name))).toEqual([]);
});

test('the dashboard shows every metric of Docyard', () => {
  const shown = new Set(
    queried.flatMap(([, expression]) =>
      parseQuery(expression).selectors.map(({ metric }) => familyOf(metric)),
    ),
  );
  const all = [...offered.keys()].filter((name) => name.startsWith('docyard_')).map(familyOf);
  expect([...new Set(all)].filter((name) => !shown.has(name))).toEqual([]);
});

test('panels of the dashboard have their own ids and do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});

test('the dashboard has what Grafana needs to import it', () => {
  expect(dashboard).toMatchObject({ title: 'Docyard', uid: 'docyard', schemaVersion: 39 });
  expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['instance', 'query'],
  ]);
  for (const { type, title, targets = [] } of dashboard.panels) {
    expect(['row', 'stat', 'timeseries']).toContain(type);
    expect(title).not.toBe('');
    expect(targets.length > 0).toBe(type !== 'row');
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
});

test.each(rules)('the rule $alert has the fields of a Prometheus rule', (rule) => {
  const known = ['alert', 'expr', 'for', 'labels', 'annotations'];
  expect(Object.keys(rule).filter((name) => !known.includes(name))).toEqual([]);
  expect(rule.alert).toMatch(/^Docyard[A-Z][A-Za-z]+$/);
  expect(rule.for ?? '1m').toMatch(/^\d+[mh]$/);
  expect(['critical', 'warning']).toContain(rule.labels.severity);
  expect(rule.annotations.summary).toMatch(/\.$/);
  expect(rule.annotations.description).toMatch(/\.$/);
  expect(rules.filter(({ alert }) => alert === rule.alert)).toHaveLength(1);
});

function familyOf(metric: string): string {
  return metric.replace(/_(?:bucket|sum|count)$/, '');
}
