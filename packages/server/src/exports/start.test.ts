import { describe, expect, test } from 'vitest';
import { listAuditLog } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { claimJob } from '../jobs/store.ts';
import { updateProject } from '../projects/projects.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
  temporaryFolder,
  writeFiles,
} from '../../test/support/test-context.ts';
import { cancelExport, deleteExport } from './cancel.ts';
import { inputOf, optionsOf } from './record.ts';
import { prepareExport, prepareRetry, countRecentStarts, startExport } from './start.ts';

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant, { domain: 'docs.example.com' });
  const { actor, organizationId } = tenant;
  const prepare = (
    request: { ref?: string; paths?: string[]; failOn?: string[] } = {},
    domain = 'docs.example.com',
  ) => prepareExport(context, { request: { domain, ...request }, actor, allowLocal: true });
  const start = async (request = {}) => startExport(context, { prepared: await prepare(request), actor });
  const actions = async () =>
    (await listAuditLog(context, { organizationId })).data.map(({ action }) => action);
  return { context, tenant, project, actor, organizationId, prepare, start, actions };
}

describe('starting', () => {
  test('an export includes custom scripts when its request or its project enables them', async () => {
    const { context, project, actor, start } = await setUp();
    const chosen = async (request = {}) => optionsOf(inputOf(await start(request)).request).customScripts;
    expect(await chosen()).toBe('skip');
    expect(await chosen({ customScripts: 'include' })).toBe('include');
    const change = { exports: { customScripts: 'include' as const } };
    const changed = await updateProject(context, { projectId: project.id, change, actor, allowLocal: true });
    expect(changed.exports).toMatchObject({ customScripts: 'include' });
    expect(await chosen()).toBe('include');
    expect(await chosen({ customScripts: 'skip' })).toBe('skip');
  });

  test('a start stores the request and the source and is recorded in the audit log', async () => {
    const { project, start, actions } = await setUp();
    const job = await start({ ref: 'next', version: '2' });
    expect(job).toMatchObject({
      status: 'queued',
      project_id: project.id,
      domain: 'docs.example.com',
      retry_of: null,
    });
    expect(inputOf(job)).toEqual({
      request: { domain: 'docs.example.com', ref: 'next', version: '2' },
      source: {
        repository: 'https://git.example.com/docs.git',
        ref: 'next',
        directory: null,
        allowLocal: true,
      },
    });
    expect((await actions())[0]).toBe('export.start');
  });

  test('an unknown domain, or one of another organization, is not found', async () => {
    const { context, prepare } = await setUp();
    const other = await createTenant(context, { name: 'Other' });
    await createTestProject(context, other, { domain: 'theirs.example.com' });
    for (const domain of ['unknown.example.com', 'theirs.example.com']) {
      await expect(prepare({}, domain)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('a ref that is unsafe for git is refused', async () => {
    const { prepare } = await setUp();
    await expect(prepare({ ref: 'main..other' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'ref' }],
    });
  });

  test('a source of the project that is refused is reported under the field of the project', async () => {
    const { context, tenant, actor } = await setUp();
    const domain = 'local.example.com';
    await createTestProject(context, tenant, { domain, repository: '/srv/docs' });
    const prepare = (request: { ref?: string }) =>
      prepareExport(context, { request: { domain, ...request }, actor, allowLocal: false });
    for (const request of [{}, { ref: 'main' }]) {
      await expect(prepare(request)).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'source.repository' }],
      });
    }
    await expect(prepare({ ref: 'main..other' })).rejects.toMatchObject({ details: [{ path: 'ref' }] });
  });

  test('an unknown finding is reported before the start with its index', async () => {
    const { prepare } = await setUp();
    await expect(prepare({ failOn: ['warning', 'broken_link'] })).resolves.toBeDefined();
    await expect(prepare({ failOn: ['error', 'broken_lnk'] })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'failOn.1', message: 'There is no finding broken_lnk.' }],
    });
  });

  test('an unknown page is reported before the start with its index', async () => {
    const { context, tenant, prepare } = await setUp();
    const folder = temporaryFolder('site');
    writeFiles(folder, {
      'docs.json': JSON.stringify({
        theme: 'mint',
        name: 'S',
        colors: { primary: '#0f766e' },
        navigation: { pages: ['index'] },
      }),
      'index.mdx': '---\ntitle: Home\n---\n\nHello.\n',
    });
    await createTestProject(context, tenant, { domain: 'local.example.com', repository: folder });
    await expect(prepare({ paths: ['index'] }, 'local.example.com')).resolves.toBeDefined();
    await expect(prepare({ paths: ['index', 'indx'] }, 'local.example.com')).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'paths.1', message: 'The site has no page indx.' }],
    });
  });

  test('a source that cannot be fetched does not prevent the start', async () => {
    const { context, tenant, prepare } = await setUp();
    const repository = '/no/such/folder';
    await createTestProject(context, tenant, { domain: 'gone.example.com', repository });
    await expect(prepare({ paths: ['index'] }, 'gone.example.com')).resolves.toBeDefined();
  });

  test('the starts of the last hour include deleted jobs', async () => {
    const recentOf = async (context: Context, id: string) => (await countRecentStarts(context, [id])).get(id);
    const { context, organizationId, start, actor } = await setUp();
    const first = await start();
    context.clock.advance(1800);
    await start();
    await cancelExport(context, { jobId: first.id, actor });
    await deleteExport(context, { jobId: first.id, actor });
    expect(await recentOf(context, organizationId)).toEqual({
      count: 2,
      oldestAt: new Date('2026-03-01T12:00:00.000Z'),
    });
    context.clock.advance(1800);
    expect(await recentOf(context, organizationId)).toMatchObject({ count: 1 });
  });
});

