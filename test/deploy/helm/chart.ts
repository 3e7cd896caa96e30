/**
 * The chart, rendered for a set of values. No Helm is needed, only Go (see render.go); so this is not Helm's own rendering, and
 * nothing here has met a cluster.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../../deploy/helm/docyard', import.meta.url));
const renderer = fileURLToPath(new URL('render.go', import.meta.url));

/** Why charts cannot be rendered here, or undefined. */
export const goMissing =
  spawnSync('go', ['version']).status === 0
    ? undefined
    : 'the Helm chart is not rendered: Go is not installed';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A Kubernetes object, so far as tests look into it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

export const chart = readYaml('Chart.yaml') as { name: string; version: string; appVersion: string };
export const defaultValues = readYaml('values.yaml') as Record<string, Json>;
export const valuesSchema = JSON.parse(readFileSync(join(folder, 'values.schema.json'), 'utf8')) as object;

/** What every installation has to say. */
export const leastValues: Record<string, Json> = {
  publicUrl: 'https://docyard.example.com',
  blobsUrl: 's3://docyard/prod?region=eu-central-1',
  existingSecret: 'docyard-secrets',
};

/** Everything that is off by itself. */
export const mostValues: Record<string, Json> = {
  ...leastValues,
  imagePullSecrets: [{ name: 'registry' }],
  secretFiles: { MODEL_KEY_FILE: 'model-key', AWS_SHARED_CREDENTIALS_FILE: 's3-credentials' },
  settings: { MODEL_URL: 'https://model.example.com/v1', MODEL_NAME: 'm', LIMIT_BODY_BYTES: '2000000' },
  api: {
    autoscaling: { enabled: true },
    podAnnotations: { team: 'docs' },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'docs', effect: 'NoSchedule' }],
    affinity: { podAntiAffinity: {} },
  },
  worker: { autoscaling: { enabled: true }, settings: { EXPORT_CONCURRENCY: '4' } },
  ingress: {
    enabled: true,
    host: 'docyard.example.com',
    className: 'nginx',
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    tlsSecret: 'docyard-tls',
  },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/docyard' } },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    workerFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
  },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
};

/** As `helm template`: throws what a template complains of. */
export function renderChart(given: Record<string, Json>, release = 'docyard'): Manifest[] {
  const asked = {
    folder,
    release: { Name: release, Namespace: 'docs', Service: 'Helm', IsInstall: true, IsUpgrade: false },
    chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    values: mergeValues(defaultValues, given),
  };
  const ended = spawnSync('go', ['run', renderer], { input: JSON.stringify(asked), encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const files = JSON.parse(ended.stdout) as Record<string, string>;
  return Object.entries(files).flatMap(([file, text]) => (file.endsWith('.yaml') ? readManifests(text) : []));
}

/** Strict: a key that stands twice is an error. */
function readManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [first] = document.errors;
    if (first !== undefined) throw new Error(`${first.message}\n${text}`);
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** As Helm does it: objects are merged, everything else is replaced. */
export function mergeValues(usual: Json, given: Json): Json {
  if (!isObject(usual) || !isObject(given)) return given;
  const names = new Set([...Object.keys(usual), ...Object.keys(given)]);
  const entries = [...names].map((name): [string, Json] => {
    const [before, now] = [usual[name], given[name]];
    if (before === undefined) return [name, now ?? null];
    return [name, now === undefined ? before : mergeValues(before, now)];
  });
  return Object.fromEntries(entries);
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readYaml(file: string): unknown {
  return parse(readFileSync(join(folder, file), 'utf8'));
}
