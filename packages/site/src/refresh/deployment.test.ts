/**
 * The running deployment with real bundles, folders and origins, and a server that only notes what it is to serve: which
 * source is asked when, what settings change, and how a roll back holds.
 */
import { existsSync, writeFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { BundleOrigin } from '../../../../test/deployment/origin.ts';
import { bundle, siteOf } from '../../../../test/deployment/site.ts';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/leftovers.ts';
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
  /** Releases still being read from, although others are current. */
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
    server: { activate: () => {}, inUse: (id) => inUse.has(id) },
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

const patience = { timeout: 30_000 };

test('refreshFrom comes first; an expired bundleUrl is not even asked', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  link.status = 403;
  const { version } = await start({ bundleUrl: link.url, refreshFrom: latest.url });
  await expect.poll(version, patience).toBe('2');
  latest.offer(await bundleOf('3'));
  await expect.poll(version, patience).toBe('3');
  expect(link.sentBytes).toEqual([]);
});

test('bundleUrl is there to begin with, when refreshFrom has nothing that may be served', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  const { version, deployment, log } = await start({
    bundleUrl: link.url,
    refreshFrom: latest.url,
    version: '1',
  });
  await expect.poll(version, patience).toBe('1');
  expect(deployment.status().refusals).toEqual({ wrong_version: 1 });
  expect(log.join('')).toContain('asking bundleUrl');
});

test('bundleUrl does not bring back old content while refreshFrom is away', async () => {
  const [link, latest] = [await startOrigin('1'), await startOrigin('2')];
  const { version, outcome } = await start({ bundleUrl: link.url, refreshFrom: latest.url });
  await expect.poll(version, patience).toBe('2');
  latest.status = 500;
  await expect.poll(outcome, patience).toBe('unreachable');
  expect(version()).toBe('2');
  expect(link.downloads).toBe(0);
});

test('a link that expires after it was used is no trouble', async () => {
  const origin = await startOrigin('1');
  const { version, deployment, log } = await start({ bundleUrl: origin.url });
  await expect.poll(version, patience).toBe('1');
  origin.status = 403;
  await expect.poll(() => deployment.status().refreshes['unchanged'], patience).toBeGreaterThan(1);
  expect(deployment.status().refreshes).not.toHaveProperty('link_expired');
  expect(log.filter((line) => line.includes('what it led to is installed'))).toHaveLength(1);
});

test('switched off, nothing is asked for and what is installed is served', async () => {
  const origin = await startOrigin('1');
  const folder = temporaryFolder('site');
  const first = await start({ bundleUrl: origin.url }, folder);
  await expect.poll(first.version, patience).toBe('1');
  await first.deployment.stop();
  const asked = origin.sentBytes.length;
  const second = await start({ bundleUrl: origin.url, enabled: false }, folder);
  expect(second.version()).toBe('1');
  origin.offer(await bundleOf('2'));
  expect(second.outcome()).toBeUndefined();
  expect(origin.sentBytes).toHaveLength(asked);
  second.deployment.apply(settingsOf({ bundleUrl: origin.url }));
  await expect.poll(second.version, patience).toBe('2');
});

test('another pinned version is looked for at once, also among what was refused', async () => {
  const origin = await startOrigin('2');
  const { version, outcome, deployment } = await start({
    bundleUrl: origin.url,
    version: '1',
    refreshSeconds: 1000,
  });
  await expect.poll(outcome, patience).toBe('refused');
  expect(version()).toBeUndefined();
  deployment.apply(settingsOf({ bundleUrl: origin.url, version: '2', refreshSeconds: 1000 }));
  await expect.poll(version, patience).toBe('2');
});

test('a pinned version that is installed already needs no download', async () => {
  const [one, two] = [await startOrigin('1'), await startOrigin('2')];
  const { version, deployment } = await start({ bundleUrl: one.url, version: '1' });
  await expect.poll(version, patience).toBe('1');
  deployment.apply(settingsOf({ bundleUrl: two.url, version: '2' }));
  await expect.poll(version, patience).toBe('2');
  deployment.apply(settingsOf({ bundleUrl: one.url, version: '1' }));
  await expect.poll(version, patience).toBe('1');
  expect(one.downloads).toBe(1);
});

