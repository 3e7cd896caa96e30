import { createServer } from 'node:net';
import type { Readiness } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { claimJob, completeJob } from '../jobs/store.ts';
import {
  cleanUp,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';

/** Accepts connections and never answers, as an overloaded server does. */
async function silentServer(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  cleanUp(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function endedExport(context: TestContext, tenant: Tenant): Promise<string> {
  const { id } = await createExport(context, tenant, await createTestProject(context, tenant));
  const claimed = present(await claimJob(context, id));
  const bundle = { sizeBytes: 1, sha256: '0'.repeat(64), fileCount: 1 };
  const result = { bundle, warnings: 0, errors: 0, attempt: claimed.attempt };
  await completeJob(context, claimed, { result, pageCount: 1 });
  return id;
}

describe.each([
  ['refuses connections', async () => 'http://127.0.0.1:9'],
  ['does not answer', silentServer],
])('a process whose bucket %s', (_, endpointOf) => {
  let context: TestContext;
  let tenant: Tenant;
  let request: Awaited<ReturnType<typeof serveForTest>>['request'];

  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    context = await composeForTest({ BLOBS_URL: `s3://bundles?endpoint=${await endpointOf()}` });
    tenant = await createTenant(context);
    ({ request } = await serveForTest(context));
  });

  afterAll(() => {
    vi.unstubAllEnvs();
  });

  const ask = (path: string, init: RequestInit = {}) => request(path, { key: tenant.key.key, ...init });

  test('the process is ready but degraded, so that a load balancer keeps it', async () => {
    const answer = await request('/readyz');
    const { status, checks } = (await answer.json()) as Readiness;
    expect([answer.status, status]).toEqual([200, 'degraded']);
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['storage']);
  });

  test('the process starts exports, reads their status and lists them', async () => {
    const { domain } = await createTestProject(context, tenant);
    const started = await ask('/v1/static-export/jobs', jsonBody({ domain }));
    expect(started.status).toBe(202);
    const { jobId } = (await started.json()) as { jobId: string };
    for (const path of [`/v1/static-export/jobs/${jobId}`, '/v1/static-export/jobs', '/v1/projects'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  test('requests that need the bucket are answered 503 storage_unavailable', async () => {
    const id = await endedExport(context, tenant);
    const paths = [`jobs/${id}/manifest`, `jobs/${id}/report`, `jobs/${id}/bundle`];
    const answers = await Promise.all(paths.map((path) => ask(`/v1/static-export/${path}`)));
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'storage_unavailable' });
    }
  }, 60_000);

  test('an export is deleted although its files remain in the bucket', async () => {
    const id = await endedExport(context, tenant);
    expect((await ask(`/v1/static-export/jobs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`/v1/static-export/jobs/${id}`)).status).toBe(404);
  }, 60_000);
});
