/** The contract of every blob store. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/ports/blobs.ts';

export function describeBlobs(name: string, make: () => Promise<Blobs> | Blobs): void {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const object = 'se_1/1/bundle.tar.gz';

  describe(`blobs in ${name}`, () => {
    test('bytes are read as they were written', async () => {
      const blobs = await make();
      expect(await blobs.putBytes(object, bytes)).toEqual({ sizeBytes: 256 });
      expect(await blobs.stat(object)).toEqual({ sizeBytes: 256 });
      expect(Buffer.from(await blobs.readBytes(object))).toEqual(bytes);
      expect(await buffer(blobs.read(object))).toEqual(bytes);
    });

    test('an empty object exists', async () => {
      const blobs = await make();
      await blobs.putBytes(object, new Uint8Array());
      expect(await blobs.stat(object)).toEqual({ sizeBytes: 0 });
      expect(await buffer(blobs.read(object))).toEqual(Buffer.alloc(0));
    });

    test('a stream of any length is stored, also in several parts', async () => {
      const blobs = await make();
      for (const length of [0, 100_000, 20_000_000]) {
        const chunks = Array.from({ length: length / 100_000 }, (_, index) => Buffer.alloc(100_000, index));
        expect(await blobs.putStream(object, Readable.from(chunks))).toEqual({ sizeBytes: length });
        expect((await buffer(blobs.read(object))).equals(Buffer.concat(chunks))).toBe(true);
      }
    });

    test.each([100_000, 20_000_000])(
      'a stream that fails after %i bytes leaves no object behind',
      async (length) => {
        const blobs = await make();
        const failing = Readable.from(
          (async function* () {
            for (let sent = 0; sent < length; sent += 100_000) yield Buffer.alloc(100_000);
            throw new Error('the maker died');
          })(),
        );
        await expect(blobs.putStream(object, failing)).rejects.toThrow('the maker died');
        expect(await blobs.stat(object)).toBeUndefined();
      },
    );

    test('an aborted upload leaves no object behind', async () => {
      const blobs = await make();
      const stop = new AbortController();
      const endless = Readable.from(
        (async function* () {
          for (let sent = 0; ; sent += 1) {
            if (sent === 300) stop.abort(new Error('called off'));
            yield Buffer.alloc(100_000);
          }
        })(),
      );
      await expect(blobs.putStream(object, endless, stop.signal)).rejects.toThrow();
      expect(await blobs.stat(object)).toBeUndefined();
      await expect(blobs.putBytes(object, bytes, stop.signal)).rejects.toThrow();
      expect(await blobs.stat(object)).toBeUndefined();
      expect(endless.destroyed).toBe(true);
    });

    test.each([
      [0, 0],
      [0, 255],
      [10, 19],
      [255, 255],
    ])('the range %i to %i includes both ends', async (start, end) => {
      const blobs = await make();
      await blobs.putBytes(object, bytes);
      expect(await buffer(blobs.read(object, { start, end }))).toEqual(bytes.subarray(start, end + 1));
    });

    test('a second write replaces the whole object', async () => {
      const blobs = await make();
      await blobs.putBytes(object, bytes);
      await blobs.putBytes(object, Buffer.from('short'));
      expect(Buffer.from(await blobs.readBytes(object)).toString()).toBe('short');
    });

    test('a missing object has no size and cannot be read', async () => {
      const blobs = await make();
      expect(await blobs.stat(object)).toBeUndefined();
      expect(await blobs.stat('se_1')).toBeUndefined();
      await expect(blobs.readBytes(object)).rejects.toThrow();
      await expect(buffer(blobs.read(object))).rejects.toThrow();
    });

    test('removing an owner removes all its objects and no others', async () => {
      const blobs = await make();
      for (const each of ['se_1/1/a', 'se_1/2/b', 'se_10/1/a', 'se_2/1/a']) await blobs.putBytes(each, bytes);
      expect(await owners(blobs)).toEqual(['se_1', 'se_10', 'se_2']);
      await blobs.removeAll('se_1');
      await blobs.removeAll('se_none');
      expect(await owners(blobs)).toEqual(['se_10', 'se_2']);
      expect(await blobs.stat('se_1/1/a')).toBeUndefined();
      expect(await blobs.stat('se_10/1/a')).toBeDefined();
    });

    test('the attempts of an owner are listed and can be removed singly', async () => {
      const blobs = await make();
      for (const each of ['se_1/1/a', 'se_1/2/a', 'se_1/2/b', 'se_2/7/a']) await blobs.putBytes(each, bytes);
      expect(await generations(blobs, 'se_1')).toEqual(['1', '2']);
      await blobs.removeAll('se_1/1');
      expect(await generations(blobs, 'se_1')).toEqual(['2']);
      expect(await generations(blobs, 'se_none')).toEqual([]);
    });

    test('an empty store has no owners', async () => {
      expect(await owners(await make())).toEqual([]);
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
    ])('every operation refuses the name %j', async (bad) => {
      const blobs = await make();
      await expect(blobs.putBytes(bad, bytes)).rejects.toThrow('Not an object name');
      await expect(blobs.readBytes(bad)).rejects.toThrow('Not an object name');
      await expect(blobs.stat(bad)).rejects.toThrow('Not an object name');
      await expect(blobs.removeAll(bad)).rejects.toThrow('Not an object name');
      expect(() => blobs.read(bad)).toThrow('Not an object name');
    });
  });
}

async function owners(blobs: Blobs): Promise<string[]> {
  const found = new Set<string>();
  for await (const { owner } of blobs.listOwners()) found.add(owner);
  return [...found].toSorted();
}

async function generations(blobs: Blobs, wanted: string): Promise<string[]> {
  for await (const { owner, generations: found } of blobs.listOwners()) {
    if (owner === wanted) return found.toSorted();
  }
  return [];
}
