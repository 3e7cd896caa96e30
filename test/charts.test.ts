/** The values, schemas and rendered objects of both Helm charts. `npm run charts -- --write` renews the expected objects. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser as promql } from '@prometheus-io/lezer-promql';
import { Ajv, type ErrorObject } from 'ajv';
import { describe, expect, test } from 'vitest';
import {
  casesOf,
  chartNames,
  goMissing,
  mergeValues,
  openChart,
  readManifests,
  valuesOf,
  type Json,
  type Manifest,
} from './deploy/helm/chart.ts';
import { schemaProblem } from './deploy/helm/kubernetes.ts';

interface Schema {
  description?: string;
  type?: string | string[];
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  definitions?: Record<string, Schema>;
}

interface Trigger {
  metadata: { query: string };
}

const charts = Object.fromEntries(chartNames.map((name) => [name, openChart(name)]));
const chartOf = (name: string) => charts[name] ?? openChart('docyard');
const cases = chartNames.flatMap((chart) => casesOf(chart));

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

/** `path: message` of every error. */
function valueErrors(chart: string, given: Json): string[] {
  const { valuesSchema, defaultValues } = chartOf(chart);
  // Ajv compiles a schema object once.
  const validate = ajv.compile(valuesSchema);
  validate(mergeValues(defaultValues, given));
  return (validate.errors ?? []).map(({ instancePath, message, params }: ErrorObject) => {
    const { additionalProperty } = params as { additionalProperty?: string };
    const path = [...instancePath.split('/').slice(1), ...(additionalProperty ?? '').split(' ')];
    return `${path.filter((part) => part !== '').join('.')}: ${message}`;
  });
}

describe.each(chartNames)('the values schema of %s', (name) => {
  const { valuesSchema, defaultValues } = chartOf(name);
  const top = valuesSchema as Schema;
  const resolve = (schema: Schema): Schema => {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    const found = reference === undefined ? undefined : top.definitions?.[reference.split('/').at(-1) ?? ''];
    return found === undefined ? schema : { ...resolve(found), ...schema };
  };

  test('describes every value and allows no other', () => {
    const incomplete: string[] = [];
    const visit = (path: string, schema: Schema) => {
      const { description = '', properties, additionalProperties } = resolve(schema);
      if (path !== '' && !/^[A-Z].*\.$/.test(description)) incomplete.push(`${path} has no description`);
      if (properties === undefined) return;
      if (additionalProperties !== false) incomplete.push(`${path} allows other values`);
      for (const [key, inner] of Object.entries(properties))
        visit(path === '' ? key : `${path}.${key}`, inner);
    };
    visit('', top);
    expect(incomplete).toEqual([]);
  });

  test('knows every value of values.yaml, and every known value is in values.yaml', () => {
    const differences: string[] = [];
    const compare = (path: string, schema: Schema, value: Json) => {
      const { properties } = resolve(schema);
      if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
        return;
      const isKubernetes = /(^|\.)(resources|affinity|podSecurityContext|securityContext)(\.|$)/.test(path);
      const names = new Set([...Object.keys(value), ...(isKubernetes ? [] : Object.keys(properties))]);
      for (const key of names) {
        const [inner, given] = [properties[key], value[key]];
        const at = path === '' ? key : `${path}.${key}`;
        if (at === 'global') continue;
        if (inner === undefined || given === undefined) differences.push(at);
        else compare(at, inner, given);
      }
    };
    compare('', top, defaultValues);
    expect(differences).toEqual([]);
  });
});

test.each(cases)('the schema of $chart accepts the values of the case $name', ({ chart, values }) => {
  expect(valueErrors(chart, values)).toEqual([]);
});

