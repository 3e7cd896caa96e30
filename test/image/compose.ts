/**
 * Starts both arrangements of deploy/compose.yaml with podman-compose, exports a site, downloads the bundle and stops them.
 * The S3 server is Ceph's on this machine.
 */
import { strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { DocyardClient, waitForExport } from '@docyard/api';
import { parse, stringify } from 'yaml';
import { root } from '../deploy/dockerfile.ts';
import { startGitServer } from '../fakes/git-server.ts';
import { freePort } from '../free-port.ts';
import { rgwMissing, startRgw } from '../rgw.ts';
import { siteFiles, temporaryFolder } from '../service.ts';
import { serviceImage } from './build.ts';
import { environment, podman, run, succeed } from './podman.ts';
import { caddyImage, forwardTo, makeStandIns, postgresImage } from './stand-ins.ts';

export interface ComposeFigures {
  singleReadyMs: number;
  /** Undefined where there is no S3 server. */
  scaleReadyMs: number | undefined;
}

const hostOfContainers = 'host.containers.internal';
const readySeconds = 240;
const readyAnswers = 10;

export async function checkCompose(): Promise<ComposeFigures> {
  await makeStandIns();
  return { singleReadyMs: await checkSingle(), scaleReadyMs: await checkScale() };
}

async function checkSingle(): Promise<number> {
  const project = await openProject({});
  try {
    const readyMs = await project.up('docyard');
    const apiKey = await project.exec('docyard', 'cat', '/data/admin-key');
    await exportAndDownload(new DocyardClient({ baseUrl: project.origin, apiKey }), 'handbook.example.com');
    return readyMs;
  } finally {
    await project.down();
  }
}

async function checkScale(): Promise<number | undefined> {
  if (rgwMissing !== undefined) return undefined;
  const [store, git] = await Promise.all([startRgw(), startGitServer()]);
  const [toStore, toGit] = await Promise.all([forwardTo(store.endpoint), forwardTo(git.origin)]);
  const gitHost = `${hostOfContainers}:${toGit.port}`;
  const project = await openProject({ gatewayPort: toStore.port, gitHost });
  try {
    await store.createBucket('bundles');
    project.writeSecret('s3-credentials', credentialsFile(store.credentials));
    const readyMs = await project.up('proxy', 'worker');
    const apiKey = await project.exec('api', 'docyard', 'keys', 'create', '--name', 'Test', '--output', '-');
    const client = new DocyardClient({ baseUrl: project.origin, apiKey });
    const repository = git.addRepository('docs', siteFiles(20)).url.replace(git.host, gitHost);
    const domain = 'docs.example.com';
    await client.call('createProject', { body: { name: 'Docs', domain, source: { repository } } });
    await exportAndDownload(client, domain);
    return readyMs;
  } catch (error) {
    throw new Error(await logs(), { cause: error });
  } finally {
    await project.down();
    for (const forwarder of [toStore, toGit]) forwarder.close();
    await Promise.all([store.remove(), git.close()]);
  }
}

function credentialsFile(keys: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }): string {
  const lines = Object.entries(keys).map(([name, value]) => `${name.toLowerCase()} = ${value}`);
  return `[default]\n${lines.join('\n')}\n`;
}

interface Project {
  origin: string;
  /** Starts these services and returns the time until the service is ready. */
  up(...services: string[]): Promise<number>;
  exec(service: string, ...command: string[]): Promise<string>;
  writeSecret(name: string, text: string): void;
  down(): Promise<void>;
}

/** A copy of deploy/ on free ports. */
async function openProject({
  gatewayPort,
  gitHost,
}: {
  gatewayPort?: number;
  gitHost?: string;
}): Promise<Project> {
  const folder = join(temporaryFolder('compose'), 'deploy');
  cpSync(join(root, 'deploy'), folder, { recursive: true, filter: (path) => !path.endsWith('/secrets') });
  await succeed('sh', [join(folder, 'make-secrets.sh')]);
  const [port, storePort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${port}`;
  writeFileSync(
    join(folder, 'compose.yaml'),
    adapted(join(folder, 'compose.yaml'), {
      port,
      storePort,
      ...(gatewayPort === undefined ? {} : { gatewayPort }),
    }),
  );
  const env = {
    ...environment,
    DOCYARD_IMAGE: serviceImage,
    PUBLIC_ADDRESS: origin,
    S3_ADDRESS: `http://proxy:${storePort}`,
    ...(gitHost === undefined ? {} : { EGRESS_ALLOW: `source:${gitHost}` }),
  };
  const compose = (...args: string[]) => succeed('podman-compose', args, { cwd: folder, env });
  const profile = (await knowsProfiles()) ? ['--profile', 'scale'] : [];
  return {
    origin,
    async up(...services) {
      const started = performance.now();
      await compose(...(services.includes('docyard') ? [] : profile), 'up', '--detach', ...services);
      await untilReady(origin);
      return performance.now() - started;
    },
    exec: async (service, ...command) => lastLine(await compose('exec', '-T', service, ...command)),
    writeSecret: (name, text) => writeFileSync(join(folder, 'secrets', name), text),
    async down() {
      await run('podman-compose', [...profile, 'down', '--volumes'], { cwd: folder, env });
    },
  };
}

