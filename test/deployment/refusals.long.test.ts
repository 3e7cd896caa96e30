/**
 * Invalid bundles, from a link and from an import: each is rejected with its code and leaves no files, and the current release
 * stays live. It is fetched and reported once.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  newSigningKey,
  publicKeyOf,
  publicKeyText,
  signingKeyFromSeed,
} from '../../packages/bundle/src/signature.ts';
import type { Refusal } from '../../packages/bundle/src/refusal.ts';
import { entryHeader } from '../../packages/bundle/src/tar.ts';
import { archiveOf, entry, header, manifestOf, opening } from '../../packages/bundle/test/support/bundles.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { BundleOrigin } from './origin.ts';
import { bundle, contentOf, docyard, siteOf, startSite, type Site } from './site.ts';

const key = signingKeyFromSeed(Buffer.alloc(32, 7));
const publicKey = publicKeyText(publicKeyOf(key));
const good = { version: '2.1', key };

/** Each differs from a good bundle in one thing. */
const attacks: [name: string, refusal: Refusal, make: () => Promise<Buffer>][] = [
  ['of another version', 'wrong_version', () => bundle(siteOf('bad'), { version: '2.2', key })],
  [
    'signed by another key',
    'wrong_key',
    () => bundle(siteOf('bad'), { version: '2.1', key: newSigningKey() }),
  ],
  ['not signed', 'signature_missing', () => bundle(siteOf('bad'), { version: '2.1' })],
  ['with a page changed after it was signed', 'file_changed', () => changed('release bad', 'release BAD', 1)],
  ['with a changed manifest', 'signature_invalid', () => changed('"pages": 3', '"pages": 9', 0)],
  ['cut off in the middle', 'truncated', async () => (await bundle(siteOf('bad'), good)).subarray(0, -200)],
  ['that is a web page', 'not_a_bundle', async () => Buffer.from('<html>Please log in</html>')],
  ['that is a bomb', 'too_large', bomb],
  ['that would write outside', 'unsafe_path', () => signedWith(entry('../../escaped.html', 'x'))],
  ['with a link', 'link', () => signedWith(header({ name: 'page.html', type: '2', link: '/etc/passwd' }))],
  ['with a device', 'special_file', () => signedWith(header({ name: 'page.html', type: '3' }))],
];

/** Changes bytes after signing and recomputes the checksums of the archive. */
async function changed(from: string, to: string, occurrence: number): Promise<Buffer> {
  const raw = gunzipSync(await bundle(siteOf('bad'), good));
  let at = -1;
  for (let found = 0; found <= occurrence; found += 1) at = raw.indexOf(from, at + 1);
  raw.write(to, at, 'latin1');
  return repacked(raw);
}

/** Our gzip header has no flags and no time; `gzipSync` differs only in the OS byte. */
function repacked(raw: Uint8Array): Buffer {
  const bytes = gzipSync(raw);
  bytes[9] = 0xff;
  return bytes;
}

/** A correctly signed bundle with an invalid entry. */
async function signedWith(bad: Uint8Array): Promise<Buffer> {
  return archiveOf(opening(manifestOf({ 'page.html': 'x' }), key), bad);
}

/** A decompression bomb. */
async function bomb(): Promise<Buffer> {
  const sizeBytes = 100 * 1024 * 1024;
  return repacked(Buffer.concat([entryHeader('manifest.json', sizeBytes), Buffer.alloc(sizeBytes)]));
}

describe('a bundle from a link', () => {
  let origin: BundleOrigin;
  let site: Site;

  beforeAll(async () => {
    origin = await BundleOrigin.start();
    origin.offer(await bundle(siteOf('good'), good));
    const settings = { bundleUrl: origin.url, version: '2.1', publicKey, refreshSeconds: 1 };
    site = await startSite({ staticExport: settings });
    await vi.waitFor(async () => expect(await site.text('/')).toContain('release good'), 30_000);
  });

  afterAll(async () => {
    await site?.stop();
    origin?.close();
  });

  test.each(attacks)('%s is refused as %s', async (_name, refusal, make) => {
    const { release } = await site.readiness();
    origin.offer(await make());
    const refusals = async () => (await site.readiness()).refusals[refusal];
    await expect.poll(refusals, { timeout: 30_000 }).toBe(1);
    expect(await site.readiness()).toMatchObject({
      status: 'ready',
      release,
      lastRefresh: { outcome: 'refused', detail: expect.stringContaining(`[${refusal}]`) },
    });
    expect(await site.text('/guides/page-1.html')).toContain('release good');
    expect(contentOf(site.dataDir)).toEqual({ releases: [release?.id], leftovers: [] });
  });

  test('a rejected bundle is fetched and reported once', async () => {
    origin.offer(await bundle(siteOf('worse'), { version: '9.9.9', key }));
    const looks = async () => (await site.readiness()).refreshes['refused'] ?? 0;
    const downloads = origin.downloads;
    const before = await looks();
    await expect.poll(looks, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    expect(origin.downloads).toBe(downloads + 1);
    expect(site.log().split('9.9.9')).toHaveLength(2);
  });

  test('a good one after all of them is taken', async () => {
    origin.offer(await bundle(siteOf('better'), good));
    await expect.poll(() => site.text('/'), { timeout: 30_000 }).toContain('release better');
  });
});

describe('a bundle that was carried here', () => {
  const dataDir = temporaryFolder('site');
  const folder = temporaryFolder('carried');
  const keyFile = join(folder, 'docyard.pub');
  const carried = (bytes: Uint8Array) => {
    const file = join(folder, 'bundle.tar.gz');
    writeFileSync(file, bytes);
    return ['bundle', 'import', file, '--data', dataDir, '--public-key', keyFile, '--version', '2.1'];
  };

  beforeAll(async () => {
    writeFileSync(keyFile, publicKey);
    expect(docyard(carried(await bundle(siteOf('good'), good)))).toMatchObject({ status: 0 });
  });

  test.each(attacks)('%s is refused as %s', async (_name, refusal, make) => {
    const before = contentOf(dataDir);
    const run = docyard([...carried(await make()), '--json']);
    expect(run).toMatchObject({ status: 7, stderr: expect.stringContaining(`[${refusal}]`) });
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, code: refusal });
    expect(contentOf(dataDir)).toEqual(before);
    expect(existsSync(join(dataDir, 'escaped.html'))).toBe(false);
  });
});
