/** The deployment with real bundles, folders and origins, and a fake server. */
import { existsSync, writeFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { BundleOrigin } from '../../../../test/deployment/origin.ts';
import { bundle, siteOf } from '../../../../test/deployment/site.ts';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { contentKey, groupBundle, otherContentKey, publicKey } from '../../test/support/group-site.ts';
import { eventually } from '../../test/support/served-releases.ts';
import { Deployment } from './deployment.ts';
import { readSettings, type ExportSettings } from '../settings/settings.ts';
import { resumed, rolledBack } from '../releases/state.ts';
import { ReleaseStore } from '../releases/store.ts';

const usual = readSettings({ environment: {} }).staticExport;
const settingsOf = (given: Partial<ExportSettings>): ExportSettings => ({
  ...usual,
  refreshSeconds: 0.1,
  ...given,
});

interface Stage {
  store: ReleaseStore;
  deployment: Deployment;
  log: string[];
  /** Releases that are still being read. */
  inUse: Set<string>;
  version(): string | null | undefined;
  outcome(): string | undefined;
}

async function start(given: Partial<ExportSettings>, folder = temporaryFolder('site')): Promise<Stage> {
  const store = await ReleaseStore.openIn(folder);
  const inUse = new Set<string>();
  const log: string[] = [];
  const deployment = new Deployment(settingsOf(given), {
    store,
    site: { activate: () => {}, inUse: (id) => inUse.has(id) },
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
  });
  await deployment.start();
  cleanUp(async () => {
    await deployment.stop();
    await store.close();
  });
  return {
    store,
    deployment,
    log,
    inUse,
    version: () => deployment.status().release?.version,
    outcome: () => deployment.status().lastRefresh?.outcome,
  };
}

async function startOrigin(version: string): Promise<BundleOrigin> {
  const origin = await BundleOrigin.start();
  cleanUp(() => origin.close());
  origin.offer(await bundleOf(version));
  return origin;
}

const bundleOf = (version: string) => bundle(siteOf(version), { version });

const pollOptions = { timeout: 30_000 };

test('refreshFrom has precedence, and an expired bundleUrl is not requested', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  link.status = 403;
  const { version } = await start({ bundleUrl: link.url, refreshFrom: latest.url });
  await expect.poll(version, pollOptions).toBe('2');
  latest.offer(await bundleOf('3'));
  await expect.poll(version, pollOptions).toBe('3');
  expect(link.sentBytes).toEqual([]);
});

test('bundleUrl is the initial bundle when refreshFrom has none that may be served', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  const { version, deployment, log } = await start({
    bundleUrl: link.url,
    refreshFrom: latest.url,
    version: '1',
  });
  await expect.poll(version, pollOptions).toBe('1');
  expect(deployment.status().refusals).toEqual({ wrong_version: 1 });
  expect(log.join('')).toContain('trying bundleUrl');
});

test('bundleUrl does not bring back old content while refreshFrom is unreachable', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  const { version, outcome } = await start({ bundleUrl: link.url, refreshFrom: latest.url });
  await expect.poll(version, pollOptions).toBe('2');
  latest.status = 500;
  await expect.poll(outcome, pollOptions).toBe('unreachable');
  expect(version()).toBe('2');
  expect(link.downloads).toBe(0);
});

test('a link that expires after its use is not a failure', async () => {
  const origin = await startOrigin('1');
  const { version, deployment, log } = await start({ bundleUrl: origin.url });
  await expect.poll(version, pollOptions).toBe('1');
  origin.status = 403;
  await expect.poll(() => deployment.status().refreshes['unchanged'], pollOptions).toBeGreaterThan(1);
  expect(deployment.status().refreshes).not.toHaveProperty('link_expired');
  expect(log.filter((line) => line.includes('its bundle is installed'))).toHaveLength(1);
});

test('a disabled deployment sends no requests and serves the installed release', async () => {
  const origin = await startOrigin('1');
  const folder = temporaryFolder('site');
  const first = await start({ bundleUrl: origin.url }, folder);
  await expect.poll(first.version, pollOptions).toBe('1');
  await first.deployment.stop();
  const asked = origin.sentBytes.length;
  const second = await start({ bundleUrl: origin.url, enabled: false }, folder);
  expect(second.version()).toBe('1');
  origin.offer(await bundleOf('2'));
  expect(second.outcome()).toBeUndefined();
  expect(origin.sentBytes).toHaveLength(asked);
  second.deployment.apply(settingsOf({ bundleUrl: origin.url }));
  await expect.poll(second.version, pollOptions).toBe('2');
});

test('a new pinned version is checked immediately, also among refused bundles', async () => {
  const origin = await startOrigin('2');
  const { version, outcome, deployment } = await start({
    bundleUrl: origin.url,
    version: '1',
    refreshSeconds: 1000,
  });
  await expect.poll(outcome, pollOptions).toBe('refused');
  expect(version()).toBeUndefined();
  deployment.apply(settingsOf({ bundleUrl: origin.url, version: '2', refreshSeconds: 1000 }));
  await expect.poll(version, pollOptions).toBe('2');
});

test('a pinned version that is installed already needs no download', async () => {
  const [one, two] = [await startOrigin('1'), await startOrigin('2')];
  const { version, deployment } = await start({ bundleUrl: one.url, version: '1' });
  await expect.poll(version, pollOptions).toBe('1');
  deployment.apply(settingsOf({ bundleUrl: two.url, version: '2' }));
  await expect.poll(version, pollOptions).toBe('2');
  deployment.apply(settingsOf({ bundleUrl: one.url, version: '1' }));
  await expect.poll(version, pollOptions).toBe('1');
  expect(one.downloads).toBe(1);
});

