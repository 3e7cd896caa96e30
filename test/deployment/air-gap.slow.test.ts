/** A bundle and then a delta are verified and served on a machine without a network. */
import { spawnSync } from 'node:child_process';
import { closeSync, createReadStream, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeDelta } from '../../packages/bundle/src/make-delta.ts';
import { publicKeyOf, publicKeyText, signingKeyFromSeed } from '../../packages/bundle/src/signature.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { bundle, contentOf, docyard, siteOf, startSite } from './site.ts';

const key = signingKeyFromSeed(Buffer.alloc(32, 7));
const folder = temporaryFolder('carried');
const dataDir = temporaryFolder('site');
const keyFile = join(folder, 'docyard.pub');
const files = {
  october: join(folder, 'october.tar.gz'),
  november: join(folder, 'november.tar.gz'),
  delta: join(folder, 'delta.tar.gz'),
};

/** A shell without any network, not even loopback. */
const isolation = findIsolation();
if (isolation === undefined)
  console.warn('Skipped: neither unshare nor bwrap can take the network away here.');

function findIsolation(): string[] | undefined {
  const ways = [
    ['unshare', '--user', '--map-root-user', '--net'],
    ['unshare', '--net'],
    ['bwrap', '--dev-bind', '/', '/', '--unshare-net'],
  ];
  return ways.find(([command = '', ...args]) => spawnSync(command, [...args, 'true']).status === 0);
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000 - 60_000).toISOString();

beforeAll(async () => {
  writeFileSync(keyFile, publicKeyText(publicKeyOf(key)));
  const facts = (days: number, version: string) => ({
    version,
    key,
    commit: version.repeat(40).slice(0, 40),
    committedAt: daysAgo(days),
  });
  writeFileSync(files.october, await bundle(siteOf('october'), facts(40, '1')));
  writeFileSync(files.november, await bundle(siteOf('november'), facts(5, '2')));
  const output = openSync(files.delta, 'w');
  const open = (file: string) => createReadStream(file);
  await makeDelta({
    base: open(files.october),
    target: open(files.november),
    spool: join(folder, 'spool'),
    output,
  });
  closeSync(output);
});

const imported = (file: string, ...more: string[]) =>
  docyard(['bundle', 'import', file, '--data', dataDir, '--public-key', keyFile, ...more], {
    prefix: isolation ?? [],
  });

test('the first bundle is verified and installed', () => {
  const { status, stdout, stderr } = imported(files.october);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    /^r1-[0-9a-f]{8} is installed: content of \d+ \w+ 20\d\d, 40 days old, commit 1111111, version 1, signed by [0-9A-F]{16}; the first release\. No server is running on this folder: docyard site serves it\.\n$/,
  );
});

test('a delta to it is enough for the next, which a running deployment serves at once', async () => {
  const site = await startSite({ dataDir });
  expect(await site.text('/')).toContain('release october');
  const { status, stdout } = imported(files.delta, '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'switched',
    isServed: true,
    isOlder: false,
    appliedTo: expect.stringMatching(/^r1-/),
    release: { version: '2', signedBy: key.keyId },
    freshness: expect.stringContaining('5 days old'),
  });
  await expect.poll(() => site.text('/'), { timeout: 30_000 }).toContain('release november');
  expect(docyard(['site', 'status', '--data', dataDir]).stdout).toMatch(
    /^served {3}r2-.*5 days old.*\n.*\nprocess {2}\d+, no source to refresh from\n$/,
  );
  await site.stop();
});

test('older content is warned of, and what it replaced can be brought back', () => {
  const { status, stdout, stderr } = imported(files.october);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^r1-\w+ is installed: .*40 days old.*; replaces content of .*, 5 days old\. No server/,
  );
  expect(stderr).toMatch(/older than the release it replaces.*docyard site rollback r2-/);
  expect(docyard(['site', 'rollback', '--data', dataDir]).stdout).toMatch(
    /^r2-\w+ is current: .*\nNo server is running/,
  );
});

test('the same again changes nothing', () => {
  const before = contentOf(dataDir);
  expect(imported(files.november).stdout).toMatch(/^r2-\w+ was installed already: /);
  expect(contentOf(dataDir)).toEqual(before);
});

test('a delta whose base is not here is refused', () => {
  const otherFolder = temporaryFolder('site');
  const run = docyard(['bundle', 'import', files.delta, '--data', otherFolder, '--public-key', keyFile]);
  expect(run).toMatchObject({ status: 7, stderr: expect.stringContaining('[base_missing]') });
  expect(contentOf(otherFolder)).toEqual({ releases: [], leftovers: [] });
});
