/** A real `docyard site` that reports to a real service: the list, a rollback over the API, and refusals. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { waitForExport, type Deployment } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { program, siteFiles, startService, temporaryFolder, writeFiles, type Service } from '../service.ts';
import { startSite, type Site, type SiteOptions } from './site.ts';

let service: Service;
let folder: string;
let reportKey: string;
const domain = 'docs.example.com';
/** For exports and reports on a busy machine. */
const patience = { timeout: 120_000 };
const setUpMs = 180_000;

vi.setConfig({ testTimeout: setUpMs });

beforeAll(async () => {
  service = await startService({ sample: false });
  folder = temporaryFolder('source');
  writeFiles(folder, siteFiles(2));
  const body = { name: 'Docs', domain, source: { repository: folder } };
  await service.client.call('createProject', { body });
  const made = await service.client.call('createKey', {
    body: { name: 'Sites', scopes: ['deployments:report'] },
  });
  reportKey = made.key;
  await exportVersion('1.0');
}, setUpMs);
afterAll(() => service?.stop());

async function exportVersion(version: string): Promise<string> {
  writeFiles(folder, { 'index.mdx': `---\ntitle: Home ${version}\n---\n\nVersion ${version}.\n` });
  const { jobId } = await service.client.call('startExport', { body: { domain, version } });
  const job = await waitForExport(service.client, jobId);
  expect(job.status).toBe('completed');
  return jobId;
}

function startReportingSite(
  name: string,
  more: Record<string, string> = {},
  { staticExport, ...options }: Pick<SiteOptions, 'staticExport' | 'dataDir'> = {},
): Promise<Site> {
  return startSite({
    ...options,
    staticExport: {
      bundleUrl: `${service.origin}/v1/static-export/latest/bundle?domain=${domain}`,
      refreshSeconds: 1,
      ...staticExport,
    },
    environment: {
      DOCYARD_API_KEY: service.key,
      REPORT_URL: service.origin,
      REPORT_KEY: reportKey,
      REPORT_NAME: name,
      REPORT_SECONDS: '1',
      ...more,
    },
  });
}

async function find(name: string): Promise<Deployment | undefined> {
  const { data } = await service.client.call('listDeployments', { query: { limit: 100 } });
  return data.find((each) => each.name === name);
}

const servedVersion = async (name: string) => (await find(name))?.release?.version;

describe('a site that may be rolled back', () => {
  let site: Site;

  beforeAll(async () => {
    const { publicKey } = await service.client.call('readSigningKey');
    const more = { REPORT_ROLLBACK: 'on', REPORT_SITE_URL: 'https://docs.example.com' };
    site = await startReportingSite('docs-eu-1', more, { staticExport: { publicKey } });
    const isListed = async () => expect(await servedVersion('docs-eu-1')).toBe('1.0');
    await vi.waitFor(isListed, patience);
  }, setUpMs);
  afterAll(() => site?.stop());

  test('is listed with what it serves, and says so as soon as that changes', async () => {
    const jobId = await exportVersion('2.0');
    await expect.poll(() => servedVersion('docs-eu-1'), patience).toBe('2.0');
    const deployment = await find('docs-eu-1');
    expect(deployment).toMatchObject({
      name: 'docs-eu-1',
      url: 'https://docs.example.com',
      health: 'ready',
      release: { jobId },
      acceptsInstructions: true,
      instruction: null,
      held: null,
    });
    expect(deployment?.releases.map(({ version }) => version)).toEqual(['2.0', '1.0']);
    const { data } = await service.client.call('listProjects', { query: {} });
    expect(deployment?.projectId).toBe(data[0]?.id);
  });

  test('is rolled back by the command, serves the earlier release, and resumes', async () => {
    expect(await site.text('/')).toContain('Version 2.0.');
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [program, 'deployments', ...args, '--server', service.origin], {
        encoding: 'utf8',
        env: { ...process.env, DOCYARD_API_KEY: service.key },
      });
    const back = run('rollback', 'docs-eu-1');
    expect(back).toMatchObject({ status: 0, stdout: 'docs-eu-1 serves 1.0 now.\n' });
    expect(await site.text('/')).toContain('Version 1.0.');
    const after = await find('docs-eu-1');
    expect(after?.instruction).toMatchObject({ action: 'rollback', status: 'done' });
    expect(after?.held?.from).toBe(after?.releases[0]?.id);
    expect(run('list').stdout).toContain('rollback done');

    const { status, stdout } = run('resume', 'docs-eu-1', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ instruction: { action: 'resume', status: 'done' } });
    await expect.poll(() => site.text('/'), patience).toContain('Version 2.0.');
  });

  test('refuses a release that it does not keep before the site is asked', async () => {
    const deployment = await find('docs-eu-1');
    const params = { deploymentId: deployment?.id ?? '' };
    const call = service.client.call('rollbackDeployment', { params, body: { release: 'r99-00000000' } });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('the audit log names who asked for it', async () => {
    const { data } = await service.client.call('listAuditLog', { query: { action: 'deployment' } });
    expect(data.map(({ action }) => action)).toEqual(['deployment.resume', 'deployment.rollback']);
  });
});