test('an origin without names is fetched from, and told apart by content', async () => {
  const origin = await startOrigin('1');
  origin.isNameless = true;
  const { version, outcome, store } = await start({ bundleUrl: origin.url });
  await expect.poll(version, patience).toBe('1');
  await expect.poll(outcome, patience).toBe('unchanged');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, patience).toBe('2');
  expect(await store.releases()).toHaveLength(2);
});

test('a file that is put into the folder is taken without waiting for the next look', async () => {
  const incoming = temporaryFolder('incoming');
  const put = async (version: string) => {
    const file = join(incoming, `${version}.tar.gz`);
    writeFileSync(file, await bundleOf(version));
    const settled = Date.now() / 1000 - 10 + Number(version);
    utimesSync(file, settled, settled);
  };
  await put('1');
  const { version } = await start({ refreshFrom: incoming, refreshSeconds: 1000 });
  await expect.poll(version, patience).toBe('1');
  await put('2');
  await expect.poll(version, patience).toBe('2');
});

test('a roll back is noticed, holds against the same, and ends when it is told to', async () => {
  const origin = await startOrigin('1');
  const { version, outcome, store, deployment } = await start({ bundleUrl: origin.url });
  await expect.poll(version, patience).toBe('1');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, patience).toBe('2');
  const releases = await store.releases();
  await store.change((state) => rolledBack(state, releases, { to: undefined, at: new Date().toISOString() }));
  await expect.poll(version, patience).toBe('1');
  await expect.poll(outcome, patience).toBe('held');
  // New settings are no reason to undo it either.
  deployment.apply(settingsOf({ bundleUrl: origin.url, keep: 3 }));
  await expect.poll(() => deployment.status().refreshes['held'], patience).toBeGreaterThan(2);
  expect(version()).toBe('1');
  await store.change(resumed);
  await expect.poll(version, patience).toBe('2');
});

test('a roll back ends when the settings want something else', async () => {
  const [one, two] = [await startOrigin('1'), await startOrigin('2')];
  const { version, outcome, store, deployment } = await start({ bundleUrl: one.url });
  await expect.poll(version, patience).toBe('1');
  deployment.apply(settingsOf({ bundleUrl: two.url }));
  await expect.poll(version, patience).toBe('2');
  const releases = await store.releases();
  await store.change((state) => rolledBack(state, releases, { to: 'r1', at: new Date().toISOString() }));
  await expect.poll(outcome, patience).toBe('held');
  deployment.apply(settingsOf({ bundleUrl: two.url, version: '2' }));
  await expect.poll(version, patience).toBe('2');
});

test('a release is kept while somebody reads from it, and swept afterwards', async () => {
  const origin = await startOrigin('1');
  const { version, store, inUse } = await start({ bundleUrl: origin.url, keep: 1 });
  await expect.poll(version, patience).toBe('1');
  const [first] = await store.releases();
  const folder = join(store.folder, 'releases', first?.id ?? '');
  inUse.add(first?.id ?? '');
  origin.offer(await bundleOf('2'));
  await expect.poll(version, patience).toBe('2');
  expect(existsSync(folder)).toBe(true);
  inUse.clear();
  await expect.poll(() => existsSync(folder), patience).toBe(false);
});

test('when the current release cannot be opened, the one before is served', async () => {
  const origin = await startOrigin('1');
  const folder = temporaryFolder('site');
  const first = await start({ bundleUrl: origin.url }, folder);
  await expect.poll(first.version, patience).toBe('1');
  origin.offer(await bundleOf('2'));
  await expect.poll(first.version, patience).toBe('2');
  const { current } = await first.store.state();
  await first.deployment.stop();
  writeFileSync(join(folder, 'releases', current ?? '', 'site', 'manifest.json'), 'rotten');
  origin.status = 503;
  const second = await start({ bundleUrl: origin.url }, folder);
  expect(second.version()).toBe('1');
  expect(second.log.join('')).toContain('a release cannot be served');
});

test('what fails is told once, and asked again less and less often', async () => {
  const origin = await startOrigin('1');
  origin.status = 500;
  const { deployment, log } = await start({ bundleUrl: origin.url });
  await expect.poll(() => deployment.status().refreshes['unreachable'], patience).toBeGreaterThan(1);
  expect(log.filter((line) => line.includes('status 500'))).toHaveLength(1);
});
