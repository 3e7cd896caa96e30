/** Valid bundles and folders; hostile ones are in `attacks.slow.test.ts`. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { manifestName, signatureName } from './manifest.ts';
import { newSigningKey, publicKeyOf } from './signature.ts';
import { bundleOf, inChunks, manifestOf, type Files } from '../test/support/bundles.ts';
import { checkBundle, checkFolder, unpackBundle } from './unpack.ts';

const key = newSigningKey();
const publicKeys = [publicKeyOf(key)];
const large = Buffer.alloc(3_000_000, 'a film, more or less ');
const files: Files = {
  'assets/film.mp4': large,
  'empty.txt': '',
  'guides/deep/er/page.html': '<h1>Page</h1>',
  'index.html': '<h1>Hello</h1>',
  'übersicht/日本語.html': '<h1>こんにちは</h1>',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`pages/${index}.html`, `<p>${index}`])),
};
const bundle = bundleOf(files, key);
const manifest = manifestOf(files);
const contentBytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);

let folder: string;
beforeEach(async () => {
  folder = join(temporaryFolder('unpacked'), 'site');
  await unpackBundle(inChunks(bundle, 4096), folder, { version: '2.1', publicKeys });
});

describe('a bundle', () => {
  const facts = {
    manifest: JSON.parse(manifest.toString()) as unknown,
    manifestSha256: hash('sha256', manifest),
    signedBy: key.keyId,
    claimedKey: key.keyId,
    contentBytes,
    archiveSha256: hash('sha256', bundle),
    archiveBytes: bundle.length,
  };

  test('is described correctly with and without unpacking', async () => {
    expect(await checkBundle(inChunks(bundle), { publicKeys })).toEqual(facts);
    const again = join(folder, '..', 'again');
    expect(await unpackBundle(inChunks(bundle), again, { publicKeys })).toEqual(facts);
    const { archiveBytes: _, archiveSha256: __, ...ofFolder } = facts;
    expect(await checkFolder(folder, { publicKeys })).toEqual(ofFolder);
  });

  test('is unpacked unchanged with manifest and signature, readable by other users', () => {
    for (const [path, content] of Object.entries(files))
      expect(hash('sha256', readFileSync(join(folder, path)))).toBe(hash('sha256', content));
    expect(readFileSync(join(folder, manifestName)).equals(manifest)).toBe(true);
    expect(readFileSync(join(folder, signatureName), 'utf8')).toContain(key.keyId);
    expect(statSync(join(folder, 'index.html')).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  test('has an unverified signature without a key', async () => {
    expect(await checkBundle(inChunks(bundle))).toMatchObject({ signedBy: null, claimedKey: key.keyId });
    expect(await checkBundle(inChunks(bundleOf(files)))).toMatchObject({ signedBy: null, claimedKey: null });
  });

  test('is refused with an empty list of keys', async () => {
    const checking = checkBundle(inChunks(bundle), { publicKeys: [] });
    await expect(checking).rejects.toMatchObject({ refusal: 'wrong_key' });
  });

  test('is not unpacked into an existing folder', async () => {
    await expect(unpackBundle(inChunks(bundle), folder)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readdirSync(folder)).toContain('index.html');
  });

  test('reports a missing parent folder as a file error and leaves nothing behind', async () => {
    const place = temporaryFolder('nowhere');
    const filling = unpackBundle(inChunks(bundle), join(place, 'missing', 'site'));
    await expect(filling).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(place)).toEqual([]);
  });

  test('is read by other tar implementations', () => {
    const place = temporaryFolder('tar');
    writeFileSync(join(place, 'bundle.tar.gz'), bundle);
    const listed = spawnSync('tar', ['tzf', 'bundle.tar.gz'], { cwd: place, encoding: 'utf8' });
    expect(listed.stdout.split('\n').slice(0, 3)).toEqual([manifestName, signatureName, 'assets/film.mp4']);
  });
});

describe('a folder', () => {
  const at = (path: string) => join(folder, path);

  test.each<[string, string, () => void]>([
    ['a file that was changed', 'file_changed', () => writeFileSync(at('index.html'), '<h1>Hullo</h1>')],
    ['a file that grew', 'file_changed', () => appendFileSync(at('index.html'), '!')],
    ['a file that is gone', 'file_missing', () => rmSync(at('guides/deep/er/page.html'))],
    ['a file more', 'file_unlisted', () => writeFileSync(at('guides/more.html'), '')],
    ['a folder more', 'file_unlisted', () => mkdirSync(at('more'))],
    [
      'a link in place of a file',
      'link',
      () => (renameSync(at('index.html'), at('../i')), symlinkSync('../i', at('index.html'))),
    ],
    [
      'a link in place of a folder',
      'link',
      () => (renameSync(at('guides'), at('../g')), symlinkSync('../g', at('guides'))),
    ],
    [
      'a pipe in place of a file',
      'special_file',
      () => (rmSync(at('index.html')), spawnSync('mkfifo', [at('index.html')])),
    ],
    ['a manifest that was changed', 'signature_invalid', () => appendFileSync(at(manifestName), ' ')],
    ['no manifest', 'manifest_missing', () => rmSync(at(manifestName))],
    [
      'a manifest that is a link',
      'link',
      () => (renameSync(at(manifestName), at('../m')), symlinkSync('../m', at(manifestName))),
    ],
    ['no signature', 'signature_missing', () => rmSync(at(signatureName))],
  ])('with %s is refused: %s', async (_what, refusal, change) => {
    change();
    await expect(checkFolder(folder, { publicKeys })).rejects.toMatchObject({ refusal });
  });

  test('of another version is refused', async () => {
    await expect(checkFolder(folder, { version: '2.0' })).rejects.toMatchObject({ refusal: 'wrong_version' });
  });

  test('with the marker of docyard build is accepted', async () => {
    writeFileSync(at('.docyard-build'), '');
    await expect(checkFolder(folder, { publicKeys })).resolves.toMatchObject({ contentBytes });
  });
});
