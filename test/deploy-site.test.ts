/**
 * Checks the chart, the unit and the container of `docyard site` against the command that they start, without a cluster or
 * service manager.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inheritedSockets } from '../packages/site/src/network/inherited-sockets.ts';
import { readSettings } from '../packages/site/src/settings/settings.ts';
import { readDockerfile, root, stageOf, variablesOf } from './deploy/dockerfile.ts';
import {
  goMissing,
  mergeValues,
  openChart,
  valuesOf,
  type Json,
  type Manifest,
} from './deploy/helm/chart.ts';
import { openUnit, systemdMissing } from './deploy/systemd-unit.ts';
import { endWithTest } from './temporary-resources.ts';
import { program, siteFiles, temporaryFolder, writeFiles } from './service.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('packages/server/package.json')) as { version: string };
const { facts, defaultValues, valuesSchema, render } = openChart('docyard-site');
const [minSiteValues, maxSiteValues] = [
  valuesOf('docyard-site', 'minimal'),
  valuesOf('docyard-site', 'complete'),
];

const { HOME: _home, ...ofImage } = variablesOf(readDockerfile(), stageOf(readDockerfile(), 'site'));

/** Validates settings with the program, with a file in place of the missing key. */
function gate(text: string, environment: Record<string, string>) {
  const folder = temporaryFolder('site');
  writeFileSync(join(folder, 'key'), 'docyard_key');
  writeFileSync(join(folder, 'site.yaml'), text.replace('/run/secrets/docyard/api-key', join(folder, 'key')));
  return readSettings({ file: join(folder, 'site.yaml'), environment });
}

const { staticExport: minExport } = minSiteValues as { staticExport: Record<string, Json> };
const withExport = (changes: Record<string, Json>): Record<string, Json> => ({
  staticExport: { ...minExport, ...changes },
});

describe('the values of the chart', () => {
  const validate = new Ajv({ allowUnionTypes: true }).compile(valuesSchema);
  const isValid = (given: Json) => validate(mergeValues(defaultValues, given));

  test.each([
    ['a slip of the pen', { ...minSiteValues, replicaCount: 3 }],
    ['a slip of the pen in what matters most', withExport({ bundleURL: 'https://docs.example.com/b' })],
    ['a version that Helm would write as 2.0261115e+07', withExport({ version: 20_261_115 })],
    ['an address that nothing is fetched from', withExport({ bundleUrl: 'ftp://docs.example.com/b' })],
    ['half a hash', withExport({ sha256: 'abc' })],
    ['text that is no key', withExport({ publicKey: 'MCowBQYDK2VwAyEA' })],
    ['a path that ends in a slash', { ...minSiteValues, basePath: '/docs/' }],
  ])('are refused: %s', (_name, given: Json) => {
    expect(isValid(given)).toBe(false);
  });

  test('the manual lists them', () => {
    const manual = read('docs/deploy/kubernetes.mdx');
    const [, example = ''] = /```yaml values\.yaml\n([^]*?)```/.exec(manual) ?? [];
    expect(isValid(parse(example) as Json), JSON.stringify(validate.errors)).toBe(true);
    const [, table = ''] = manual.split('## Values');
    const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    const unknown = named.filter((name) => {
      const path = name.replaceAll('`', '').split('.');
      const value = path.reduce<Json | undefined>(
        (inside, key) => (inside as Record<string, Json> | undefined)?.[key],
        defaultValues,
      );
      return value === undefined;
    });
    expect(named.length).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });

  test('have the version of the program', () => {
    expect(facts).toMatchObject({ version, appVersion: version });
  });
});

interface Pod {
  securityContext: object;
  terminationGracePeriodSeconds: number;
  containers: {
    image: string;
    args: string[];
    securityContext: object;
    readinessProbe: { httpGet: { path: string } };
    livenessProbe: { httpGet: { path: string } };
    volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  }[];
  volumes: ({ name: string } & Record<string, unknown>)[];
}

interface DeploymentSpec {
  strategy: { type: string; rollingUpdate?: { maxUnavailable: number } };
  selector: { matchLabels: Record<string, string> };
  template: { metadata: { labels: Record<string, string> }; spec: Pod };
}