describe('retrying', () => {
  test('a retry creates a new job with the same request', async () => {
    const { context, tenant, project, actor } = await setUp();
    const old = await createCompletedExport(context, tenant, project);
    const prepared = await prepareRetry(context, { jobId: old.id, actor });
    const job = await startExport(context, { prepared, actor });
    expect(job).toMatchObject({ status: 'queued', retry_of: old.id, input: old.input });
  });

  test('a retry of a running job is refused', async () => {
    const { context, tenant, project, actor } = await setUp();
    const { id: jobId } = await createExport(context, tenant, project);
    await expect(prepareRetry(context, { jobId, actor })).rejects.toMatchObject({ code: 'job_not_finished' });
  });
});

describe('cancelling and deleting', () => {
  test('a queued job ends, a running one is marked, a finished one is refused', async () => {
    const { context, tenant, project, actor, actions } = await setUp();
    const waiting = await createExport(context, tenant, project);
    const running = present(await claimJob(context, (await createExport(context, tenant, project)).id));
    const finished = await createCompletedExport(context, tenant, project);
    expect(await cancelExport(context, { jobId: waiting.id, actor })).toMatchObject({ status: 'failed' });
    expect(await cancelExport(context, { jobId: running.id, actor })).toMatchObject({ status: 'running' });
    const before = await actions();
    await expect(cancelExport(context, { jobId: finished.id, actor })).rejects.toMatchObject({
      code: 'job_finished',
      message: 'The job has already ended as completed; there is nothing to cancel.',
    });
    expect(await actions()).toEqual(before);
  });

  test('only a finished job of the same organization can be deleted', async () => {
    const { context, tenant, project, actor } = await setUp();
    const other = await createTenant(context, { name: 'Other' });
    const waiting = await createExport(context, tenant, project);
    const finished = await createCompletedExport(context, tenant, project);
    await expect(deleteExport(context, { jobId: waiting.id, actor })).rejects.toMatchObject({
      code: 'job_not_finished',
    });
    const theirs = deleteExport(context, { jobId: finished.id, actor: other.actor });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
    await deleteExport(context, { jobId: finished.id, actor });
    const left = await context.database.selectFrom('jobs').select('id').execute();
    expect(left).toEqual([{ id: waiting.id }]);
  });
});
