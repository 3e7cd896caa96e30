import { ExportJob } from '@docyard/api';
import { beforeAll, expect, test } from 'vitest';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, failJob, reportProgress, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
} from '../../test/support/test-context.ts';
import { viewExport } from './view.ts';

const jobs: Record<string, Job> = {};

beforeAll(async () => {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant, { domain: 'docs.example.com' });
  jobs['queued'] = await createExport(context, tenant, project, {
    version: '2.0',
    paths: ['index'],
    basePath: '/docs',
    urlStyle: 'clean',
    groups: ['staff'],
    airGapped: true,
    strict: true,
    metadata: { ticket: '42' },
  });
  const claimed = present(await claimJob(context, (await createExport(context, tenant, project)).id));
  await reportProgress(context, claimed, {
    phase: 'rendering',
    progress: 33.3333,
    pageCount: 4,
    totalPages: 12,
    commit: 'abc',
  });
  const where = { id: claimed.id, reach: tenant.actor, kind: 'export' as const };
  const { readJob } = await import('../jobs/store.ts');
  jobs['running'] = present(await readJob(context, where));
  const failure = failureOf('config_invalid', 'docs.json is broken.', { file: 'docs.json', line: 2 });
  jobs['failed'] = present(await failJob(context, claimed, failure));
  jobs['completed'] = await createCompletedExport(context, tenant, project);
});

test.each(['queued', 'running', 'failed', 'completed'])('a %s job has every field and no other', (status) => {
  const view = viewExport(present(jobs[status]));
  expect(ExportJob.strict().parse(view)).toEqual(view);
  expect(view.status).toBe(status);
  const { error, ...rest } = view;
  expect(error === undefined).toBe(status !== 'failed');
  expect(Object.keys(rest).toSorted()).toEqual(
    Object.keys(ExportJob.shape)
      .filter((name) => name !== 'error')
      .toSorted(),
  );
});

test('the given options are returned', () => {
  expect(viewExport(present(jobs['queued']))).toMatchObject({
    version: '2.0',
    options: {
      paths: ['index'],
      basePath: '/docs',
      urlStyle: 'clean',
      groups: ['staff'],
      airGapped: true,
      strict: true,
      failOn: [],
    },
    metadata: { ticket: '42' },
  });
});

test('missing options have their defaults', () => {
  expect(viewExport(present(jobs['completed']))).toMatchObject({
    version: null,
    options: {
      paths: null,
      basePath: null,
      urlStyle: 'html',
      groups: [],
      airGapped: false,
      customScripts: 'skip',
      strict: false,
      failOn: [],
    },
    metadata: {},
    source: { ref: null, directory: null },
    retryOf: null,
    trigger: null,
    purgedAt: null,
  });
});

test('progress has one decimal, and the commit appears once it is known', () => {
  expect(viewExport(present(jobs['running']))).toMatchObject({
    progress: 33.3,
    pageCount: 4,
    totalPages: 12,
    phase: 'rendering',
    source: { commit: 'abc' },
    bundle: null,
  });
});

test('a failed job has its reason as a sentence and as an object', () => {
  expect(viewExport(present(jobs['failed']))).toMatchObject({
    error: 'docs.json is broken.',
    failure: { code: 'config_invalid', file: 'docs.json', line: 2, hint: null, retryable: false },
  });
});

test('a completed job has progress 100 and its bundle and does not reveal whether local sources are allowed', () => {
  const view = viewExport(present(jobs['completed']));
  expect(view).toMatchObject({
    progress: 100,
    phase: 'done',
    failure: null,
    bundle: { sizeBytes: 21, fileCount: 1 },
  });
  expect(JSON.stringify(view)).not.toContain('allowLocal');
});
