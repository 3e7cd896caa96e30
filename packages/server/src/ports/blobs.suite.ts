/**
 * What every store of bundles must do: keep an object whole or not at all, read it by range, and take no name that
 * could lead elsewhere.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing.ts';
import type { Blobs } from './blobs.ts';

export function describeBlobs(name: string, make: () => Promise<Blobs> | Blobs): void {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const object = 'se_1/1/bundle.tar.gz';

  describe(`blobs in ${name}`, () => {
    test('bytes are read back as they were put', async () => {
      const blobs = await make();
      expect(await blobs.putBytes(object, bytes)).toEqual({ sizeBytes: 256 });
      expect(await blobs.stat(object)).toEqual({ sizeBytes: 256 });
      expect(Buffer.from(await blobs.readBytes(object))).toEqual(bytes);
      expect(await buffer(blobs.read(object))).toEqual(bytes);
    });

    test('an empty object is an object', async () => {
      const blobs = await make();
      await blobs.putBytes(object, new Uint8Array());
      expect(await blobs.stat(object)).toEqual({ sizeBytes: 0 });
      expect(await buffer(blobs.read(object))).toEqual(Buffer.alloc(0));
    });

    test('a file is taken over: it is gone from where it was', async () => {
      const blobs = await make();
      const file = join(temporaryFolder('blob'), 'file');
      writeFileSync(file, bytes);
      expect(await blobs.putFile(object, file)).toEqual({ sizeBytes: 256 });
      expect(existsSync(file)).toBe(false);
      expect(Buffer.from(await blobs.readBytes(object))).toEqual(bytes);
    });

    test('a file that is not there leaves no object behind', async () => {
      const blobs = await make();
      await expect(blobs.putFile(object, join(temporaryFolder('blob'), 'none'))).rejects.toThrow('ENOENT');
      expect(await blobs.stat(object)).toBeUndefined();
    });

    test.each([
      [0, 0],
      [0, 255],
      [10, 19],
      [255, 255],
    ])('the range %i to %i has both ends in it', async (start, end) => {
      const blobs = await make();
      await blobs.putBytes(object, bytes);
      expect(await buffer(blobs.read(object, { start, end }))).toEqual(bytes.subarray(start, end + 1));
    });

    test('putting again replaces the whole object', async () => {
      const blobs = await make();
      await blobs.putBytes(object, bytes);
      await blobs.putBytes(object, Buffer.from('short'));
      expect(Buffer.from(await blobs.readBytes(object)).toString()).toBe('short');
    });

    test('what is not there has no size and cannot be read', async () => {
      const blobs = await make();
      expect(await blobs.stat(object)).toBeUndefined();
      expect(await blobs.stat('se_1')).toBeUndefined();
      await expect(blobs.readBytes(object)).rejects.toThrow();
      await expect(buffer(blobs.read(object))).rejects.toThrow();
    });

    test('removing takes everything of the owner and nothing of another', async () => {
      const blobs = await make();
      for (const each of ['se_1/1/a', 'se_1/2/b', 'se_10/1/a', 'se_2/1/a']) await blobs.putBytes(each, bytes);
      expect((await blobs.listOwners()).toSorted()).toEqual(['se_1', 'se_10', 'se_2']);
      await blobs.removeAll('se_1');
      await blobs.removeAll('se_none');
      expect((await blobs.listOwners()).toSorted()).toEqual(['se_10', 'se_2']);
      expect(await blobs.stat('se_1/1/a')).toBeUndefined();
      expect(await blobs.stat('se_10/1/a')).toBeDefined();
    });

    test('the attempts of an owner are listed, and one can be removed alone', async () => {
      const blobs = await make();
      for (const each of ['se_1/1/a', 'se_1/2/a', 'se_1/2/b', 'se_2/7/a']) await blobs.putBytes(each, bytes);
      expect((await blobs.listGenerations('se_1')).toSorted()).toEqual(['1', '2']);
      await blobs.removeAll('se_1/1');
      expect(await blobs.listGenerations('se_1')).toEqual(['2']);
      expect(await blobs.listGenerations('se_none')).toEqual([]);
    });

    test('a store that holds nothing has no owners', async () => {
      expect(await (await make()).listOwners()).toEqual([]);
    });

    test.each([
      '',
      '/',
      '.',
      '..',
      '../up',
      'a/../b',
      'a/..',
      'a//b',
      '/etc/passwd',
      'a/.hidden',
      'a\\b',
      'a\0b',
      'a b',
      'ä',
    ])('the name %j is refused everywhere', async (bad) => {
      const blobs = await make();
      await expect(blobs.putBytes(bad, bytes)).rejects.toThrow('Not an object name');
      await expect(blobs.readBytes(bad)).rejects.toThrow('Not an object name');
      await expect(blobs.stat(bad)).rejects.toThrow('Not an object name');
      await expect(blobs.removeAll(bad)).rejects.toThrow('Not an object name');
      expect(() => blobs.read(bad)).toThrow('Not an object name');
    });
  });
}
