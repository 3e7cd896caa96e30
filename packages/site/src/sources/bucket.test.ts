import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { type Bucket, BucketError, type BucketObject, bucketSource } from './bucket.ts';

const { signal } = new AbortController();
const address = 's3://bundles/docs?endpoint=https://store.example';

function bucketOf(objects: Partial<BucketObject>[]): Bucket {
  return {
    async *objects() {
      for (const object of objects)
        yield { name: 'docs/a.tar.gz', etag: '"1"', sizeBytes: 5, modifiedAt: new Date(0), ...object };
    },
    read: ({ name }) => Readable.from([Buffer.from(name)]),
  };
}

const sourceOf = (bucket: Bucket) => bucketSource(address, async () => bucket);

test('the newest archive is offered and fetched, and the query of the address is not shown', async () => {
  const source = sourceOf(
    bucketOf([
      { name: 'docs/new.tar.gz', modifiedAt: new Date(2000) },
      { name: 'docs/old.tar.gz', modifiedAt: new Date(1000) },
      { name: 'docs/newest.txt', modifiedAt: new Date(3000) },
    ]),
  );
  expect(source.origin).toBe('s3://bundles/docs');
  const offer = await source.look(null, signal);
  if (offer === 'unchanged') throw new Error('It is unchanged.');
  expect(readFileSync(await offer.fetch(temporaryFolder('download'), signal), 'utf8')).toBe(
    'docs/new.tar.gz',
  );
  expect(await source.look(offer.fingerprint, signal)).toBe('unchanged');
  expect(await sourceOf(bucketOf([{ etag: '"2"' }])).look(offer.fingerprint, signal)).not.toBe('unchanged');
});

test('failures are reported', async () => {
  await expect(sourceOf(bucketOf([])).look(null, signal)).rejects.toMatchObject({ failure: 'not_found' });
  const away: Bucket = {
    ...bucketOf([]),
    objects: () => {
      throw new BucketError('The object storage cannot be used.');
    },
  };
  await expect(sourceOf(away).look(null, signal)).rejects.toMatchObject({ failure: 'unreachable' });
  const huge = await sourceOf(bucketOf([{ sizeBytes: 1e12 }])).look(null, signal);
  if (huge === 'unchanged') throw new Error('It is unchanged.');
  await expect(huge.fetch(temporaryFolder('download'), signal)).rejects.toMatchObject({
    failure: 'too_large',
  });
});
