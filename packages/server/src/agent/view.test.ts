/** The told status of an agent job: a mark that wins over every state, and no pull request while the job is active. */
import { AgentJob } from '@docyard/api';
import { beforeAll, expect, test } from 'vitest';
import { createJob, type Job } from '../jobs/store.ts';
import { composeForTest, createTenant, createTestProject } from '../testing.ts';
import { viewAgentJob, type AgentInput } from './view.ts';

const prLink = 'https://git.example.com/docs/pull/7';
const archivedAt = '2026-03-02T00:00:00.000Z';
let queued: Job;

beforeAll(async () => {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  const input: AgentInput = {
    prompt: 'Fix the typos.',
    model: 'small',
    source: { repository: 'https://git.example.com/docs.git', ref: 'main' },
  };
  queued = await createJob(context, {
    kind: 'agent',
    organizationId: tenant.organizationId,
    projectId: project.id,
    domain: project.domain,
    input,
    retryOf: null,
  });
});

test.each([
  ['queued', null, 'active', null],
  ['running', null, 'active', null],
  ['completed', null, 'completed', prLink],
  ['failed', null, 'failed', prLink],
  ['queued', archivedAt, 'archived', null],
  ['running', archivedAt, 'archived', null],
  ['completed', archivedAt, 'archived', prLink],
  ['failed', archivedAt, 'archived', prLink],
] as const)('%s, archived at %s, is told as %s with %s', (status, archived_at, told, link) => {
  const view = viewAgentJob({ ...queued, status, archived_at, result: JSON.stringify({ prLink }) });
  expect(AgentJob.strict().parse(view)).toEqual(view);
  expect(view).toEqual({
    id: queued.id,
    status: told,
    source: { repository: 'https://git.example.com/docs.git', ref: 'main' },
    model: 'small',
    prLink: link,
    createdAt: '2026-03-01T12:00:00.000Z',
    archivedAt: archived_at,
  });
});

test('a finished job without a pull request has none; the prompt is not told', () => {
  for (const result of [null, '{"prLink":null}']) {
    const view = viewAgentJob({ ...queued, status: 'completed', result });
    expect(view.prLink).toBeNull();
    expect(JSON.stringify(view)).not.toContain('typos');
  }
});
