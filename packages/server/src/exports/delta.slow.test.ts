import { createHash, hash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DocyardClient } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Archive, expandDelta, unpackBundle } from '@docyard/bundle';
import { deltaOf, packBundle, packed, packEntries } from '../../../bundle/test/support/deltas.ts';
import { inChunks } from '../../../bundle/test/support/bundles.ts';
import { claimJob, failJob, markPurged, type Job } from '../jobs/store.ts';
import { sweep } from './retention.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  temporaryFolder,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Awaited<ReturnType<typeof createTestProject>>;
let base: Buffer;
let target: Buffer;
let delta: Buffer;
let older: Job;
let newer: Job;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant);
  const text = 'The same words for every version. '.repeat(50);
  base = await packBundle({ 'index.html': `${text}One.`, 'gone.html': 'gone' });
  target = await packBundle({ 'index.html': `${text}Two.`, 'new.html': 'new' });
  delta = await deltaOf(base, target);
  older = await createCompletedExport(context, tenant, project, base);
  newer = await createCompletedExport(context, tenant, project, target);
});

const linkTo = (job: Job, body: object) =>
  service.request(`/v1/static-export/jobs/${job.id}/bundle`, { ...jsonBody(body), key: tenant.key.key });
const open = (path: string) => service.request(`/v1/static-export/${path}`, { key: tenant.key.key });
const filesOf = (job: Job) => readdirSync(join(context.config.dataDir, 'blobs', job.id, '1')).toSorted();
const workLeft = () => readdirSync(join(context.config.dataDir, 'work'));

describe('a delta', () => {
  test('contains the changes since another job and has a size and a hash', async () => {
    const answer = await linkTo(newer, { since: older.id });
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { bundleUrl: string };
    expect(body).toMatchObject({
      jobId: newer.id,
      sizeBytes: delta.length,
      sha256: hash('sha256', delta),
      bundleUrl: expect.stringContaining(`/b/${newer.id}/delta-${older.id}.tar.gz?`) as string,
    });
    const file = await service.request(body.bundleUrl.slice(service.origin.length));
    expect(Buffer.from(await file.arrayBuffer()).equals(delta)).toBe(true);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-disposition': `attachment; filename="delta-${older.id}.tar.gz"`,
      'content-length': String(delta.length),
      etag: `"sha256-${hash('sha256', delta)}"`,
    });
  });

  test('is available at the stable addresses', async () => {
    for (const path of [
      `jobs/${newer.id}/bundle?since=${older.id}`,
      `latest/bundle?domain=${project.domain}&since=${older.id}`,
    ]) {
      const answer = await open(path);
      expect(answer.status).toBe(302);
      const file = await service.request(
        present(answer.headers.get('location')).slice(service.origin.length),
      );
      expect(Buffer.from(await file.arrayBuffer()).equals(delta)).toBe(true);
    }
  });

  test('can be downloaded by the client and turns the older bundle into the newer one', async () => {
    const folder = temporaryFolder('download');
    const client = new DocyardClient({ baseUrl: service.origin, apiKey: tenant.key.key });
    await downloadBundle(client, newer.id, join(folder, 'delta'), { since: older.id });
    await unpackBundle(inChunks(base), join(folder, 'base'));
    const into = new Archive(join(folder, 'spool'));
    await expandDelta(inChunks(delta), { baseFolder: join(folder, 'base'), into });
    const full = await packed(into, join(folder, 'full'));
    into.close();
    expect(hash('sha256', full)).toBe(createHash('sha256').update(target).digest('hex'));
  });

  test('is made once for concurrent requests and stored beside the bundle', async () => {
    const [from, to] = [
      await createCompletedExport(context, tenant, project, base),
      await createCompletedExport(context, tenant, project, target),
    ];
    const read = vi.spyOn(context.blobs, 'read');
    const asked = Array.from({ length: 5 }, () => linkTo(to, { since: from.id }));
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
    expect((await linkTo(to, { since: from.id })).status).toBe(200);
    expect(read).toHaveBeenCalledTimes(2);
    read.mockRestore();
    expect(filesOf(to)).toEqual(['bundle.tar.gz', `delta-${from.id}.json`, `delta-${from.id}.tar.gz`]);
    expect(workLeft()).toEqual([]);
  });

  test('is made again when it was stored incompletely', async () => {
    const to = await createCompletedExport(context, tenant, project, target);
    expect((await linkTo(to, { since: older.id })).status).toBe(200);
    rmSync(join(context.config.dataDir, 'blobs', to.id, '1', `delta-${older.id}.json`));
    expect((await linkTo(to, { since: older.id })).status).toBe(200);
    expect(filesOf(to)).toContain(`delta-${older.id}.json`);
  });

  test('is removed with the bundle', async () => {
    const to = await createCompletedExport(context, tenant, project, target);
    const { bundleUrl } = (await (await linkTo(to, { since: older.id })).json()) as { bundleUrl: string };
    await markPurged(context, to.id);
    await sweep(context);
    expect((await service.request(bundleUrl.slice(service.origin.length))).status).toBe(410);
    expect(readdirSync(join(context.config.dataDir, 'blobs'))).not.toContain(to.id);
  });
});