const find = (manifests: Manifest[], kind: string) => manifests.find((manifest) => manifest.kind === kind);
const deploymentOf = (manifests: Manifest[]) =>
  find(manifests, 'Deployment')?.spec as unknown as DeploymentSpec;
const settingsOf = (manifests: Manifest[]) =>
  parse(find(manifests, 'ConfigMap')?.data?.['site.yaml'] ?? '') as { staticExport: Record<string, unknown> };
const egressOf = (manifests: Manifest[]) =>
  find(manifests, 'NetworkPolicy')?.spec?.['egress'] as { to?: object[]; ports: { port: number }[] }[];

/** Starts the program like a pod, on free ports. */
async function startSite(folder: string): Promise<{ site: string; status: string }> {
  const { args } = deploymentOf(render(minSiteValues)).template.spec.containers[0] as Pod['containers'][0];
  const given = args.map((arg) => arg.replace('/etc/docyard', folder));
  const ports = ['--port', '0', '--status-port', '0', '--data', join(folder, 'data')];
  const child = spawn(process.execPath, [program, ...given, ...ports], { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithTest(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Ctrl-C');
  const [, site = '', status = ''] = /at (http:\S+)[^]*Status +(http:\S+)\/readyz/.exec(output) ?? [];
  return { site, status };
}

if (goMissing !== undefined) console.warn(`Skipped: ${goMissing}.`);
describe.skipIf(goMissing !== undefined)('the rendered chart', () => {
  const rendered: Record<string, Manifest[]> = {};
  beforeAll(() => {
    rendered['least'] = render(minSiteValues);
    rendered['most'] = render(maxSiteValues, 'docs');
  });
  const of = (set: string) => rendered[set] ?? [];
  const kinds = (set: string) => of(set).map(({ kind }) => kind);

  test('has what every installation needs', () => {
    const least = ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'];
    expect(kinds('least').toSorted()).toEqual([...least, 'ServiceAccount']);
  });

  test('has what can be turned on', () => {
    const more = kinds('most').filter((kind) => !kinds('least').includes(kind));
    expect(more.toSorted()).toEqual(['HorizontalPodAutoscaler', 'Ingress', 'PodMonitor']);
  });

  test('hands the three values to the program, and no value that was not given', () => {
    expect(settingsOf(of('least'))).toEqual({
      staticExport: { ...minExport, refreshSeconds: 60, keep: 3 },
      statusPort: 4401,
    });
  });

  test('hands over everything else as it was given', () => {
    const { staticExport } = maxSiteValues as { staticExport: Record<string, Json> };
    const { apiKey: _, ...plain } = staticExport;
    expect(settingsOf(of('most'))).toEqual({
      staticExport: { ...plain, keep: 3, apiKeyFile: '/run/secrets/docyard/api-key' },
      statusPort: 4401,
      hstsSeconds: 31_536_000,
      basePath: '/docs',
    });
  });

  describe.each(['least', 'most'])('with the %s values', (set) => {
    test('the program takes its settings, and listens where the probes ask', () => {
      const text = find(of(set), 'ConfigMap')?.data?.['site.yaml'] ?? '';
      const expected = { host: '0.0.0.0', port: 4400, statusPort: 4401, dataDir: '/data' };
      expect(gate(text, ofImage)).toMatchObject(expected);
      const [container] = deploymentOf(of(set)).template.spec.containers;
      expect(container?.args).toEqual(['site', '--config', '/etc/docyard/site.yaml']);
      expect(container).toMatchObject({
        ports: [
          { name: 'http', containerPort: expected.port },
          { name: 'status', containerPort: expected.statusPort },
        ],
        readinessProbe: { httpGet: { port: 'status' } },
      });
    });

    test('selectors find their own pods', () => {
      const { selector, template } = deploymentOf(of(set));
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      expect(find(of(set), 'Service')?.spec?.['selector']).toEqual(selector.matchLabels);
      expect(find(of(set), 'NetworkPolicy')?.spec?.['podSelector']).toEqual(selector);
      expect(find(of(set), 'PodDisruptionBudget')?.spec?.['selector']).toEqual(selector);
    });

    test('takes no pod away before another one serves the site', () => {
      const { strategy, template } = deploymentOf(of(set));
      expect(strategy).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } });
      const [container] = template.spec.containers;
      expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
      expect(container?.livenessProbe.httpGet.path).toBe('/healthz');
    });

    test('runs a pod that the restricted standard admits, and mounts what it has', () => {
      const { spec } = deploymentOf(of(set)).template;
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const [container] = spec.containers;
      expect(container).toMatchObject({
        image: expect.stringMatching(set === 'least' ? `^docyard:${version}$` : /docyard@sha256:/) as string,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      });
      expect(container?.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
      const writable = container?.volumeMounts.filter(({ readOnly }) => readOnly !== true) ?? [];
      expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
    });
  });

  test('another version rolls the pods', () => {
    const sums = [minSiteValues, withExport({ version: '2.2' })].map(
      (values) => /"checksum\/settings":"[0-9a-f]{64}"/.exec(JSON.stringify(render(values)))?.[0],
    );
    expect(sums[0]).toBeDefined();
    expect(sums[0]).not.toBe(sums[1]);
  });

  test('readers reach the site, and only listed peers reach its metrics', () => {
    const ingress = (set: string) =>
      find(of(set), 'NetworkPolicy')?.spec?.['ingress'] as { ports: { port: string }[]; from?: object[] }[];
    const ports = (set: string) => ingress(set).map((rule) => [rule.ports[0]?.port, rule.from !== undefined]);
    expect(ports('least')).toEqual([['http', false]]);
    expect(ports('most')).toEqual([
      ['http', true],
      ['status', true],
    ]);
    expect(ingress('most')[1]?.from).toHaveLength(2);
  });

  test('lets pods out only to names and to the ports of the bundle', () => {
    const ports = egressOf(of('least')).map((rule) => rule.ports.map(({ port }) => port));
    expect(ports).toEqual([[53, 53], [443]]);
    expect(JSON.stringify(egressOf(of('least'))[1])).toContain('169.254.169.254/32');
    expect(egressOf(of('most'))[1]).toMatchObject({ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] });
  });

  test.each([
    ['existingClaim', { persistentVolumeClaim: { claimName: 'it', readOnly: true } }],
    ['configMap', { configMap: { name: 'it' } }],
    ['image', { image: { reference: 'it', pullPolicy: 'IfNotPresent' } }],
  ])('a bundle from %s needs no outbound connection', (kind, volume) => {
    const closed = render({ ...withExport({ bundleUrl: '' }), bundleVolume: { [kind]: 'it' } });
    expect(egressOf(closed)).toEqual([]);
    expect(settingsOf(closed).staticExport).toMatchObject({ bundleUrl: '/bundle', version: '2.1' });
    expect(deploymentOf(closed).template.spec.volumes.at(-1)).toEqual({ name: 'bundle', ...volume });
  });

  test('a bundle that lies there as Kubernetes mounts it is served, and no number of it', async () => {
    const folder = temporaryFolder('mounted');
    const docs = join(folder, 'docs');
    writeFiles(docs, siteFiles(2));
    const bundles = join(folder, 'bundle');
    mkdirSync(join(bundles, '..2026'), { recursive: true });
    const file = join(bundles, '..2026/site.tar.gz');
    const args = [program, 'export', docs, '--output', file, '--version', '2.1', '--quiet'];
    expect(spawnSync(process.execPath, args).status).toBe(0);
    symlinkSync('..2026', join(bundles, '..data'));
    symlinkSync('..data/site.tar.gz', join(bundles, 'site.tar.gz'));
    const closed = render({ ...withExport({ bundleUrl: '' }), bundleVolume: { configMap: 'it' } });
    const settings = find(closed, 'ConfigMap')?.data?.['site.yaml'] ?? '';
    writeFileSync(join(folder, 'site.yaml'), settings.replace('"/bundle"', JSON.stringify(bundles)));

    const { site, status } = await startSite(folder);
    await expect.poll(async () => (await fetch(`${status}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    expect(await (await fetch(`${site}/guides/page-1`)).text()).toContain('Text of page 1');
    expect((await fetch(`${site}/metrics`)).status).toBe(404);
    expect(await (await fetch(`${status}/metrics`)).text()).toContain('docyard_');
  });

  test('a claim for what was imported by hand is used by one pod at a time', () => {
    const one = render({ ...minSiteValues, replicas: 1, data: { existingClaim: 'releases' } });
    expect(deploymentOf(one).strategy).toEqual({ type: 'Recreate' });
    expect(deploymentOf(one).template.spec.volumes[0]).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'releases' },
    });
    expect(() => render({ ...minSiteValues, data: { existingClaim: 'releases' } })).toThrow(
      'data.existingClaim is for one pod',
    );
  });

  test('a missing bundle address is reported', () => {
    expect(() => render(withExport({ bundleUrl: '' }))).toThrow('staticExport.bundleUrl is required');
  });

  test('a name as long as Helm allows stays within what Kubernetes allows', () => {
    const names = render(minSiteValues, `r${'x'.repeat(52)}`).map(({ metadata }) => metadata.name);
    const wrong = names.filter((name) => name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name));
    expect(wrong).toEqual([]);
  });
});

/** The default of `${NAME:-default}`, which may be another variable. */
function defaultOf(value: string): string {
  const [, inner] = /^\$\{\w+:-(.*)\}$/.exec(value) ?? [];
  return inner === undefined ? value : defaultOf(inner);
}

test('the container of compose.yaml takes the three values from the environment', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string>; build: object; command?: string[] }>;
  };
  const site = services['site'];
  expect(site?.build).toMatchObject({ target: 'site' });
  expect(site?.command).toBeUndefined();
  const given: Record<string, string> = {
    STATIC_EXPORT_BUNDLE_URL: 'https://docs.example.com/bundle.tar.gz',
    STATIC_EXPORT_VERSION: '2.1',
  };
  const environment = Object.entries(site?.environment ?? {}).map(([name, value]) => {
    return [name, given[name] ?? defaultOf(value)];
  });
  expect(
    readSettings({ environment: { ...ofImage, ...(Object.fromEntries(environment) as object) } }),
  ).toMatchObject({
    port: 4400,
    staticExport: {
      enabled: true,
      bundleUrl: given['STATIC_EXPORT_BUNDLE_URL'],
      version: '2.1',
      apiKey: null,
    },
  });
});

describe('the systemd unit of a site', () => {
  const { values, environment, complaints, exposure } = openUnit('docyard-site.service');

  test('starts the published program, not npx, with variables it takes', () => {
    expect(values('ExecStart')).toEqual([
      '/usr/bin/node /opt/docyard/node_modules/docyard/bin/docyard.js site --config /etc/docyard/site.yaml',
    ]);
    expect(readSettings({ environment })).toMatchObject({
      dataDir: `/var/lib/${values('StateDirectory')[0]}`,
      port: 4480,
      host: '127.0.0.1',
    });
  });

  test('reloads with a signal that the program handles', () => {
    expect(values('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
  });

  test.skipIf(systemdMissing !== undefined)('is right and tight in the eyes of systemd', () => {
    expect(complaints()).toEqual([]);
    expect(exposure()).toBeLessThanOrEqual(2);
  });
});

describe('the systemd socket of a site', () => {
  const { values, complaints } = openUnit('docyard-site.socket');

  test('opens the port of the service under a name that the program uses for the site', () => {
    const { environment } = openUnit('docyard-site.service');
    expect(values('ListenStream')).toEqual([`127.0.0.1:${environment['PORT']}`]);
    const [name = ''] = values('FileDescriptorName');
    const given = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', LISTEN_FDNAMES: name };
    expect(inheritedSockets(given)).toMatchObject({ site: [3] });
  });

  test.skipIf(systemdMissing !== undefined)('is right in the eyes of systemd', () => {
    expect(complaints()).toEqual([]);
  });
});
