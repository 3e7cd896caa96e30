/** Renders the charts with Go templates (render.go) instead of Helm. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';

const charts = fileURLToPath(new URL('../../../deploy/helm', import.meta.url));
const renderer = fileURLToPath(new URL('render.go', import.meta.url));
const cases = fileURLToPath(new URL('cases', import.meta.url));

/** Why charts cannot be rendered here, or undefined. */
export const goMissing =
  spawnSync('go', ['version']).status === 0
    ? undefined
    : 'the Helm chart is not rendered: Go is not installed';

export const chartNames = ['docyard', 'docyard-site'] as const;
type ChartName = (typeof chartNames)[number];

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
  /** Like `helm template`; throws template errors. With objects, like `helm upgrade` in a cluster that has them. */
  render(given: Record<string, Json>, release?: string, objects?: Json[]): Manifest[];
}

export function openChart(name: ChartName): Chart {
  const read = (file: string) => readFileSync(join(charts, name, file), 'utf8');
  const facts = parse(read('Chart.yaml')) as Chart['facts'];
  const defaultValues = parse(read('values.yaml')) as Chart['defaultValues'];
  return {
    facts,
    defaultValues,
    valuesSchema: JSON.parse(read('values.schema.json')) as object,
    render: (given, release = name, objects = []) =>
      renderChart({ name, facts, values: mergeValues(defaultValues, given), release, objects }),
  };
}

/** A fixture: a values file, and the objects that the chart makes of it. */
export interface ChartCase {
  chart: ChartName;
  name: string;
  values: Record<string, Json>;
  /** Has the rendered objects as YAML documents. */
  expectedFile: string;
}

export function casesOf(chart: ChartName): ChartCase[] {
  const folder = join(cases, chart);
  return readdirSync(folder).map((name) => ({
    chart,
    name,
    values: valuesOf(chart, name),
    expectedFile: join(folder, name, 'expected.yaml'),
  }));
}

export function valuesOf(chart: ChartName, name: string): Record<string, Json> {
  return parse(readFileSync(join(cases, chart, name, 'values.yaml'), 'utf8')) as Record<string, Json>;
}

export function formatManifests(manifests: Manifest[]): string {
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0, singleQuote: true })).join('---\n');
}

interface Rendering {
  name: ChartName;
  facts: Chart['facts'];
  values: Json;
  release: string;
  objects: Json[];
}

function renderChart({ name, facts, values, release, objects }: Rendering): Manifest[] {
  const asked = {
    folder: join(charts, name),
    release: { Name: release, Namespace: 'docs', Service: 'Helm', IsInstall: true, IsUpgrade: false },
    chart: { Name: facts.name, Version: facts.version, AppVersion: facts.appVersion },
    values,
    objects,
  };
  const ended = spawnSync(compiledRenderer(), [], { input: JSON.stringify(asked), encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const files = JSON.parse(ended.stdout) as Record<string, string>;
  return Object.entries(files).flatMap(([file, text]) => (file.endsWith('.yaml') ? readManifests(text) : []));
}

let compiled: string | undefined;

function compiledRenderer(): string {
  if (compiled !== undefined) return compiled;
  const folder = mkdtempSync(join(tmpdir(), 'docyard-charts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'render');
  const ended = spawnSync('go', ['build', '-o', program, renderer], { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  compiled = program;
  return program;
}

/** Strict: a duplicate key is an error. */
export function readManifests(text: string): Manifest[] {
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
