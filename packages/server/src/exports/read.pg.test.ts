import { beforeAll, describe, expect, test } from 'vitest';
import type { Project } from '@docyard/api';
import type { AccessScope } from '../access-scope.ts';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, failJob, markPurged, reportProgress, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import {
  batchedFindExport,
  finishedResult,
  findExport,
  findLatestExport,
  listExports,
  readEvents,
  readManifest,
  readReport,
} from './read.ts';
import { blobName } from './record.ts';

let context: TestContext;
let tenant: Tenant;
let project: Project;

beforeAll(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant, { domain: 'docs.example.com' });
});

const find = ({ id }: Job) => findExport(context, { id, reach: tenant.actor });

describe('finishedResult', () => {
  test('returns the result of a completed job', async () => {
    const job = await createCompletedExport(context, tenant, project);
    expect(finishedResult(job)).toMatchObject({ attempt: 1, bundle: { fileCount: 1 } });
  });

  test('rejects an unfinished job with a Retry-After header', async () => {
    const job = await createExport(context, tenant, project);
    for (const status of ['queued', 'running']) {
      const ask = () => finishedResult({ ...job, status });
      expect(ask).toThrow(
        expect.objectContaining({ code: 'job_not_completed', headers: { 'retry-after': '2' } }) as Error,
      );
      expect(ask).toThrow(
        `The job is ${status}. Poll GET /v1/static-export/jobs/${job.id} until it is completed.`,
      );
    }
  });

  test('rejects a failed job and names the retry endpoint', async () => {
    const job = present(await claimJob(context, (await createExport(context, tenant, project)).id));
    const failed = present(await failJob(context, job, failureOf('internal', 'Broken.')));
    expect(() => finishedResult(failed)).toThrow(expect.objectContaining({ code: 'job_failed' }) as Error);
    expect(() => finishedResult(failed)).toThrow(`POST /v1/static-export/jobs/${job.id}/retry`);
  });

  test('rejects a purged job with the time of its removal', async () => {
    const job = await createCompletedExport(context, tenant, project);
    await markPurged(context, job.id);
    const purged = await find(job);
    expect(() => finishedResult(purged)).toThrow(expect.objectContaining({ code: 'bundle_purged' }) as Error);
    expect(() => finishedResult(purged)).toThrow('removed on 2026-03-01T12:00:00.000Z');
  });
});

const report = {
  format: 1,
  pages: 1,
  errors: 0,
  warnings: 0,
  infos: 0,
  byCode: {},
  diagnostics: [],
  truncated: false,
  weights: [{ path: 'index.html', file: 'index.mdx', bytes: 1000 }],
  orphans: [],
  remoteAssets: [],
  slowest: [{ file: 'index.mdx', milliseconds: 1.5 }],
};

describe('one export', () => {
  test('is found within the access scope, also by concurrent callers', async () => {
    const jobs = [await createExport(context, tenant, project), await createExport(context, tenant, project)];
    const limited = { ...tenant.actor, projectId: project.id };
    const read = (where: { id: string; reach: AccessScope }) => findExport(context, where);
    const found = await Promise.all([
      ...jobs.map(({ id }) => read({ id, reach: tenant.actor })),
      ...jobs.map(({ id }) => read({ id, reach: limited })),
    ]);
    expect(found).toEqual(await Promise.all([...jobs, ...jobs].map(find)));
  });

  test('is not found outside the access scope, like one that does not exist', async () => {
    const other = await createTenant(context, { name: 'Other' });
    const outside = await createTestProject(context, tenant);
    const { id } = await createExport(context, tenant, project);
    const agentJob = await createExport(context, tenant, project);
    await context.database.updateTable('jobs').set({ kind: 'agent' }).where('id', '=', agentJob.id).execute();
    const read = (where: { id: string; reach: AccessScope }) => findExport(context, where);
    const attempts = [
      read({ id: 'se_0000000000000000', reach: tenant.actor }),
      read({ id, reach: other.actor }),
      read({ id, reach: { ...tenant.actor, projectId: outside.id } }),
      read({ id: agentJob.id, reach: tenant.actor }),
    ];
    const errors = await Promise.all(attempts.map((attempt) => attempt.catch((error: unknown) => error)));
    expect(errors[0]).toMatchObject({ code: 'not_found' });
    expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
  });

  test('has the report and manifest of its attempt', async () => {
    const job = await createCompletedExport(context, tenant, project);
    await context.blobs.putBytes(blobName(job.id, 1, 'report.json'), Buffer.from(JSON.stringify(report)));
    await context.blobs.putBytes(blobName(job.id, 1, 'manifest.json'), Buffer.from('{"format":1}'));
    await context.blobs.putBytes(blobName(job.id, 2, 'manifest.json'), Buffer.from('{"format":"late"}'));
    expect(await readReport(context, job)).toEqual({ jobId: job.id, ...report });
    expect(await readManifest(context, job)).toEqual({ format: 1, committedAt: null });
  });

  test('that failed because of findings has a report and no other file', async () => {
    const id = (await createExport(context, tenant, project)).id;
    const claimed = present(await claimJob(context, id));
    await context.blobs.putBytes(blobName(id, 1, 'report.json'), Buffer.from(JSON.stringify(report)));
    await failJob(context, claimed, failureOf('strict_failed', 'Strict: a finding'));
    const failed = await find(claimed);
    expect(await readReport(context, failed)).toEqual({ jobId: id, ...report });
    await expect(readManifest(context, failed)).rejects.toMatchObject({ code: 'job_failed' });
    await context.blobs.removeAll(id);
    await expect(readReport(context, failed)).rejects.toMatchObject({ code: 'job_failed' });
  });

  test('has events in order, starting where the reader stopped', async () => {
    const job = await createExport(context, tenant, project);
    const claimed = present(await claimJob(context, job.id));
    await reportProgress(context, claimed, { progress: 10 });
    await reportProgress(context, claimed, { progress: 20 });
    const all = await readEvents(context, { job, afterSequence: 0, maxEvents: 100 });
    expect(all.map(({ record }) => [record.status, record.progress])).toEqual([
      ['queued', 0],
      ['running', 0],
      ['running', 10],
      ['running', 20],
    ]);
    const afterSequence = present(all[1]).sequence;
    expect(await readEvents(context, { job, afterSequence, maxEvents: 1 })).toEqual([all[2]]);
  });
});

