/** Static exports on a plan without them: every operation is refused, and the data stays for an upgrade. */
import { operation, operationIds } from '@docyard/api';
import { beforeEach, expect, test } from 'vitest';
import { packBundle } from '../../../bundle/test/support/deltas.ts';
import type { Job } from '../jobs/store.ts';
import { setPlan } from '../organizations/organizations.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  until,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let job: Job;

beforeEach(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  job = await createCompletedExport(context, tenant, project, await packBundle({ 'index.html': 'Home' }));
});

const area = operationIds.filter((id) => operation(id).path.startsWith('/v1/static-export/'));

async function ask(id: (typeof area)[number], jobId: string): Promise<Response> {
  const { method, path } = operation(id);
  const init = { method: method.toUpperCase(), key: tenant.key.key };
  return service.request(path.replace('{jobId}', jobId), init);
}

async function changePlan(plan: 'free' | 'enterprise'): Promise<void> {
  await setPlan(context, { id: tenant.organizationId, plan });
  const isSeen = async () => ((await ask('listExports', '')).status === 200) === (plan === 'enterprise');
  await until(isSeen, 3);
}

test.each(['free', 'pro'] as const)(
  'every operation on static exports is answered plan_required on the plan %s, even for unknown jobs',
  async (plan) => {
    await setPlan(context, { id: tenant.organizationId, plan });
    for (const id of area) {
      const answers = [];
      for (const jobId of [job.id, 'se_0000000000000000']) {
        const answer = await ask(id, jobId);
        const { requestId: _, ...body } = (await answer.json()) as Record<string, unknown>;
        answers.push({ status: answer.status, body });
      }
      expect(answers[0], id).toMatchObject({ status: 403, body: { code: 'plan_required' } });
      expect(answers[1], id).toEqual(answers[0]);
    }
  },
);

test('a cached status is refused after the plan has changed', async () => {
  expect((await ask('readExport', job.id)).status).toBe(200);
  await setPlan(context, { id: tenant.organizationId, plan: 'free' });
  await until(async () => (await ask('readExport', job.id)).status === 403, 3);
});

test('links that were issued before a downgrade stay valid until they expire', async () => {
  const bundle = (await (await ask('createBundle', job.id)).json()) as { bundleUrl: string };
  const preview = (await (await ask('createPreview', job.id)).json()) as { previewUrl: string };
  const links = [new URL(bundle.bundleUrl).pathname + new URL(bundle.bundleUrl).search, preview.previewUrl];
  await changePlan('free');
  for (const link of links) expect((await service.request(link)).status, link).toBe(200);
  context.clock.advance(3601);
  for (const link of links) expect((await service.request(link)).status, link).toBe(410);
});

test('jobs and bundles are usable again after an upgrade', async () => {
  await changePlan('free');
  await changePlan('enterprise');
  expect(await (await ask('readExport', job.id)).json()).toMatchObject({ status: 'completed' });
  expect((await ask('createBundle', job.id)).status).toBe(200);
  expect((await ask('createPreview', job.id)).status).toBe(200);
});

test('projects and the key that verifies bundles stay readable on every plan', async () => {
  await changePlan('free');
  for (const path of ['/v1/projects', '/v1/signing-key', '/v1/me'])
    expect((await service.request(path, { key: tenant.key.key })).status, path).toBe(200);
});
