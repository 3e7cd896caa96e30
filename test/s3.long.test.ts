/** Bundles in a bucket: links to the store, and outages of the store during an upload, a download and a stop of the program. */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { waitForExport, type ExportJob } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openS3Blobs } from '../packages/server/src/adapters/blobs/s3.ts';
import { rgwMissing, startRgw, type RgwServer } from './rgw.ts';
import { program, siteFiles, startService, temporaryFolder, writeFiles, type Service } from './service.ts';

const patience = { timeout: 180_000 };

describe.skipIf(rgwMissing !== undefined)(`bundles in a bucket (${rgwMissing ?? 'on Ceph'})`, () => {
  let rgw: RgwServer;
  let service: Service;
  let environment: Record<string, string>;
  const domain = 'docs.example.com';

  beforeAll(async () => {
    rgw = await startRgw();
    environment = { ...rgw.credentials, BLOBS_URL: await rgw.createBucket() };
    service = await startService({ environment, sample: false });
    await service.client.call('createProject', {
      body: { name: domain, domain, source: { repository: heavySite() } },
    });
  }, 180_000);

  afterAll(async () => {
    await service?.stop();
    await rgw?.remove();
  });

  const start = async () => (await service.client.call('startExport', { body: { domain } })).jobId;
  const ended = (jobId: string) => waitForExport(service.client, jobId, { timeoutSeconds: 150 });
  const packing = async (jobId: string) => {
    const progress = async () => (await service.client.call('readExport', { params: { jobId } })).progress;
    await expect.poll(progress, { ...patience, interval: 20 }).toBeGreaterThanOrEqual(90);
  };

  async function download({ jobId, bundle }: ExportJob): Promise<string> {
    const folder = temporaryFolder('bundle');
    const file = join(folder, 'bundle.tar.gz');
    await downloadBundle(service.client, jobId, file);
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(bundle?.sha256);
    expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0);
    return folder;
  }

  test('are downloaded from the store by links that end when they say', patience, async () => {
    const job = await ended(await start());
    expect(job).toMatchObject({ status: 'completed', failure: null });
    expect(readdirSync(await download(job))).toContain('index.html');
    expect(readdirSync(join(service.dataDir, 'blobs'))).toEqual([]);

    const bundle = await service.client.call('createBundle', {
      params: { jobId: job.jobId },
      body: { ttlSeconds: 60 },
    });
    const url = new URL(bundle.bundleUrl);
    expect([url.origin, url.searchParams.get('X-Amz-Expires')]).toEqual([rgw.endpoint, '60']);
    const left = Date.parse(bundle.expiresAt) - Date.now();
    expect(left > 0 && left <= 60_000).toBe(true);

    for (const path of [`jobs/${job.jobId}/bundle`, `latest/bundle?domain=${domain}`]) {
      const address = `/v1/static-export/${path}`;
      const part = await fetch(await locationOf(address, 'GET'), { headers: { range: 'bytes=0-1' } });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, Buffer.from([0x1f, 0x8b])]);
      const head = await fetch(await locationOf(address, 'HEAD'), { method: 'HEAD' });
      expect([head.status, Number(head.headers.get('content-length'))]).toEqual([200, bundle.sizeBytes]);
    }
  });

  async function locationOf(path: string, method: string): Promise<string> {
    const answer = await service.request(path, { method });
    expect(answer.status).toBe(302);
    return answer.headers.get('location') ?? '';
  }

  test('have deltas there too, which lead to the same bytes', patience, async () => {
    const folder = temporaryFolder('delta');
    const [base, delta, applied] = ['base', 'delta', 'applied'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const [older, newer] = [await ended(await start()), await ended(await start())];
    await downloadBundle(service.client, older.jobId, base);
    await downloadBundle(service.client, newer.jobId, delta, { since: older.jobId });
    const link = await service.client.call('createBundle', {
      params: { jobId: newer.jobId },
      body: { since: older.jobId },
    });
    expect(new URL(link.bundleUrl).origin).toBe(rgw.endpoint);
    expect(link.sizeBytes).toBe(readFileSync(delta).length);
    const ran = spawnSync(process.execPath, [
      program,
      'bundle',
      'apply',
      base,
      delta,
      '-o',
      applied,
      '--json',
    ]);
    expect(JSON.parse(String(ran.stdout))).toMatchObject({ sha256: newer.bundle?.sha256 });
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  test('that were moved there open with the links of before, whole and in part', patience, async () => {
    const dataDir = temporaryFolder('moved');
    const before = await startService({ dataDir });
    const { jobId } = await before.client.call('startExport', { body: { domain: 'handbook.example.com' } });
    await waitForExport(before.client, jobId, { timeoutSeconds: 100 });
    const { bundleUrl, sha256 } = await before.client.call('createBundle', { params: { jobId } });
    await before.stop();

    const bucket = await rgw.createBucket();
    for (const [name, value] of Object.entries(rgw.credentials)) vi.stubEnv(name, value);
    const blobs = await openS3Blobs(bucket);
    for (const file of ['bundle.tar.gz', 'manifest.json', 'report.json'])
      await blobs.putBytes(`${jobId}/1/${file}`, readFileSync(join(dataDir, `blobs/${jobId}/1/${file}`)));
    vi.unstubAllEnvs();

    const after = await startService({ dataDir, environment: { ...environment, BLOBS_URL: bucket } });
    // The port has changed, and a link is signed for its host.
    const { host, pathname, search } = new URL(bundleUrl);
    const get = async (headers = {}) => {
      const asked = request(after.origin + pathname + search, { headers: { host, ...headers } }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, bytes: await buffer(answer) };
    };
    const { bytes } = await get();
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(await get({ range: 'bytes=2-5' })).toEqual({ status: 206, bytes: bytes.subarray(2, 6) });
    await after.stop();
  });

  test('arrive whole although the store restarts while they are on their way', patience, async () => {
    const jobId = await start();
    await packing(jobId);
    await rgw.stop();
    await rgw.start();
    const job = await ended(jobId);
    expect(job).toMatchObject({ status: 'completed', attempt: 1 });
    await download(job);
  });

  test(
    'a bundle is unavailable while the store is down, and the response has Retry-After',
    patience,
    async () => {
      const { data } = await service.client.call('listExports', { query: { status: 'completed' } });
      const jobId = data[0]?.jobId ?? '';
      await rgw.stop();
      try {
        for (const [method, file] of [
          ['POST', 'bundle'],
          ['GET', 'bundle'],
          ['GET', 'manifest'],
          ['GET', 'report'],
        ]) {
          const answer = await service.request(`/v1/static-export/jobs/${jobId}/${file}`, {
            method: method ?? '',
          });
          const body = (await answer.json()) as { code: string };
          expect([file, answer.status, body.code]).toEqual([file, 503, 'storage_unavailable']);
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
        const ready = await service.request('/readyz');
        expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'degraded' }]);
      } finally {
        await rgw.start();
      }
      expect((await service.request(`/v1/static-export/jobs/${jobId}/manifest`)).status).toBe(200);
    },
  );

  test(
    'uploads do not delay a stop while the store is down; the next process resumes them',
    patience,
    async () => {
      const jobId = await start();
      await packing(jobId);
      await rgw.stop();
      try {
        expect(await service.stop()).toBe(0);
      } finally {
        await rgw.start();
      }
      service = await startService({ environment, sample: false, dataDir: service.dataDir });
      const job = await ended(jobId);
      expect(job).toMatchObject({ status: 'completed', attempt: 2 });
      await download(job);
    },
  );
});

/** Incompressible pictures, for a multipart upload. */
function heavySite(): string {
  const folder = temporaryFolder('heavy-site');
  writeFiles(folder, siteFiles(3));
  mkdirSync(join(folder, 'images'));
  for (let picture = 0; picture < 40; picture += 1)
    writeFileSync(join(folder, `images/picture-${picture}.png`), randomBytes(1_000_000));
  return folder;
}