describe('the newest export of a domain', () => {
  test('is the last completed one whose files exist', async () => {
    const where = { domain: 'latest.example.com', reach: tenant.actor };
    const mine = await createTestProject(context, tenant, { domain: where.domain });
    await expect(findLatestExport(context, where)).rejects.toMatchObject({ code: 'not_found' });
    const first = await createCompletedExport(context, tenant, mine);
    const second = await createCompletedExport(context, tenant, mine);
    await createExport(context, tenant, mine);
    const agentJob = await createCompletedExport(context, tenant, mine);
    await context.database
      .updateTable('jobs')
      .set({ preview_of: 'aj_1' })
      .where('id', '=', agentJob.id)
      .execute();
    expect((await findLatestExport(context, where)).id).toBe(second.id);
    await markPurged(context, second.id);
    expect((await findLatestExport(context, where)).id).toBe(first.id);
    const other = await createTenant(context, { name: 'Other' });
    const outside = { ...where, reach: other.actor };
    await expect(findLatestExport(context, outside)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a list is filtered by domain, status and time', async () => {
  const own = await createTenant(context, { name: 'Lists' });
  const a = await createTestProject(context, own, { domain: 'a.example.com' });
  const b = await createTestProject(context, own, { domain: 'b.example.com' });
  const [first, second] = [await createCompletedExport(context, own, a), await createExport(context, own, a)];
  context.clock.advance(3600);
  const third = await createExport(context, own, b);
  const list = async (filter: { domain?: string; status?: string; since?: string }) => {
    const { data } = await listExports(context, { reach: own.actor, ...filter });
    return data.map(({ jobId }) => jobId);
  };
  expect(await list({})).toEqual([third.id, second.id, first.id]);
  expect(await list({ domain: 'a.example.com' })).toEqual([second.id, first.id]);
  expect(await list({ domain: 'a.example.com', status: 'completed' })).toEqual([first.id]);
  expect(await list({ since: third.created_at })).toEqual([third.id]);
  expect(await list({ since: third.created_at.replace('13:00:00.000Z', '14:00:00.000+01:00') })).toEqual([
    third.id,
  ]);
  expect(await list({ status: 'failed' })).toEqual([]);
});

describe('batchedFindExport', () => {
  test('concurrent callers get their own jobs and no job outside their access scope', async () => {
    const [first, second] = [
      await createExport(context, tenant, project),
      await createExport(context, tenant, project),
    ];
    const other = await createTenant(context);
    const findBatched = batchedFindExport(context);
    const settled = await Promise.allSettled([
      findBatched({ id: first.id, reach: tenant.actor }),
      findBatched({ id: second.id, reach: tenant.actor }),
      findBatched({ id: first.id, reach: other.actor }),
      findBatched({ id: first.id, reach: { ...tenant.actor, projectId: 'pr_0000000000000000' } }),
    ]);
    expect(settled.slice(0, 2)).toMatchObject([{ value: { id: first.id } }, { value: { id: second.id } }]);
    expect(settled.slice(2)).toMatchObject([
      { reason: { code: 'not_found' } },
      { reason: { code: 'not_found' } },
    ]);
  });
});
