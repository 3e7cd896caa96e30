/** Bundles: a changed file yields the signed site or an error. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BundleRefusedError } from '../../../packages/bundle/src/refusal.ts';
import { signingKeyFromSeed, publicKeyOf } from '../../../packages/bundle/src/signature.ts';
import { bundleOf, gzip, inChunks } from '../../../packages/bundle/test/support/bundles.ts';
import { unpackBundle } from '../../../packages/bundle/src/unpack.ts';
import { PromiseBroken, mutatedBytes, target, type Outcome } from '../target.ts';

const key = signingKeyFromSeed(Buffer.alloc(32, 7));
const files = {
  'assets/logo.svg': '<svg/>',
  'guides/start.html': '<h1>Start</h1>',
  'index.html': '<h1>Hello</h1>',
};
const good = bundleOf(files, key);
const within = gunzipSync(good);
const expected = [
  ...Object.keys(files),
  'manifest.json',
  'manifest.json.minisig',
  'assets',
  'guides',
].toSorted();

async function unpack(bytes: Uint8Array): Promise<Outcome> {
  const place = mkdtempSync(join(tmpdir(), 'docyard-fuzz-'));
  try {
    await unpackBundle(inChunks(bytes), join(place, 'site'), { publicKeys: [publicKeyOf(key)] });
    const found = readdirSync(join(place, 'site'), { recursive: true }).map(String).toSorted();
    if (found.join() !== expected.join()) throw new PromiseBroken(`unpacked: ${found.join(', ')}`);
    return 'taken';
  } catch (error) {
    if (!(error instanceof BundleRefusedError)) throw error;
    const [left] = readdirSync(place);
    if (left !== undefined) throw new PromiseBroken(`refused, but ${left} was left behind`);
    return 'refused';
  } finally {
    rmSync(place, { recursive: true });
  }
}

export const archives = target({
  name: 'archive reader',
  promise: 'a changed bundle gives the signed files or nothing, and leaves nothing behind',
  inputs: fc.oneof(
    mutatedBytes(good),
    mutatedBytes(within).map((bytes) => gzip(bytes)),
  ),
  attempt: unpack,
});
