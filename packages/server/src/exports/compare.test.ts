import type { Comparison } from '@docyard/api';
import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifestBytes } from '@docyard/bundle';
import { markPurged, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { blobName } from './record.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Awaited<ReturnType<typeof createTestProject>>;
let first: Job;
let second: Job;

const page = (name: string, text: string) => ({ [`${name}.md`]: text, [`${name}.html`]: `<p>${text}</p>` });

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant);
  first = await exportOf({
    ...page('index', 'Home'),
    ...page('old/start', 'Start'),
    ...page('gone', 'Gone'),
  });
  second = await exportOf({ ...page('index', 'At home'), ...page('start', 'Start'), 'logo.svg': '<svg/>' });
});

async function exportOf(files: Record<string, string>, of = project): Promise<Job> {
  const job = await createCompletedExport(context, tenant, of);
  const listed = Object.entries(files).map(([path, text]) => ({
    path,
    sizeBytes: Buffer.byteLength(text),
    sha256: hash('sha256', text),
    title: path.endsWith('.md') ? text : undefined,
  }));
  const facts = { engineVersion: '0', version: null, commit: null, committedAt: null, pages: 1 };
  await context.blobs.putBytes(
    blobName(job.id, 1, 'manifest.json'),
    manifestBytes({ ...facts, files: listed }),
  );
  return job;
}

async function compare(
  job: Job,
  query = '',
): Promise<{ status: number; body: Comparison & { code?: string } }> {
  const answer = await service.request(`/v1/static-export/jobs/${job.id}/compare${query}`, {
    key: tenant.key.key,
  });
  return { status: answer.status, body: (await answer.json()) as Comparison };
}

test('the comparison lists changed, moved and removed pages and other files separately', async () => {
  const { status, body } = await compare(second, `?with=${first.id}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    identical: false,
    from: { jobId: first.id },
    to: { jobId: second.id },
    pages: {
      added: [],
      changed: [{ path: '/', title: 'At home', titleBefore: 'Home' }],
      removed: [{ path: '/gone', title: 'Gone' }],
      moved: [{ path: '/start', from: '/old/start', title: 'Start', changed: false }],
    },
    files: { added: ['logo.svg'], changed: [], removed: [] },
  });
});

describe('without `with`', () => {
  test('the previous completed export is the base', async () => {
    await createExport(context, tenant, project);
    expect((await compare(second)).body).toMatchObject({ from: { jobId: first.id } });
  });

  test('the first export has no base', async () => {
    expect(await compare(first)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('an export without files is skipped', async () => {
    const third = await exportOf(page('index', 'At home'));
    const purged = await exportOf(page('index', 'Lost'));
    const last = await exportOf(page('index', 'At home'));
    await markPurged(context, purged.id);
    const { body } = await compare(last);
    expect(body).toMatchObject({ identical: true, from: { jobId: third.id } });
    expect(await compare(last, `?with=${purged.id}`)).toMatchObject({ status: 410 });
  });
});

test('an export of another project is refused with the reason', async () => {
  const other = await exportOf(page('index', 'Other'), await createTestProject(context, tenant));
  const { status, body } = await compare(second, `?with=${other.id}`);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
});