test('a site without report.rollback reports and cannot be rolled back', async () => {
  const site = await startReportingSite('read-only');
  await expect.poll(() => servedVersion('read-only'), patience).toMatch(/^\d/);
  const { id = '' } = (await find('read-only')) ?? {};
  const call = service.client.call('rollbackDeployment', { params: { deploymentId: id }, body: {} });
  await expect(call).rejects.toMatchObject({ code: 'deployment_uncontrolled' });
  await site.stop();
});

test('a site that trusts another signing key refuses the instruction and serves on', async () => {
  const before = await startReportingSite('distrustful', { REPORT_ROLLBACK: 'on' });
  await expect.poll(() => servedVersion('distrustful'), patience).toMatch(/^\d/);
  await exportVersion('3.0');
  await expect.poll(() => servedVersion('distrustful'), patience).toBe('3.0');
  await before.stop();
  const keyFile = join(temporaryFolder('keys'), 'other.key');
  const create = [program, 'signing-key', 'create', '--out', keyFile, '--json'];
  const made = spawnSync(process.execPath, create, { encoding: 'utf8' });
  const { publicKey } = JSON.parse(made.stdout) as { publicKey: string };
  const after = await startSite({
    dataDir: before.dataDir,
    staticExport: { enabled: false, publicKey },
    environment: {
      REPORT_URL: service.origin,
      REPORT_KEY: reportKey,
      REPORT_NAME: 'distrustful',
      REPORT_SECONDS: '1',
      REPORT_ROLLBACK: 'on',
    },
  });
  const { id = '' } = (await find('distrustful')) ?? {};
  await service.client.call('rollbackDeployment', { params: { deploymentId: id }, body: {} });
  await expect.poll(() => after.log(), patience).toContain('An instruction was refused');
  expect(await after.text('/')).toContain('Version 3.0.');
  expect((await find('distrustful'))?.instruction?.status).toBe('pending');
  await service.client.call('cancelInstruction', { params: { deploymentId: id } });
  expect((await find('distrustful'))?.instruction).toBeNull();
  await after.stop();
});

test('a key that reports can do nothing else', async () => {
  const answers = await Promise.all(
    ['/v1/deployments', '/v1/projects', '/v1/static-export/jobs'].map((path) =>
      fetch(service.origin + path, { headers: { authorization: `Bearer ${reportKey}` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
});

test('a site that counts its readers sends the counts to the service, once also when it is killed', async () => {
  const environment = { ANALYTICS_ENABLED: 'on' };
  const humanViews = async () =>
    (await service.client.call('readAnalytics', { query: { days: 2 } })).totals.human;
  const read = async (site: Site, times: number) => {
    for (let each = 0; each < times; each += 1)
      await fetch(`${site.origin}/`, { headers: { 'user-agent': 'Mozilla/5.0', accept: 'text/html' } });
  };
  const first = await startReportingSite('docs-counting', environment);
  await expect.poll(() => servedVersion('docs-counting'), patience).toBeTruthy();
  await read(first, 3);
  await expect.poll(humanViews, patience).toBe(3);
  await first.kill();
  const { dataDir } = first;
  const second = await startReportingSite('docs-counting', environment, { dataDir });
  await read(second, 2);
  await expect.poll(humanViews, patience).toBe(5);
  await second.stop();
});
