/** S3 objects on a real server. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { rgwMissing, startRgw, type RgwServer } from '../../../../../test/rgw.ts';
import { describeBlobs } from '../../../test/support/blobs-suite.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { BucketObject } from '../../../../site/src/sources/bucket.ts';
import { until } from '../../../test/support/test-context.ts';
import { makeS3Clients, parseS3Url } from '@docyard/site/s3';
import { openS3Bucket } from '../../../../site/src/sources/s3-bucket.ts';
import { openS3Blobs } from './s3.ts';

const object = 'se_1/1/bundle.tar.gz';
const bytes = Buffer.from('0123456789'.repeat(100));

describe.skipIf(rgwMissing !== undefined)(`Ceph's gateway (${rgwMissing ?? 'started for this'})`, () => {
  let rgw: RgwServer;

  beforeAll(async () => {
    rgw = await startRgw();
    for (const [name, value] of Object.entries(rgw.credentials)) vi.stubEnv(name, value);
  }, 180_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    await rgw?.remove();
  });

  const open = async (prefix = '') => openS3Blobs(withPrefix(await rgw.createBucket(), prefix));

  describeBlobs('a bucket', () => open());

  test('two prefixes of one bucket are separate', async () => {
    const bucket = await rgw.createBucket();
    const [a, b] = await Promise.all(['x', 'x/y'].map((prefix) => openS3Blobs(withPrefix(bucket, prefix))));
    await a?.putBytes(object, bytes);
    await b?.putBytes(object, Buffer.from('other'));
    await a?.removeAll('se_1');
    expect(Buffer.from((await b?.readBytes(object)) ?? []).toString()).toBe('other');
  });

  test('more objects than fit one list response are found and removed', async () => {
    const blobs = await open();
    const names = Array.from({ length: 1050 }, (_, index) => `se_${index % 3}/1/part-${index}`);
    for (let next = 0; next < names.length; next += 50)
      await Promise.all(names.slice(next, next + 50).map((name) => blobs.putBytes(name, bytes)));
    expect(await owners(blobs)).toEqual(['se_0', 'se_1', 'se_2']);
    for (const owner of ['se_0', 'se_1', 'se_2']) await blobs.removeAll(owner);
    expect(await owners(blobs)).toEqual([]);
  });

  test('parts of an unfinished upload are found and removed like objects', async () => {
    const url = await rgw.createBucket();
    const blobs = await openS3Blobs(url);
    const { prompt } = await makeS3Clients(parseS3Url(url));
    const which = { Bucket: parseS3Url(url).bucket, Key: object };
    const { UploadId } = await prompt.send(new CreateMultipartUploadCommand(which));
    await prompt.send(new UploadPartCommand({ ...which, UploadId, PartNumber: 1, Body: bytes }));
    expect(await blobs.stat(object)).toBeUndefined();
    expect(await owners(blobs)).toEqual(['se_1']);
    await blobs.removeAll('se_1');
    expect(await owners(blobs)).toEqual([]);
  });

  test('a failed upload leaves no parts', async () => {
    const blobs = await open();
    const source = manyBytes(30, () => {
      throw new Error('the maker died');
    });
    await expect(blobs.putStream(object, source)).rejects.toThrow('the maker died');
    await expect.poll(() => owners(blobs)).toEqual([]);
  });

  test('a read-only bucket lists and reads objects of others', async () => {
    const url = await rgw.createBucket();
    const blobs = await openS3Blobs(url);
    await blobs.putBytes('docs/one.tar.gz', bytes);
    await blobs.putBytes('docs/two.tar.gz', Buffer.from('second'));
    await blobs.putBytes('other/three.tar.gz', bytes);
    const { signal } = new AbortController();
    const listed = async (prefix: string) => {
      const bucket = await openS3Bucket(withPrefix(url, prefix));
      const objects: BucketObject[] = [];
      for await (const object of bucket.objects(signal)) objects.push(object);
      return { bucket, objects };
    };
    const { bucket, objects } = await listed('docs');
    expect(objects).toMatchObject([
      { name: 'docs/one.tar.gz', sizeBytes: bytes.length },
      { name: 'docs/two.tar.gz', sizeBytes: 6, modifiedAt: expect.any(Date) },
    ]);
    const [one, two] = objects;
    if (one === undefined || two === undefined) throw new Error('Two objects were put there.');
    expect((await buffer(bucket.read(two, signal))).toString()).toBe('second');
    expect((await listed('docs/one.tar.gz')).objects).toEqual([one]);
    const replaced = { ...one, etag: '"of other content"' };
    await expect(buffer(bucket.read(replaced, signal))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  describe('links', () => {
    const link = async (blobs: Blobs, seconds: number, method: 'GET' | 'HEAD' = 'GET') => {
      const made = await blobs.link(object, { seconds, fileName: 'bundle.tar.gz', method });
      if (made === null) throw new Error('A bucket signs its links.');
      return made;
    };

    test('work without a key until they expire, and a new link works again', async () => {
      const blobs = await open();
      await blobs.putBytes(object, bytes);
      const { url, expiresAt } = await link(blobs, 3);
      expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(3000);
      expect((await fetch(url)).status).toBe(200);
      await until(() => Date.now() > expiresAt.getTime() + 1000);
      const late = await fetch(url);
      expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('AccessDenied')]);
      expect((await fetch((await link(blobs, 60)).url)).status).toBe(200);
    });

    test('name the file and support range requests', async () => {
      const blobs = await open();
      await blobs.putBytes(object, bytes);
      const { url } = await link(blobs, 60);
      const whole = await fetch(url);
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="bundle.tar.gz"');
      expect(whole.headers.get('content-type')).toBe('application/gzip');
      expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
      const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
      expect([part.status, await part.text()]).toEqual([206, '0123456789']);
      expect(part.headers.get('content-range')).toBe('bytes 10-19/1000');
    });

    test('are signed for one method', async () => {
      const blobs = await open();
      await blobs.putBytes(object, bytes);
      const head = await fetch((await link(blobs, 60, 'HEAD')).url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000']);
      expect((await fetch((await link(blobs, 60)).url, { method: 'HEAD' })).status).toBe(403);
    });

    test('that were changed are rejected', async () => {
      const blobs = await open();
      await blobs.putBytes(object, bytes);
      await blobs.putBytes('se_2/1/bundle.tar.gz', bytes);
      const { url } = await link(blobs, 60);
      for (const changed of [
        url.replace('se_1', 'se_2'),
        url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'),
      ])
        expect((await fetch(changed)).status).toBe(403);
    });

    test('expire with the credentials that signed them', async () => {
      const blobs = await open();
      expect((await link(blobs, 3600)).expiresAt.getTime()).toBeGreaterThan(Date.now() + 3_590_000);
      const expiration = Math.floor(Date.now() / 1000) * 1000 + 400_000;
      vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(expiration).toISOString());
      const temporary = await link(await open(), 3600);
      vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', undefined);
      expect(temporary.expiresAt.getTime()).toBe(expiration);
      const seconds = Number(new URL(temporary.url).searchParams.get('X-Amz-Expires'));
      expect(Math.abs(seconds - 400)).toBeLessThan(10);
    });
  });

  describe('TLS', () => {
    const secure = async (more: string) => {
      const { bucket } = parseS3Url(await rgw.createBucket());
      return openS3Blobs(`s3://${bucket}?endpoint=${rgw.secureEndpoint}${more}`);
    };

    test('a configured certificate authority is trusted', async () => {
      const blobs = await secure(`&ca=${rgw.caFile}`);
      await blobs.putBytes(object, bytes);
      expect(await blobs.stat(object)).toEqual({ sizeBytes: 1000 });
    });

    test('an unknown certificate authority is rejected with the reason', async () => {
      await expect((await secure('')).check()).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      });
    });
  });

  test('a server that denies access is reported as storage_unavailable with its reason', async () => {
    const url = await rgw.createBucket();
    await (await openS3Blobs(url)).check();
    const nowhere = await openS3Blobs(url.replace('docyard-', 'no-docyard-'));
    await expect(nowhere.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong');
    const stranger = await openS3Blobs(url);
    for (const source of [manyBytes(1), manyBytes(30)])
      await expect(stranger.putStream(object, source)).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('SignatureDoesNotMatch'),
        headers: { 'retry-after': '5' },
      });
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', rgw.credentials.AWS_SECRET_ACCESS_KEY);
  });

  describe('a server that becomes unreachable', () => {
    test('during an upload is retried', async () => {
      const blobs = await open();
      let restarted: Promise<void> | undefined;
      const restart = async () => {
        await rgw.stop();
        await pause(2000);
        await rgw.start();
      };
      const source = manyBytes(60, (megabyte) => {
        if (megabyte === 20) restarted = restart();
      });
      expect(await blobs.putStream(object, source)).toEqual({ sizeBytes: 60_000_000 });
      await restarted;
      expect(await sha256Of(blobs.read(object))).toBe(await sha256Of(manyBytes(60)));
    });

    test('is reported quickly to readers and does not delay an aborted job', async () => {
      const blobs = await open();
      await rgw.stop();
      try {
        const away = { code: 'storage_unavailable', message: expect.stringContaining('ECONNREFUSED') };
        await expect(blobs.stat(object)).rejects.toMatchObject(away);
        await expect(blobs.readBytes(object)).rejects.toMatchObject(away);
        await expect(buffer(blobs.read(object))).rejects.toMatchObject(away);
        await expect(blobs.check()).rejects.toMatchObject(away);
        const stop = new AbortController();
        const putting = blobs.putBytes(object, bytes, stop.signal);
        stop.abort(new Error('called off'));
        await expect(putting).rejects.toThrow('called off');
      } finally {
        await rgw.start();
      }
    });
  });
});

test.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '', pathStyle: false }],
  ['s3://bucket/a/b/', { prefix: 'a/b/' }],
  [
    's3://bucket?endpoint=http://localhost:9000',
    { endpoint: 'http://localhost:9000', pathStyle: true, region: 'us-east-1' },
  ],
  [
    's3://bucket?region=eu-west-1&pathStyle=true&ca=/ca.pem',
    { region: 'eu-west-1', pathStyle: true, caFile: '/ca.pem' },
  ],
])('the address %s is parsed', (url, location) => {
  expect(parseS3Url(url)).toMatchObject(location);
});

test.each([
  ['s3://', 'is not of the form'],
  ['https://bucket.example.com/', 'is not of the form'],
  ['s3://UPPER_case/', 'is not of the form'],
  ['s3://key:secret@bucket/', 'AWS_ACCESS_KEY_ID'],
  ['s3://bucket?endpoint=localhost:9000', 'is not an http or https address'],
  ['s3://bucket?regoin=eu-west-1', 'regoin is not known'],
  ['s3://bucket?pathStyle=yes', 'is not true or false'],
  ['s3://bucket/a%20b', 'Not an object name'],
])('the address %s is refused with a reason', (url, reason) => {
  expect(() => parseS3Url(url)).toThrow(reason);
});

/** Every megabyte differs, so that parts in the wrong order are detected. */
function manyBytes(megabytes: number, before: (megabyte: number) => void = () => {}): Readable {
  function* chunks() {
    for (let megabyte = 0; megabyte < megabytes; megabyte += 1) {
      before(megabyte);
      yield Buffer.alloc(1_000_000, megabyte);
    }
  }
  return Readable.from(chunks());
}

async function sha256Of(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

async function owners(blobs: Blobs): Promise<string[]> {
  const found: string[] = [];
  for await (const { owner } of blobs.listOwners()) found.push(owner);
  return found.toSorted();
}

function withPrefix(url: string, prefix: string): string {
  return url.replace('/?', `/${prefix}?`);
}
