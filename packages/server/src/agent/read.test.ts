import { AgentJob, ErrorBody } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimJob, completeJob, markArchived } from '../jobs/store.ts';
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
} from '../../test/support/test-context.ts';
import { updateRun } from './record.ts';
import { createAgentJob } from '../../test/support/agent-jobs.ts';

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

const get = (
  id: string,
  options: { project?: string; key?: string; headers?: Record<string, string> } = {},
) =>
  service.request(`/v2/agent/${options.project ?? projectId}/job/${id}`, {
    key: options.key ?? tenant.key.key,
    headers: options.headers ?? {},
  });

async function complete(id: string): Promise<void> {
  const claimed = present(await claimJob(context, id));
  await completeJob(context, claimed, { result: null, pageCount: 0 });
}

describe('an active job', () => {
  test('the job has the fields of the specification and no others', async () => {
    const job = await createAgentJob(context, tenant, projectId);
    const answer = await get(job.id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    const body: unknown = await answer.json();
    expect(AgentJob.strict().parse(body)).toEqual(body);
    expect(body).toMatchObject({
      id: job.id,
      status: 'active',
      source: { repository: 'https://git.example.com/docs.git', ref: 'main' },
      model: 'small',
      prLink: null,
      createdAt: '2026-03-01T12:00:00.000Z',
      archivedAt: null,
    });
  });

  test('the response says when to poll again, and is 304 if nothing changed', async () => {
    const { id } = await createAgentJob(context, tenant, projectId);
    const answer = await get(id);
    expect(answer.headers.get('retry-after')).toBe('5');
    const again = await get(id, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  test('a long poll is answered when the job changes', async () => {
    const { id } = await createAgentJob(context, tenant, projectId);
    const claimed = present(await claimJob(context, id));
    const url = 'https://git.example.com/docs/pull/7';
    const pullRequest = { url, number: 7, state: 'open', draft: false, branch: 'docyard/7' } as const;
    await updateRun(context, { jobId: id, number: 1 }, { pullRequest, ending: 'done' });
    const waiting = get(id, { headers: { prefer: 'wait=20' } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await completeJob(context, claimed, { result: null, pageCount: 0 });
    const answer = await waiting;
    expect(await answer.json()).toMatchObject({ status: 'completed', prLink: url, statusReason: 'done' });
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
  });
});

test('a missing job and a job of another project, kind or organization give the same 404', async () => {
  const other = await createTenant(context, { name: 'Other' });
  const otherProject = await createTestProject(context, tenant);
  const { id } = await createAgentJob(context, tenant, projectId);
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

test('the error for a key without agent:read names the missing scope', async () => {
  const narrow = await createTenant(context, { name: 'Narrow', scopes: ['exports:write'] });
  const answer = await get('aj_0000000000000000', { key: narrow.key.key });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    code: 'scope_missing',
    error: expect.stringContaining('agent:read') as string,
  });
});

describe('the list of jobs', () => {
  test('jobs are listed newest first, in pages, filtered by status and archive', async () => {
    const project = await createTestProject(context, tenant);
    const jobs = [];
    for (let count = 0; count < 4; count += 1) jobs.push(await createAgentJob(context, tenant, project.id));
    const [active, completed, archived, archivedActive] = jobs.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
    ];
    await complete(completed);
    await complete(archived);
    await markArchived(context, archived, true);
    await markArchived(context, archivedActive, true);
    const list = async (query: string) => {
      const path = `/v2/agent/${project.id}/jobs${query}`;
      const answer = await service.request(path, { key: tenant.key.key });
      expect(answer.status, query).toBe(200);
      const body = (await answer.json()) as { data: AgentJob[]; nextCursor: string | null };
      return { ids: body.data.map(({ id }) => id), nextCursor: body.nextCursor };
    };
    expect((await list('')).ids).toEqual([archivedActive, archived, completed, active]);
    const first = await list('?limit=3');
    expect(first.ids).toEqual([archivedActive, archived, completed]);
    expect((await list(`?limit=3&cursor=${first.nextCursor}`)).ids).toEqual([active]);
    expect((await list('?status=active')).ids).toEqual([active]);
    expect((await list('?status=completed')).ids).toEqual([completed]);
    expect((await list('?status=archived')).ids).toEqual([archivedActive, archived]);
    expect((await list('?archived=true')).ids).toEqual([archivedActive, archived]);
    expect((await list('?archived=false')).ids).toEqual([completed, active]);
    expect((await list('?archived=true&status=completed')).ids).toEqual([]);
    expect((await list('?archived=false&status=archived')).ids).toEqual([]);
  });

  test('the list of all projects names the project of each job and can be filtered by it', async () => {
    const third = await createTenant(context, { name: 'Third' });
    await createAgentJob(context, third, (await createTestProject(context, third)).id);
    const other = await createTenant(context, { name: 'Fourth' });
    const projects = [await createTestProject(context, other), await createTestProject(context, other)];
    const jobs = [];
    for (const { id } of [...projects, ...projects]) jobs.push(await createAgentJob(context, other, id));
    const list = async (query: string) => {
      const answer = await service.request(`/v2/agent/jobs${query}`, { key: other.key.key });
      expect(answer.status, query).toBe(200);
      return ((await answer.json()) as { data: AgentJob[] }).data.map(({ id, projectId }) => [id, projectId]);
    };
    const expected = jobs.map(({ id, project_id }) => [id, project_id]).toReversed();
    expect(await list('')).toEqual(expected);
    const [first] = projects;
    expect(await list(`?projectId=${first?.id}`)).toEqual(
      expected.filter(([, projectId]) => projectId === first?.id),
    );
    expect(await list('?projectId=pr_unknown')).toEqual([]);
    expect(await list('?status=completed')).toEqual([]);
  });
});