test.each([
  ['docyard', { worker: { replicas: 'two' } }, 'worker.replicas: must be integer'],
  ['docyard', { worker: { replica: 2 } }, 'worker.replica: must NOT have additional properties'],
  [
    'docyard',
    { worker: { queueScaling: { minReplicas: 0 } } },
    'worker.queueScaling.minReplicas: must be >= 1',
  ],
  ['docyard', { image: { digest: 'latest' } }, 'image.digest: must match pattern "^(sha256:[0-9a-f]{64})?$"'],
  ['docyard', { trustedProxies: ['ingress'] }, /^trustedProxies\.0: must match pattern/],
  [
    'docyard',
    { networkPolicy: { egressExcept: ['169.254.169.254'] } },
    /^networkPolicy\.egressExcept\.0: must match/,
  ],
  ['docyard', { extraEnv: [{ name: 'A', value: 5 }] }, 'extraEnv.0.value: must be string'],
  [
    'docyard',
    { api: { resources: { limits: { memory: '1 GB' } } } },
    /^api\.resources\.limits\.memory: must match/,
  ],
  [
    'docyard',
    { worker: { securityContext: { readOnly: true } } },
    /^worker\.securityContext\.readOnly: must NOT/,
  ],
  [
    'docyard',
    { podMonitor: { from: [{ podSelectors: {} }] } },
    /^podMonitor\.from\.0\.podSelectors: must NOT/,
  ],
  [
    'docyard-site',
    { service: { ipFamilyPolicy: 'Dual' } },
    /^service\.ipFamilyPolicy: must be equal to one of/,
  ],
  [
    'docyard-site',
    { extraVolumeMounts: [{ name: 'a' }] },
    /^extraVolumeMounts\.0: must have required property/,
  ],
] satisfies [string, Json, string | RegExp][])(
  'the schema of %s names what is wrong with %j',
  (chart, given, message) => {
    const errors = valueErrors(chart, mergeValues(valuesOf(chart as 'docyard', 'minimal'), given));
    expect(errors).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  },
);

