/**
 * From docs in git to a served site under constant load: exports, updates by delta, a rejected bundle, rollbacks. No request
 * fails.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForExport, type Manifest } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-resources.ts';
import { commitAll, gitRepository, siteFiles, startService, writeFiles, type Service } from '../service.ts';
import { Hammer } from './reader-load.ts';
import { BundleOrigin } from './origin.ts';
import { docyard, startSite, type Site } from './site.ts';

const domain = 'docs.example.com';
const patience = { timeout: 30_000 };
const repository = gitRepository(siteFiles(12));
/** Of every release that may be served. */
const manifests: Manifest[] = [];
let service: Service;
let site: Site;
let hammer: Hammer;
let settings: Record<string, unknown>;

beforeAll(async () => {
  service = await startService({ sample: false });
  await service.client.call('createProject', { body: { name: 'Docs', domain, source: { repository } } });
});

afterAll(async () => {
  await hammer?.stop();
  await site?.stop();
  await service?.stop();
});

/** Exports the current commit under this version. */
async function exported(version: string): Promise<string> {
  const { jobId } = await service.client.call('startExport', { body: { domain, version } });
  const { status } = await waitForExport(service.client, jobId, { timeoutSeconds: 60 });
  expect(status).toBe('completed');
  manifests.push(await service.client.call('readManifest', { params: { jobId } }));
  return jobId;
}

function edit(text: string): void {
  writeFiles(repository, { 'guides/page-3.mdx': `---\ntitle: Page 3\n---\n\n${text}\n` });
  commitAll(repository, text);
}

const edition = async () => /The \w+ edition\./.exec(await site.text('/guides/page-3'))?.[0];
const servedVersion = async () => (await site.readiness()).release?.version;

async function readersHave(version: string): Promise<void> {
  const file = manifests
    .find((manifest) => manifest.version === version)
    ?.files.find(({ path }) => path === 'guides/page-3.html');
  await expect.poll(() => file !== undefined && hammer.hasSeen(file), patience).toBe(true);
}

test('an export is served by its link', async () => {
  const jobId = await exported('1');
  const { bundleUrl } = await service.client.call('createBundle', { params: { jobId } });
  const { publicKey } = await service.client.call('readSigningKey');
  const refreshFrom = `${service.origin}/v1/static-export/latest/bundle?domain=${domain}`;
  settings = { bundleUrl, publicKey, refreshFrom, refreshSeconds: 1 };
  site = await startSite({
    staticExport: { bundleUrl, version: '1', publicKey },
    environment: { DOCYARD_API_KEY: service.key },
  });
  await expect.poll(servedVersion, patience).toBe('1');
  const paths = (manifests[0]?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => /^[a-z].*\.(html|css|js)$/.test(path));
  hammer = new Hammer(site.origin, { connections: 6, paths });
  await readersHave('1');
});

test('a change in git is exported and installed automatically, as a delta', async () => {
  site.configure(settings);
  edit('The second edition.');
  await exported('2');
  await expect.poll(servedVersion, patience).toBe('2');
  expect(await edition()).toBe('The second edition.');
  expect(site.log()).toContain('"deltaTo":"r1-');
  await readersHave('2');
});

test('a bundle that was tampered with is refused, and the old one is served on', async () => {
  edit('The third edition.');
  const jobId = await exported('3');
  const file = join(temporaryFolder('download'), 'bundle.tar.gz');
  await downloadBundle(service.client, jobId, file);
  const bytes = readFileSync(file);
  bytes.fill(0, 50_000, 50_064);
  const thief = await BundleOrigin.start();
  thief.offer(bytes);
  site.configure({ ...settings, bundleUrl: undefined, refreshFrom: thief.url });
  const refusals = async () =>
    Object.values((await site.readiness()).refusals).reduce((sum, count) => sum + count, 0);
  await expect.poll(refusals, patience).toBe(1);
  expect(await site.readiness()).toMatchObject({ status: 'ready', lastRefresh: { outcome: 'refused' } });
  // It may have installed the third edition before the settings changed.
  expect(['2', '3']).toContain(await servedVersion());
  thief.close();
  site.configure(settings);
  await expect.poll(servedVersion, patience).toBe('3');
});

test('a roll back counts at once and is not undone by what the origin still has', async () => {
  const run = docyard(['site', 'rollback', '--data', site.dataDir]);
  expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('is served now: content of ') });
  await expect.poll(servedVersion, patience).toBe('2');
  expect(await edition()).toBe('The second edition.');
  const held = async () => (await site.readiness()).refreshes['held'] ?? 0;
  await expect.poll(held, patience).toBeGreaterThan(1);
  expect(await servedVersion()).toBe('2');
  expect(docyard(['site', 'status', '--data', site.dataDir]).stdout).toContain('rolled back from r3-');
});

test('something newer at the origin ends it', async () => {
  edit('The fourth edition.');
  await exported('4');
  await expect.poll(servedVersion, patience).toBe('4');
  expect(await edition()).toBe('The fourth edition.');
  await readersHave('4');
});

test('not one request failed, and every answer was a file of one of the releases', async () => {
  await hammer.stop();
  expect(hammer.failures).toEqual([]);
  expect(hammer.unexplained(manifests)).toEqual([]);
  expect(hammer.requests).toBeGreaterThan(1000);
  console.log(`${hammer.requests} requests, 0 failed, over four releases and a roll back`);
});

test('a stopped process completes requests in flight and exits with 0', async () => {
  expect(await site.stop()).toBe(0);
});
