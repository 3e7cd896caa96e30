/** A service on a full disk asks callers to retry and names the disk to the operator. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program, startService, temporaryFolder, type Service } from './service.ts';
import { fillDisk, mountSmallDisk, unmountSmallDisk } from './small-disk.ts';

const folder = temporaryFolder('small-disk');
const isMounted = mountSmallDisk(folder, 32);
if (!isMounted) console.warn('Skipped: a full disk, since no file system can be mounted here.');

describe.runIf(isMounted)('a full disk', () => {
  const dataDir = join(folder, 'data');
  let service: Service;

  const createProject = (number: number) =>
    service.request('/v1/projects', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `Project ${number}`,
        domain: `full-${number}.example.com`,
        source: { repository: 'https://git.example.com/docs.git' },
      }),
    });

  beforeAll(async () => {
    spawnSync('mkdir', [dataDir]);
    service = await startService({ dataDir, sample: false, environment: { DATABASE_URL: '' } });
  });

  afterAll(async () => {
    await service.kill();
    unmountSmallDisk(folder);
  });

  test('answers 503 storage_unavailable to a request that writes, and the same request succeeds afterwards', async () => {
    const free = fillDisk(folder);
    let number = 0;
    // The write-ahead log may have reusable pages left.
    let answer = await createProject(number);
    while (answer.status === 201 && number < 2000) answer = await createProject((number += 1));
    const refused = { status: answer.status, retryAfter: answer.headers.get('retry-after') };
    expect(await answer.json()).toMatchObject({
      code: 'storage_unavailable',
      error: expect.stringContaining('disk is full') as string,
    });
    expect(refused).toEqual({ status: 503, retryAfter: '5' });
    expect((await service.request('/v1/projects')).status).toBe(200);
    free();
    expect((await createProject(number)).status).toBe(201);
  });

  test('is named by a service that cannot start because of it', async () => {
    await service.stop();
    const free = fillDisk(folder);
    for (const data of [dataDir, join(folder, 'other')]) {
      const ended = spawnSync(process.execPath, [program, 'serve', '--port', '0', '--data', data], {
        encoding: 'utf8',
      });
      expect(ended.stderr).toContain(`The disk of the data folder ${data} is full`);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
      expect(ended.status).toBe(1);
    }
    free();
    service = await startService({ dataDir, sample: false, environment: { DATABASE_URL: '' } });
    expect((await service.request('/v1/projects')).status).toBe(200);
  });
});
