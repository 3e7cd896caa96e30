/** `GET /v2/agent/{projectId}/job/{id}` on the real application: the exact fields, and one answer for all that is not there. */
import { ErrorBody } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimJob, completeJob, createJob } from '../jobs/store.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../testing.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projectId: string;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
});

async function newAgentJob(ref: string | null = 'main') {
  return createJob(context, {
    kind: 'agent',
    organizationId: tenant.organizationId,
    projectId,
    domain: 'docs.example.com',
    input: {
      prompt: 'Fix.',
      model: 'small',
      source: { repository: 'https://git.example.com/docs.git', ref },
    },
    retryOf: null,
  });
}

const get = (
  id: string,
  options: { project?: string; key?: string; headers?: Record<string, string> } = {},
) =>
  service.request(`/v2/agent/${options.project ?? projectId}/job/${id}`, {
    key: options.key ?? tenant.key.key,
    headers: options.headers ?? {},
  });

describe('an active job', () => {
  test('has exactly the fields of the specification', async () => {
    const job = await newAgentJob();
    const answer = await get(job.id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toStrictEqual({
      id: job.id,
      status: 'active',
      source: { repository: 'https://git.example.com/docs.git', ref: 'main' },
      model: 'small',
      prLink: null,
      createdAt: '2026-03-01T12:00:00.000Z',
      archivedAt: null,
    });
  });

  test('says when to ask again, and 304 when nothing has changed', async () => {
    const { id } = await newAgentJob(null);
    const answer = await get(id);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ source: { ref: null } });
    const again = await get(id, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  test('holds the answer until the job changes when asked to', async () => {
    const { id } = await newAgentJob();
    const claimed = present(await claimJob(context, id));
    const waiting = get(id, { headers: { prefer: 'wait=20' } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const prLink = 'https://git.example.com/docs/pull/7';
    await completeJob(context, claimed, { result: { prLink }, pageCount: 0 });
    const answer = await waiting;
    expect(await answer.json()).toMatchObject({ status: 'completed', prLink });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
  });
});

test('what is not there, is of another project, another kind or another organization gives the same 404', async () => {
  const other = await createTenant(context, { name: 'Other' });
  const otherProject = await createTestProject(context, tenant);
  const { id } = await newAgentJob();
  const exported = await createExport(context, tenant, otherProject);
  const headers = { 'x-request-id': 'same' };
  const answers = await Promise.all([
    get('aj_0000000000000000', { headers }),
    get(id, { project: otherProject.id, headers }),
    get(exported.id, { project: otherProject.id, headers }),
    get(id, { key: other.key.key, headers }),
    get(id, { project: 'pr_none', headers }),
  ]);
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(new Set(bodies).size).toBe(1);
  expect(ErrorBody.strict().parse(JSON.parse(bodies[0] ?? ''))).toEqual({
    error: 'There is no such agent job in this project.',
    code: 'not_found',
    requestId: 'same',
  });
});

test('a key without agent:read is told which scope it lacks', async () => {
  const narrow = await createTenant(context, { name: 'Narrow', scopes: ['exports:write'] });
  const answer = await get('aj_0000000000000000', { key: narrow.key.key });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    code: 'scope_missing',
    error: expect.stringContaining('agent:read') as string,
  });
});