const canceled = {
  code: 'canceled' as const,
  message: 'Canceled.',
  file: null,
  line: null,
  hint: null,
  retryable: true,
};

describe('a delta is refused', () => {
  const problemOf = async (answer: Response) => ({
    status: answer.status,
    ...((await answer.json()) as { code: string; error: string }),
  });

  test('since an unknown job', async () => {
    const problem = await problemOf(await linkTo(newer, { since: 'se_0000000000000000' }));
    expect(problem).toMatchObject({ status: 404, code: 'not_found' });
    expect(problem.error).toContain('`since`');
    expect(await problemOf(await open(`jobs/${newer.id}/bundle?since=nonsense`))).toMatchObject({
      status: 404,
    });
  });

  test('since a job of another organization, as if it did not exist', async () => {
    const stranger = await createTenant(context, { name: 'Stranger' });
    const theirs = await createTestProject(context, stranger);
    const job = await createCompletedExport(context, stranger, theirs, base);
    expect(await problemOf(await linkTo(newer, { since: job.id }))).toMatchObject({ status: 404 });
  });

  test('since a job of another project', async () => {
    const other = await createTestProject(context, tenant);
    const job = await createCompletedExport(context, tenant, other, base);
    const problem = await problemOf(await linkTo(newer, { since: job.id }));
    expect(problem).toMatchObject({
      status: 400,
      code: 'invalid_request',
      details: [{ path: 'since' }],
    });
    expect(problem.error).toContain(other.domain);
  });

  test('since an unfinished or failed job', async () => {
    const queued = await createExport(context, tenant, project);
    expect(await problemOf(await linkTo(newer, { since: queued.id }))).toMatchObject({
      status: 409,
      code: 'job_not_completed',
      error: expect.stringContaining('`since`') as string,
    });
    await failJob(context, present(await claimJob(context, queued.id)), canceled);
    expect(await problemOf(await linkTo(newer, { since: queued.id }))).toMatchObject({
      status: 409,
      code: 'job_failed',
      error: expect.stringContaining('`since`') as string,
    });
  });

  test('since a job whose files were removed', async () => {
    const job = await createCompletedExport(context, tenant, project, base);
    await markPurged(context, job.id);
    expect(await problemOf(await linkTo(newer, { since: job.id }))).toMatchObject({
      status: 410,
      code: 'bundle_purged',
      error: expect.stringContaining('`since`') as string,
    });
  });

  test('since a job whose bundle is missing from the store', async () => {
    const job = await createCompletedExport(context, tenant, project, base);
    await context.blobs.removeAll(job.id);
    expect(await problemOf(await linkTo(newer, { since: job.id }))).toMatchObject({ status: 410 });
  });

  test('for bundles of an older version', async () => {
    const job = await createCompletedExport(context, tenant, project, await packEntries({ 'a.html': 'a' }));
    const problem = await problemOf(await linkTo(newer, { since: job.id }));
    expect(problem).toMatchObject({ status: 400, details: [{ path: 'since' }] });
    expect(workLeft()).toEqual([]);
    expect(filesOf(newer)).not.toContain(`delta-${job.id}.tar.gz`);
  });

  test('on a full disk, with the reason, and the next request succeeds', async () => {
    const work = join(context.config.dataDir, 'work');
    const [from, to] = [
      await createCompletedExport(context, tenant, project, base),
      await createCompletedExport(context, tenant, project, target),
    ];
    const full = vi
      .spyOn(context.blobs, 'putStream')
      .mockRejectedValueOnce(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    expect(await problemOf(await linkTo(to, { since: from.id }))).toMatchObject({
      status: 503,
      code: 'storage_unavailable',
      error: expect.stringContaining('disk is too full') as string,
    });
    full.mockRestore();
    expect(readdirSync(work)).toEqual([]);
    expect((await linkTo(to, { since: from.id })).status).toBe(200);
  });
});
