import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { packOf, precompress, readCompressed } from './compressed-files.ts';
import { makeRelease } from '../../test/support/served-releases.ts';

const page = (word: string) => `<p>${word}</p>`.repeat(300);
const files = {
  'a.html': page('alpha'),
  'copy-of-a.html': page('alpha'),
  'b.html': page('beta'),
  'small.html': '<p>small</p>',
  'noise.txt': randomBytes(5000).toString('base64'),
  'picture.png': 'x'.repeat(5000),
};

/** The decompressed content of a form. */
async function unpacked(
  folder: string,
  sha256: string,
  encoding: 'br' | 'gzip',
): Promise<string | undefined> {
  const place = (await readCompressed(folder)).get(sha256)?.[encoding];
  if (place === undefined) return undefined;
  const pack = await open(packOf(folder));
  const bytes = Buffer.alloc(place.sizeBytes);
  await pack.read(bytes, 0, bytes.length, place.offset);
  await pack.close();
  return (encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString();
}

describe('the compressed forms', () => {
  test('are made for compressible files, once per content', async () => {
    const release = await makeRelease(files, { isCompressed: false });
    const made = await precompress(release);
    expect(made).toMatchObject({ files: 3, reused: 0 });
    const hashOf = new Map(release.manifest.files.map(({ path, sha256 }) => [path, sha256]));
    for (const path of ['a.html', 'b.html', 'noise.txt'] as const)
      for (const encoding of ['br', 'gzip'] as const)
        expect(await unpacked(release.compressedFolder, hashOf.get(path) ?? '', encoding)).toBe(files[path]);
    const known = await readCompressed(release.compressedFolder);
    for (const path of ['small.html', 'picture.png'])
      expect(known.get(hashOf.get(path) ?? '')).toBeUndefined();
    expect((await readFile(packOf(release.compressedFolder))).length).toBe(made.bytes);
  });

  test('of unchanged files come from the previous release', async () => {
    const before = await makeRelease(files);
    const after = await makeRelease({ ...files, 'b.html': page('gamma') }, { isCompressed: false });
    expect(await precompress(after, { reuseFrom: before.compressedFolder })).toMatchObject({
      files: 3,
      reused: 2,
    });
    await rm(before.compressedFolder, { recursive: true });
    for (const { path, sha256 } of after.manifest.files) {
      if (path === 'a.html') expect(await unpacked(after.compressedFolder, sha256, 'br')).toBe(page('alpha'));
      if (path === 'b.html')
        expect(await unpacked(after.compressedFolder, sha256, 'gzip')).toBe(page('gamma'));
    }
  });

  test.each([
    ['is not there', (folder: string) => rm(folder, { recursive: true })],
    ['has lost its content', (folder: string) => writeFile(packOf(folder), '')],
    ['has lost its index', (folder: string) => rm(join(folder, 'index.json'))],
    [
      'has an index that is no index',
      (folder: string) => writeFile(join(folder, 'index.json'), '[1,{"br":2}]'),
    ],
  ])('are made again when the previous release %s', async (_, spoil) => {
    const before = await makeRelease(files);
    await spoil(before.compressedFolder);
    const after = await makeRelease(files, { isCompressed: false });
    expect(await precompress(after, { reuseFrom: before.compressedFolder })).toMatchObject({
      files: 3,
      reused: 0,
    });
  });

  test('are not used after an interruption', async () => {
    const release = await makeRelease(files, { isCompressed: false });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(precompress(release, { signal: stopped })).rejects.toThrow('stopped');
    expect(await readdir(release.compressedFolder)).toEqual(['files.pack']);
    const known = await readCompressed(release.compressedFolder);
    for (const { sha256 } of release.manifest.files) expect(known.get(sha256)).toBeUndefined();
  });

  test('of a missing folder are empty', async () => {
    expect((await readCompressed(join(temporaryFolder('test'), 'none'))).get('0'.repeat(64))).toBeUndefined();
  });
});
