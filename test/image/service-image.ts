/** Checks the image of the service: a user without a name, a stop during an export, isolation, health, certificates. */
import { strictEqual, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitForExport, type DocyardClient } from '@docyard/api';
import { root } from '../deploy/dockerfile.ts';
import { startGitServer } from '../fakes/git-server.ts';
import { siteFiles, temporaryFolder } from '../service.ts';
import { certificateFile, serviceImage } from './build.ts';
import { clientOf, expectHealth, freshVolume, startContainer, type Container } from './container.ts';
import { podman, run } from './podman.ts';

export interface ServiceFigures {
  readyMs: number;
  /** For a user id without a compile cache in the image. */
  arbitraryUserReadyMs: number;
  exportMs: number;
  stopMs: number;
  /** By profile. */
  isolation: Record<string, number>;
}

const serve = ['serve', '--admin-key-file', '/data/admin-key'];

/** `bundleFile` is where the bundle of the sample site is stored. */
export async function checkServiceImage(bundleFile: string): Promise<ServiceFigures> {
  const git = await startGitServer();
  try {
    const volume = await freshVolume('arbitrary');
    const options = {
      image: serviceImage,
      name: 'arbitrary',
      volume,
      isArbitraryUser: true,
      environment: { EGRESS_ALLOW: `source:${git.host}` },
      command: serve,
    };
    const first = await startContainer(options);
    await checkCertificate(first);
    await expectHealth(first, true);
    const exportMs = await exportSample(first, bundleFile);
    const repository = git.addRepository('large', siteFiles(largeSitePages));
    const jobId = await startLargeExport(await clientOf(first), repository.url);
    const stopping = performance.now();
    strictEqual(await first.stop(), 0, 'The service did not stop with status 0.');
    const stopMs = performance.now() - stopping;
    await expectHealth(first, false).catch(ignoreStopped);
    await completeAfterRestart(await startContainer(options), jobId);
    const named = await checkIsolation();
    return { arbitraryUserReadyMs: first.readyMs, exportMs, stopMs, ...named };
  } finally {
    await git.close();
  }
}

/** podman refuses to check a container that does not run. */
function ignoreStopped(error: unknown): void {
  match(String(error), /not running|ended with/);
}

/** The authority of the build is trusted at run time too. */
async function checkCertificate(container: Container): Promise<void> {
  strictEqual(await container.exec('printenv', 'NODE_EXTRA_CA_CERTS'), certificateFile);
  const script = 'console.log(require("node:tls").getCACertificates("extra").length)';
  strictEqual(await container.exec('node', '-e', script), '1');
}

async function exportSample(container: Container, bundleFile: string): Promise<number> {
  const client = await clientOf(container);
  const started = performance.now();
  const { jobId } = await client.call('startExport', { body: { domain: 'handbook.example.com' } });
  const { status, bundle } = await waitForExport(client, jobId, { timeoutSeconds: 300 });
  strictEqual(status, 'completed');
  const exportMs = performance.now() - started;
  const { bundleUrl } = await client.call('createBundle', { params: { jobId } });
  const bytes = Buffer.from(await (await fetch(bundleUrl)).arrayBuffer());
  strictEqual(createHash('sha256').update(bytes).digest('hex'), bundle?.sha256);
  writeFileSync(bundleFile, bytes);
  return exportMs;
}

const largeSitePages = 1500;

/** Resolves once pages are being rendered. */
async function startLargeExport(client: DocyardClient, repository: string): Promise<string> {
  const domain = 'large.example.com';
  await client.call('createProject', { body: { name: 'Large', domain, source: { repository } } });
  const { jobId } = await client.call('startExport', { body: { domain } });
  for (;;) {
    const { status, phase } = await client.call('readExport', { params: { jobId } });
    if (phase === 'rendering') return jobId;
    ok(status === 'queued' || status === 'running', `The export ended ${status} before it was interrupted.`);
    await pause(20);
  }
}

async function completeAfterRestart(container: Container, jobId: string): Promise<void> {
  const client = await clientOf(container);
  const job = await waitForExport(client, jobId, { timeoutSeconds: 600 });
  strictEqual(job.status, 'completed');
  strictEqual(job.attempt, 2, 'The export was not interrupted.');
  await podman('rm', '--force', container.name);
}

/** As user 10001, with the default profile of podman, one that refuses namespaces as Docker's does, and ours. */
async function checkIsolation(): Promise<Pick<ServiceFigures, 'isolation' | 'readyMs'>> {
  const strict = join(temporaryFolder('profile'), 'seccomp.json');
  writeFileSync(strict, JSON.stringify(withoutNamespaces));
  const profiles = {
    'default of podman': { expected: 3, options: [] },
    'default of Docker': { expected: 1, options: [`seccomp=${strict}`] },
    'deploy/seccomp.json': {
      expected: 3,
      options: [`seccomp=${join(root, 'deploy/seccomp.json')}`, 'apparmor=unconfined'],
    },
  };
  const isolation: Record<string, number> = {};
  let readyMs = 0;
  for (const [name, { expected, options: profile }] of Object.entries(profiles)) {
    const volume = await freshVolume('isolation');
    const container = await startContainer({
      image: serviceImage,
      name: 'isolation',
      volume,
      profile,
      command: serve,
    });
    isolation[name] = await isolationOf(container);
    strictEqual(isolation[name], expected, `The level of isolation with the profile "${name}"`);
    ({ readyMs } = container);
    await run('podman', ['rm', '--force', '--time', '0', container.name]);
  }
  return { isolation, readyMs };
}

const newUserNamespace = 0x1000_0000;

/** What Docker's default profile refuses to a container without capabilities, as far as namespaces need it. */
const withoutNamespaces = {
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [
    {
      names: ['unshare', 'setns', 'mount', 'umount2', 'pivot_root'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: 1,
    },
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    {
      names: ['clone'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: 1,
      args: [{ index: 0, value: newUserNamespace, valueTwo: newUserNamespace, op: 'SCMP_CMP_MASKED_EQ' }],
    },
  ],
};

async function isolationOf({ origin }: Container): Promise<number> {
  for (;;) {
    const answer = await fetch(`${origin}/readyz`);
    const { isolation } = (await answer.json()) as { isolation?: { level: number; statement: string } };
    if (isolation !== undefined) {
      console.log(`  isolation ${isolation.level}: ${isolation.statement}`);
      return isolation.level;
    }
    await pause(100);
  }
}
