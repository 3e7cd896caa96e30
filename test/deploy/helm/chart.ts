/** Renders the charts with Go templates (render.go) instead of Helm. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

const charts = fileURLToPath(new URL('../../../deploy/helm', import.meta.url));
const renderer = fileURLToPath(new URL('render.go', import.meta.url));

/** Why charts cannot be rendered here, or undefined. */
export const goMissing =
  spawnSync('go', ['version']).status === 0
    ? undefined
    : 'the Helm chart is not rendered: Go is not installed';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

export interface Chart {
  facts: { name: string; version: string; appVersion: string };
  defaultValues: Record<string, Json>;
  valuesSchema: object;
  /** Like `helm template`; throws template errors. */
  render(given: Record<string, Json>, release?: string): Manifest[];
}

export function openChart(name: 'docyard' | 'docyard-site'): Chart {
  const read = (file: string) => readFileSync(join(charts, name, file), 'utf8');
  const facts = parse(read('Chart.yaml')) as Chart['facts'];
  const defaultValues = parse(read('values.yaml')) as Chart['defaultValues'];
  return {
    facts,
    defaultValues,
    valuesSchema: JSON.parse(read('values.schema.json')) as object,
    render: (given, release = name) => renderChart(name, facts, mergeValues(defaultValues, given), release),
  };
}

/** The required values. */
export const minValues: Record<string, Json> = {
  publicUrl: 'https://docyard.example.com',
  blobsUrl: 's3://docyard/prod?region=eu-central-1',
  existingSecret: 'docyard-secrets',
};

/** Turns every optional feature on. */
export const maxValues: Record<string, Json> = {
  ...minValues,
  previewUrl: 'https://preview.docyard.example.com',
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
    previewHost: 'preview.docyard.example.com',
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

export const minSiteValues: Record<string, Json> = {
  staticExport: { enabled: true, bundleUrl: 'https://docs.example.com/bundle.tar.gz', version: '2.1' },
};

/** Turns every optional feature on. */
export const maxSiteValues: Record<string, Json> = {
  staticExport: {
    enabled: true,
    bundleUrl: 'https://docyard.example.com/v1/static-export/jobs/se_1/bundle',
    version: '20261115',
    sha256: 'a'.repeat(64),
    publicKey: [`RWQ${'A'.repeat(53)}`, `untrusted comment: key\nRWQ${'B'.repeat(53)}\n`],
    refreshFrom: 'https://docyard.example.com/v1/static-export/latest/bundle?domain=docs.example.com',
    refreshSeconds: 86_400,
    apiKey: { existingSecret: 'docyard-key' },
  },
  basePath: '/docs',
  hstsSeconds: 31_536_000,
  bundleVolume: { image: 'registry.example.com/docs-bundle:2.1' },
  imagePullSecrets: [{ name: 'registry' }],
  autoscaling: { enabled: true },
  podAnnotations: { team: 'docs' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'docs', effect: 'NoSchedule' }],
  affinity: { podAntiAffinity: {} },
  ingress: {
    enabled: true,
    host: 'docs.example.com',
    className: 'nginx',
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    tlsSecret: 'docs-tls',
  },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/docs' } },
  networkPolicy: {
    from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    statusFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    to: [{ ipBlock: { cidr: '192.0.2.0/24' } }],
    ports: [443, 8443],
  },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
};

function renderChart(name: string, facts: Chart['facts'], values: Json, release: string): Manifest[] {
  const asked = {
    folder: join(charts, name),
    release: { Name: release, Namespace: 'docs', Service: 'Helm', IsInstall: true, IsUpgrade: false },
    chart: { Name: facts.name, Version: facts.version, AppVersion: facts.appVersion },
    values,
  };
  const ended = spawnSync('go', ['run', renderer], { input: JSON.stringify(asked), encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const files = JSON.parse(ended.stdout) as Record<string, string>;
  return Object.entries(files).flatMap(([file, text]) => (file.endsWith('.yaml') ? readManifests(text) : []));
}

/** Strict: a duplicate key is an error. */
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

/** Like Helm: objects are merged, everything else is replaced. */
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