test('an origin without fingerprints is downloaded and compared by content', async () => {
  const origin = await startOrigin('1');
  origin.isNameless = true;
  const { version, outcome, store } = await start({ bundleUrl: origin.url });
  await expect.poll(version, pollOptions).toBe('1');
  await expect.poll(outcome, pollOptions).toBe('unchanged');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, pollOptions).toBe('2');
  expect(await store.releases()).toHaveLength(2);
});

test('a new file in the folder is installed immediately', async () => {
  const incoming = temporaryFolder('incoming');
  const put = async (version: string) => {
    const file = join(incoming, `${version}.tar.gz`);
    writeFileSync(file, await bundleOf(version));
    const settled = Date.now() / 1000 - 10 + Number(version);
    utimesSync(file, settled, settled);
  };
  await put('1');
  const { version } = await start({ refreshFrom: incoming, refreshSeconds: 1000 });
  await expect.poll(version, pollOptions).toBe('1');
  await put('2');
  await expect.poll(version, pollOptions).toBe('2');
});

test('a rollback is detected, holds against the same bundle, and ends with resume', async () => {
  const origin = await startOrigin('1');
  const { version, outcome, store, deployment } = await start({ bundleUrl: origin.url });
  await expect.poll(version, pollOptions).toBe('1');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, pollOptions).toBe('2');
  const releases = await store.releases();
  await store.change((state) => rolledBack(state, releases, { to: undefined, at: new Date().toISOString() }));
  await expect.poll(version, pollOptions).toBe('1');
  await expect.poll(outcome, pollOptions).toBe('held');
  // New settings do not end the rollback.
  deployment.apply(settingsOf({ bundleUrl: origin.url, keep: 3 }));
  await expect.poll(() => deployment.status().refreshes['held'], pollOptions).toBeGreaterThan(2);
  expect(version()).toBe('1');
  await store.change(resumed);
  await expect.poll(version, pollOptions).toBe('2');
});

test('a rollback ends when the settings require another bundle', async () => {
  const [one, two] = [await startOrigin('1'), await startOrigin('2')];
  const { version, outcome, store, deployment } = await start({ bundleUrl: one.url });
  await expect.poll(version, pollOptions).toBe('1');
  deployment.apply(settingsOf({ bundleUrl: two.url }));
  await expect.poll(version, pollOptions).toBe('2');
  const releases = await store.releases();
  await store.change((state) => rolledBack(state, releases, { to: 'r1', at: new Date().toISOString() }));
  await expect.poll(outcome, pollOptions).toBe('held');
  deployment.apply(settingsOf({ bundleUrl: two.url, version: '2' }));
  await expect.poll(version, pollOptions).toBe('2');
});

test('a release is kept while it is being read and swept afterwards', async () => {
  const origin = await startOrigin('1');
  const { version, store, inUse } = await start({ bundleUrl: origin.url, keep: 1 });
  await expect.poll(version, pollOptions).toBe('1');
  const [first] = await store.releases();
  const folder = join(store.folder, 'releases', first?.id ?? '');
  inUse.add(first?.id ?? '');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, pollOptions).toBe('2');
  expect(existsSync(folder)).toBe(true);
  inUse.clear();
  await expect.poll(() => existsSync(folder), pollOptions).toBe(false);
});

test('the previous release is served when the current one cannot be opened', async () => {
  const origin = await startOrigin('1');
  const folder = temporaryFolder('site');
  const first = await start({ bundleUrl: origin.url }, folder);
  await expect.poll(first.version, pollOptions).toBe('1');
  origin.offer(await bundleOf('2'));
  await expect.poll(first.version, pollOptions).toBe('2');
  const { current } = await first.store.state();
  await first.deployment.stop();
  writeFileSync(join(folder, 'releases', current ?? '', 'site', 'manifest.json'), 'rotten');
  origin.status = 503;
  const second = await start({ bundleUrl: origin.url }, folder);
  expect(second.version()).toBe('1');
  expect(second.log.join('')).toContain('a release cannot be served');
});

test('a failure is logged once and retried with growing delays', async () => {
  const origin = await startOrigin('1');
  origin.status = 500;
  const { deployment, log } = await start({ bundleUrl: origin.url });
  await expect.poll(() => deployment.status().refreshes['unreachable'], pollOptions).toBeGreaterThan(1);
  expect(log.filter((line) => line.includes('status 500'))).toHaveLength(1);
});

test('a new content key opens the pages for groups without a restart, and a wrong one closes them', async () => {
  const folder = temporaryFolder('bundles');
  const files = { 'index.html': 'home' };
  const audiences = [{ groups: ['crew'], files: { ...files, 'plan.html': 'plan' } }];
  writeFileSync(join(folder, 'bundle.tar.gz'), await groupBundle({ root: files, audiences }));
  const given = { bundleUrl: folder, publicKeys: [publicKey] };
  const { deployment } = await start(given);
  const restrictedPages = () => deployment.status().restrictedPages;
  await eventually(restrictedPages).toMatch(/access\.contentKeyFile/);
  deployment.apply(settingsOf({ ...given, contentKey }));
  await eventually(restrictedPages).toBe('served');
  deployment.apply(settingsOf({ ...given, contentKey: otherContentKey }));
  await eventually(restrictedPages).toMatch(/sealed_unreadable/);
  deployment.apply(settingsOf({ ...given, contentKey }));
  await eventually(restrictedPages).toBe('served');
});