if (goMissing !== undefined) console.warn(`Skipped: ${goMissing}.`);
describe.skipIf(goMissing !== undefined)('the rendered charts', () => {
  const find = (manifests: Manifest[], kind: string, name: string) =>
    manifests.find(({ kind: its, metadata }) => its === kind && metadata.name === name);
  const podOf = (manifests: Manifest[], role: string) => {
    const spec = find(manifests, 'Deployment', `docyard-${role}`)?.spec as { template: object } | undefined;
    return spec?.template as {
      metadata: { annotations: Record<string, string> };
      spec: { securityContext: object; containers: { image: string; env: object[] }[] };
    };
  };
  const minimal = valuesOf('docyard', 'minimal');
  const { render } = chartOf('docyard');

  test.each(cases)('$chart renders the case $name as expected', ({ chart, values, expectedFile }) => {
    const expected = readManifests(readFileSync(expectedFile, 'utf8'));
    expect(chartOf(chart).render(values)).toEqual(expected);
  });

  test('every object has the required fields, types and formats of the Kubernetes API', () => {
    const manifests = cases.flatMap(({ chart, values }) => chartOf(chart).render(values));
    expect(manifests.flatMap((manifest) => schemaProblem(manifest) ?? [])).toEqual([]);
  });

  test('a wrong type in an object is found', () => {
    const [deployment] = render(minimal).filter(({ kind }) => kind === 'Deployment');
    const wrong = { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } } as Manifest;
    expect(schemaProblem(wrong)).toBe('Deployment docyard-api: data/spec/replicas must be integer');
  });

  test('a Job updates the database before pods change, with the settings and secrets of the pods', () => {
    const manifests = render(minimal);
    const job = find(manifests, 'Job', 'docyard-migration');
    expect(job?.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
    const settings = find(manifests, 'ConfigMap', 'docyard')?.data ?? {};
    const env = [
      ...Object.entries(settings).map(([name, value]) => ({ name, value })),
      { name: 'DATABASE_URL_FILE', value: '/run/secrets/docyard/database-url' },
    ];
    const container = { args: ['migrate'], env: expect.arrayContaining(env) as object[] };
    expect(job?.spec).toMatchObject({ template: { spec: { containers: [container] } } });
    expect(JSON.stringify(job)).not.toMatch(/configMapRef|"serviceAccountName"/);
    const policy = find(manifests, 'NetworkPolicy', 'docyard-migration')?.metadata;
    expect(policy).toMatchObject({ annotations: { 'helm.sh/hook-weight': '-1' } });
  });

  test('pods restart when the entries of their secret change', () => {
    const secret = (data: Json) => ({
      kind: 'Secret',
      metadata: { namespace: 'docs', name: 'docyard-secrets' },
      data,
    });
    const checksum = (objects: Json[]) =>
      podOf(render(minimal, 'docyard', objects), 'worker').metadata.annotations['checksum/secret'];
    const [before, after] = [checksum([secret({ a: 'MQ==' })]), checksum([secret({ a: 'Mg==' })])];
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(after).not.toBe(before);
    expect(checksum([])).toBeUndefined();
  });

  test('a security context of a role replaces fields of the global one, for this role only', () => {
    const manifests = render(valuesOf('docyard', 'full-isolation'));
    expect(podOf(manifests, 'api').spec.securityContext).toMatchObject({
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(podOf(manifests, 'worker').spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'Localhost', localhostProfile: 'docyard.json' },
      appArmorProfile: { type: 'Localhost' },
    });
  });

  test('Prometheus can scrape every pod although only the ingress controller reaches the API servers', () => {
    const policies = { networkPolicy: { apiFrom: [{ podSelector: {} }] } };
    const peers = (podMonitor: Json, role: string) => {
      const rendered = render(mergeValues(minimal, { ...policies, podMonitor }) as Record<string, Json>);
      const spec = find(rendered, 'NetworkPolicy', `docyard-${role}`)?.spec;
      return JSON.stringify(spec?.['ingress']);
    };
    for (const role of ['api', 'worker']) {
      expect(peers({ enabled: true }, role)).toContain('"app.kubernetes.io/name":"prometheus"');
      expect(peers({ enabled: false }, role)).not.toContain('prometheus');
    }
  });

  test('workers scale by metrics of the manual, with the labels that the PodMonitor adds', () => {
    const manifests = render(valuesOf('docyard', 'queue-scaling'));
    const scaled = find(manifests, 'ScaledObject', 'docyard-worker')?.spec;
    const triggers = scaled?.['triggers'] as Trigger[] | undefined;
    const query = triggers?.[0]?.metadata.query ?? '';
    const manual = readFileSync(
      fileURLToPath(new URL('../docs/operate/monitoring.mdx', import.meta.url)),
      'utf8',
    );
    const metrics = query.match(/docyard_\w+/g) ?? [];
    expect(metrics).toEqual(['docyard_jobs', 'docyard_database_up']);
    for (const metric of metrics) expect(manual).toContain(`| \`${metric}\` |`);
    promql.parse(query).iterate({
      enter: ({ type, from }) => expect(type.isError, `${query} at ${from}`).toBe(false),
    });
    expect(find(manifests, 'PodMonitor', 'docyard')?.spec).toMatchObject({
      podTargetLabels: expect.arrayContaining(['app.kubernetes.io/instance']) as string[],
    });
  });

  test('metadata services of both address families are blocked', () => {
    for (const { chart, name } of cases.filter((each) => each.name === 'minimal')) {
      const policies = chartOf(chart)
        .render(valuesOf(chart, name))
        .filter(({ kind }) => kind === 'NetworkPolicy');
      expect(policies.length).toBeGreaterThan(0);
      for (const { spec } of policies) {
        const blocks = [...JSON.stringify(spec).matchAll(/"cidr":"([^"]+)","except":\[([^\]]+)\]/g)];
        expect(blocks.map(([, cidr, except]) => [cidr, except?.includes('::')])).toEqual([
          ['0.0.0.0/0', false],
          ['::/0', true],
        ]);
      }
    }
  });

  test.each([
    [
      'docyard',
      { worker: { autoscaling: { enabled: true }, queueScaling: { enabled: true } } },
      'both enabled',
    ],
    [
      'docyard',
      { worker: { queueScaling: { enabled: true, prometheusUrl: 'http://p' } } },
      'enable podMonitor',
    ],
    [
      'docyard',
      { podMonitor: { enabled: true }, worker: { queueScaling: { enabled: true } } },
      'prometheusUrl is required',
    ],
    ['docyard', { worker: { dataSize: '22Gi' } }, 'must be greater than worker.dataSize'],
    ['docyard-site', { data: { size: '8Gi' } }, 'must be greater than data.size'],
  ] satisfies [string, Json, string][])('%s stops with a message for %j', (chart, given, message) => {
    const values = mergeValues(valuesOf(chart as 'docyard', 'minimal'), given) as Record<string, Json>;
    expect(() => chartOf(chart).render(values)).toThrow(message);
  });
});

test('the manual has the profiles and values of the case full-isolation', () => {
  const manual = readFileSync(
    fileURLToPath(new URL('../docs/operate/isolation.mdx', import.meta.url)),
    'utf8',
  );
  const { worker } = valuesOf('docyard', 'full-isolation') as { worker: { podSecurityContext: object } };
  for (const [field, profile] of Object.entries(worker.podSecurityContext)) {
    const { localhostProfile } = profile as { localhostProfile: string };
    expect(manual).toContain(`${field}: { type: Localhost, localhostProfile: ${localhostProfile} }`);
  }
});