interface Ports {
  port: number;
  storePort: number;
  /** Where the S3 server listens on this machine. */
  gatewayPort?: number;
}

interface ComposeFile {
  services: Record<
    string,
    {
      image: string;
      build?: object;
      command?: string[];
      depends_on?: object | string[];
      networks?: object;
      ports?: string[];
    }
  >;
}

/**
 * Changes what this machine cannot have: images of registries, fixed ports, health checks at intervals, which podman leaves to
 * systemd, and aliases, which older versions of podman-compose do not know.
 */
function adapted(file: string, { port, storePort, gatewayPort }: Ports): string {
  const compose = parse(readFileSync(file, 'utf8'), { merge: true }) as ComposeFile;
  const { docyard, proxy, postgres, s3 } = compose.services;
  if (!docyard || !proxy || !postgres || !s3) throw new Error('deploy/compose.yaml lacks a service.');
  for (const service of Object.values(compose.services)) {
    delete service.build;
    if (service.depends_on !== undefined && !Array.isArray(service.depends_on))
      service.depends_on = Object.keys(service.depends_on);
  }
  delete proxy.networks;
  docyard.ports = [`127.0.0.1:${port}:4400`];
  Object.assign(proxy, {
    image: caddyImage,
    ports: [port, storePort].map((each) => `127.0.0.1:${each}:${each}`),
  });
  postgres.image = postgresImage;
  const upstream = `${hostOfContainers}:${gatewayPort}`;
  compose.services['s3'] = {
    image: caddyImage,
    command: ['caddy', 'reverse-proxy', '--from', ':7070', '--to', upstream],
  };
  return stringify(compose);
}

/** Older versions of podman-compose start every service that is named. */
async function knowsProfiles(): Promise<boolean> {
  const { stdout } = await run('podman-compose', ['--help']);
  return stdout.includes('--profile');
}

/** Older versions of podman-compose also print the commands that they run. */
function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  return lines.findLast((line) => !/^(exit code|podman |\[|using )/.test(line)) ?? '';
}

/** Several servers answer in turn, and all of them must be ready. */
async function untilReady(origin: string): Promise<void> {
  const deadline = Date.now() + readySeconds * 1000;
  let inARow = 0;
  while (inARow < readyAnswers) {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    inARow = answer?.ok === true ? inARow + 1 : 0;
    if (Date.now() > deadline)
      throw new Error(`${origin} is not ready after ${readySeconds} seconds.\n${await logs()}`);
    await pause(100);
  }
}

/** The last lines of every container. */
async function logs(): Promise<string> {
  const names = (await podman('ps', '--all', '--format', '{{.Names}}')).split('\n');
  const texts = names.map(async (name) => {
    const { stdout, stderr } = await run('podman', ['logs', '--tail', '8', name]);
    return `${name}:\n${stdout}${stderr}`;
  });
  return (await Promise.all(texts)).join('\n');
}

async function exportAndDownload(client: DocyardClient, domain: string): Promise<void> {
  const { jobId } = await client.call('startExport', { body: { domain } });
  const job = await waitForExport(client, jobId, { timeoutSeconds: 300 });
  strictEqual(job.status, 'completed', JSON.stringify(job.failure));
  const { bundleUrl, sha256 } = await client.call('createBundle', { params: { jobId } });
  const bytes = await download(new URL(bundleUrl));
  strictEqual(createHash('sha256').update(bytes).digest('hex'), sha256);
}

/** The name of the proxy is known to containers only. */
async function download({ host, port, pathname, search }: URL): Promise<Buffer> {
  const path = pathname + search;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      buffer(response).then(resolve, reject);
    }).on('error', reject);
  });
}
