/** The lifecycle of an agent job over HTTP without a worker: the test claims and ends jobs. */
import type { AgentJob } from '@docyard/api';
import { beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, completeJob, failJob } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { changeAgentSettings } from '../projects/agent-settings.ts';
import { defaultLimits, type PullRequest } from './contract.ts';
import { continueWithMessages } from './message.ts';
import { pendingMessages } from './pending-messages.ts';
import { updateRun, readRuns } from './record.ts';

const MODEL = {
  MODEL_URL: 'https://models.example.com/v1',
  MODEL_NAME: 'writer-1',
  MODEL_KEY: 'key-of-the-model',
};
const pullRequest: PullRequest = {
  url: 'https://git.example.com/docs/pull/7',
  number: 7,
  state: 'open',
  draft: false,
  branch: 'docyard/7',
};

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projectId: string;

beforeEach(async () => setUp());

async function setUp(environment: Record<string, string> = MODEL): Promise<void> {
  context = await composeForTest(environment);
  service = await serveForTest(context);
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
}

function post(path: string, body?: unknown): Promise<Response> {
  const init = body === undefined ? { method: 'POST' } : jsonBody(body);
  return service.request(`/v2/agent/${projectId}/${path}`, { ...init, key: tenant.key.key });
}

async function job(answer: Promise<Response> | Response, status = 200): Promise<AgentJob> {
  const response = await answer;
  expect(response.status, await response.clone().text()).toBe(status);
  return (await response.json()) as AgentJob;
}

async function code(answer: Promise<Response>): Promise<unknown> {
  return ((await (await answer).json()) as { code: unknown }).code;
}

const read = (id: string) =>
  job(service.request(`/v2/agent/${projectId}/job/${id}`, { key: tenant.key.key }));
const create = (body: object = {}) => job(post('job', { prompt: 'Fix the typos.', ...body }), 201);

async function finish(id: string, ending: 'done' | 'stalled' = 'done'): Promise<void> {
  const claimed = present(await claimJob(context, id));
  const last = present((await readRuns(context, [id])).at(-1));
  await updateRun(context, last, { ending, pullRequest });
  if (ending === 'done') await completeJob(context, claimed, { result: null, pageCount: 0 });
  else await failJob(context, claimed, failureOf('agent_stopped', 'It went round in circles.'));
}

describe('creating a job', () => {
  test('a job needs only a prompt', async () => {
    const answer = await post('job', { prompt: '  Fix the typos.  ' });
    const created = await job(answer, 201);
    expect(answer.headers.get('location')).toBe(`/v2/agent/${projectId}/job/${created.id}`);
    expect(answer.headers.get('ratelimit-policy')).toContain('"agent-instructions"');
    expect(created).toMatchObject({
      status: 'active',
      phase: 'queued',
      source: { repository: 'https://git.example.com/docs.git', ref: null },
      model: 'writer-1',
      prLink: null,
      pullRequest: null,
      archivedAt: null,
      statusReason: null,
      title: 'Fix the typos.',
      runs: 1,
      limits: defaultLimits,
    });
    expect(await read(created.id)).toEqual(created);
    expect(await code(post('job', { prompt: ' ' }))).toBe('invalid_request');
  });

  test('a job keeps the options of the request', async () => {
    const created = await create({
      source: { ref: 'next' },
      model: 'writer-2',
      draft: true,
      scope: { paths: ['guides'] },
      limits: { steps: 5, minutes: 1440 },
      dryRun: true,
      metadata: { ticket: '12' },
    });
    expect(created).toMatchObject({
      source: { ref: 'next' },
      model: 'writer-2',
      draft: true,
      scope: { paths: ['guides'] },
      // Limits can only be lowered.
      limits: { ...defaultLimits, steps: 5, minutes: defaultLimits.minutes },
      dryRun: true,
      metadata: { ticket: '12' },
    });
  });

  test('a job names the change that triggered it, which must be in a context repository', async () => {
    const change = { repository: 'api', base: 'a'.repeat(40), head: 'b'.repeat(40) };
    const body = { prompt: 'Go.', triggeringChange: change };
    expect(await code(post('job', body))).toBe('invalid_request');
    const contextRepositories = [{ name: 'api', repository: 'https://git.example.com/api.git' }];
    await changeAgentSettings(context, projectId, { contextRepositories });
    expect((await create(body)).triggeringChange).toEqual(change);
    expect((await create()).triggeringChange).toBeNull();
    const short = { ...change, head: 'main' };
    expect(await code(post('job', { prompt: 'Go.', triggeringChange: short }))).toBe('invalid_request');
  });

  test('paths outside the docs folder are refused', async () => {
    for (const path of ['../x', '/etc', 'a/../../b'])
      expect(await code(post('job', { prompt: 'Go.', scope: { paths: [path] } }))).toBe('invalid_request');
  });

  test('a job without a configured model is refused', async () => {
    await setUp({});
    expect(await code(post('job', { prompt: 'Go.' }))).toBe('agent_not_configured');
    const model = { provider: 'anthropic', url: 'https://models.example.com', name: 'own' };
    const answer = await service.request(`/v1/projects/${projectId}`, {
      ...jsonBody({ agent: { model } }),
      method: 'PATCH',
      key: tenant.key.key,
    });
    expect(answer.status).toBe(200);
    expect((await create()).model).toBe('own');
  });

  test('an external agent needs no model', async () => {
    await setUp({ AGENT_COMMAND: '/usr/bin/node /opt/agents/writer.js --quiet' });
    const { id, model } = await create();
    expect(model).toBe('writer.js');
    expect((await post(`job/${id}/message`, { prompt: 'And more.' })).status).toBe(200);
  });

  test('a project chooses its engine', async () => {
    const change = (engine: string) =>
      service.request(`/v1/projects/${projectId}`, {
        ...jsonBody({ agent: { engine } }),
        method: 'PATCH',
        key: tenant.key.key,
      });
    await setUp({ AGENT_COMMAND: '/usr/bin/node /opt/agents/writer.js' });
    expect((await change('builtin')).status).toBe(200);
    expect(await code(post('job', { prompt: 'Go.' }))).toBe('agent_not_configured');
    expect((await change('external')).status).toBe(200);
    expect((await create()).model).toBe('writer.js');
  });

  test('an external engine needs AGENT_COMMAND', async () => {
    const refused = await service.request(`/v1/projects/${projectId}`, {
      ...jsonBody({ agent: { engine: 'external' } }),
      method: 'PATCH',
      key: tenant.key.key,
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ details: [{ path: 'agent.engine' }] });
    await changeAgentSettings(context, projectId, { engine: 'external' });
    const answer = await post('job', { prompt: 'Go.' });
    expect(await answer.json()).toMatchObject({
      code: 'agent_not_configured',
      error: expect.stringContaining('AGENT_COMMAND is not set') as string,
    });
  });

  test('jobs, messages and retries share one rate limit', async () => {
    await setUp({ ...MODEL, LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: '3' });
    const { id } = await create();
    await job(post(`job/${id}/message`, { prompt: 'One more.' }));
    await finish(id);
    await job(post(`job/${id}/retry`));
    const refused = await post('job', { prompt: 'Go.' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    context.clock.advance(3601);
    await create();
  });
});

describe('sending a message', () => {
  test('a message to a running job is pending until the next step', async () => {
    const { id } = await create();
    await claimJob(context, id);
    expect(await job(post(`job/${id}/message`, { prompt: 'Leave the changelog alone.' }))).toMatchObject({
      status: 'active',
      runs: 1,
    });
    const waiting = await pendingMessages(context, id);
    expect(waiting.map(({ prompt }) => prompt)).toEqual(['Leave the changelog alone.']);
  });

  test.each(['done', 'stalled'] as const)(
    'a message to a job that ended as %s makes it active again with the same pull request',
    async (ending) => {
      const { id } = await create();
      await finish(id, ending);
      expect(await read(id)).toMatchObject({ prLink: pullRequest.url, statusReason: ending });
      expect(await job(post(`job/${id}/message`, { prompt: 'Continue.' }))).toMatchObject({
        status: 'active',
        phase: 'queued',
        prLink: null,
        pullRequest,
        statusReason: null,
        error: null,
        finishedAt: null,
        runs: 2,
      });
      const runs = await readRuns(context, [id]);
      expect(runs.map(({ kind, prompt }) => [kind, prompt])).toEqual([
        ['create', 'Fix the typos.'],
        ['follow-up', 'Continue.'],
      ]);
      expect(await pendingMessages(context, id)).toEqual([]);
      await finish(id);
      expect(await read(id)).toMatchObject({ status: 'completed', prLink: pullRequest.url, runs: 2 });
    },
  );

  test('a message that arrives after its run starts the next one', async () => {
    const { id } = await create();
    const claimed = present(await claimJob(context, id));
    await job(post(`job/${id}/message`, { prompt: 'First.' }));
    await job(post(`job/${id}/message`, { prompt: 'Second.' }));
    await completeJob(context, claimed, { result: null, pageCount: 0 });
    await continueWithMessages(context);
    expect(await read(id)).toMatchObject({ status: 'active', runs: 2 });
    expect((await readRuns(context, [id])).at(-1)).toMatchObject({
      kind: 'follow-up',
      prompt: 'First.\n\nSecond.',
    });
    await finish(id);
    await continueWithMessages(context);
    expect(await read(id)).toMatchObject({ status: 'completed', runs: 2 });
  });

  test('a message to an archived job is refused', async () => {
    const { id } = await create();
    await finish(id);
    await job(post(`job/${id}/archive`));
    expect(await code(post(`job/${id}/message`, { prompt: 'Continue.' }))).toBe('job_archived');
    expect(await pendingMessages(context, id)).toEqual([]);
  });

  test('a message sent twice with one idempotency key is delivered once', async () => {
    const { id } = await create();
    await claimJob(context, id);
    const init = jsonBody({ prompt: 'Once.' });
    const headers = { ...(init.headers as Record<string, string>), 'idempotency-key': 'one' };
    for (let count = 0; count < 2; count += 1) {
      const path = `/v2/agent/${projectId}/job/${id}/message`;
      await job(service.request(path, { ...init, headers, key: tenant.key.key }));
    }
    expect(await pendingMessages(context, id)).toHaveLength(1);
  });
});

test('a worker of the previous run cannot end the next one', async () => {
  const { id } = await create();
  const claimed = present(await claimJob(context, id));
  await completeJob(context, claimed, { result: null, pageCount: 0 });
  await job(post(`job/${id}/message`, { prompt: 'Continue.' }));
  const next = present(await claimJob(context, id));
  expect(await completeJob(context, claimed, { result: null, pageCount: 0 })).toBeUndefined();
  expect([next.attempt, next.earlier_attempts]).toEqual([2, 1]);
  expect((await read(id)).status).toBe('active');
});

describe('canceling a job', () => {
  test('a queued job ends at once and records who canceled it', async () => {
    const { id } = await create();
    expect(await job(post(`job/${id}/cancel`))).toMatchObject({
      status: 'failed',
      statusReason: 'cancelled',
      prLink: null,
    });
    expect(await code(post(`job/${id}/cancel`))).toBe('job_finished');
  });

  test('a running job is ended by its worker, and its pending messages are dropped', async () => {
    const { id } = await create();
    const claimed = present(await claimJob(context, id));
    await job(post(`job/${id}/message`, { prompt: 'Not heard.' }));
    expect((await job(post(`job/${id}/cancel`))).status).toBe('active');
    await failJob(context, claimed, failureOf('canceled', 'The job was canceled.'));
    await continueWithMessages(context);
    expect(await read(id)).toMatchObject({ status: 'failed', statusReason: 'cancelled', runs: 1 });
  });
});

describe('retrying a job', () => {
  test('a retry repeats the last instruction in the same job', async () => {
    const { id } = await create();
    await finish(id);
    await job(post(`job/${id}/message`, { prompt: 'Continue.' }));
    await finish(id, 'stalled');
    expect(await job(post(`job/${id}/retry`))).toMatchObject({ status: 'active', pullRequest, runs: 3 });
    expect((await readRuns(context, [id])).at(-1)).toMatchObject({ kind: 'retry', prompt: 'Continue.' });
    expect(await code(post(`job/${id}/retry`))).toBe('job_not_finished');
  });

  test('a retry records the ending of a run whose worker was lost', async () => {
    const { id } = await create();
    const claimed = present(await claimJob(context, id));
    await failJob(context, claimed, failureOf('timeout', 'It took too long.'));
    await job(post(`job/${id}/retry`));
    expect((await readRuns(context, [id])).map(({ ending }) => ending)).toEqual(['timeout', null]);
  });
});

describe('archiving a job', () => {
  test('a finished job can be archived and unarchived', async () => {
    const { id } = await create();
    await finish(id);
    const archived = await job(post(`job/${id}/archive`));
    expect(archived).toMatchObject({
      status: 'archived',
      archivedAt: '2026-03-01T12:00:00.000Z',
      prLink: pullRequest.url,
    });
    context.clock.advance(60);
    expect(await job(post(`job/${id}/archive`))).toEqual(archived);
    expect(await job(post(`job/${id}/unarchive`))).toMatchObject({ status: 'completed', archivedAt: null });
    expect((await job(post(`job/${id}/unarchive`))).status).toBe('completed');
  });

  test('a running job is canceled first', async () => {
    const { id } = await create();
    expect(await job(post(`job/${id}/archive`))).toMatchObject({ status: 'archived', prLink: null });
    expect(await job(post(`job/${id}/unarchive`))).toMatchObject({
      status: 'failed',
      statusReason: 'cancelled',
    });
    const running = await create();
    await claimJob(context, running.id);
    await job(post(`job/${running.id}/archive`));
    const row = await context.database
      .selectFrom('jobs')
      .select('cancel_requested_at')
      .where('id', '=', running.id)
      .executeTakeFirstOrThrow();
    expect(row.cancel_requested_at).not.toBeNull();
  });

  test('a job is not active again while its canceled run stops', async () => {
    const { id } = await create();
    const claimed = present(await claimJob(context, id));
    await job(post(`job/${id}/archive`));
    expect(await code(post(`job/${id}/unarchive`))).toBe('job_not_finished');
    expect(await read(id)).toMatchObject({ status: 'archived', finishedAt: null });
    await failJob(context, claimed, failureOf('canceled', 'The job was canceled.'));
    expect(await job(post(`job/${id}/unarchive`))).toMatchObject({
      status: 'failed',
      statusReason: 'cancelled',
    });
  });
});

test('the audit log records the actor and the action without the text of messages', async () => {
  const { id } = await create();
  await job(post(`job/${id}/message`, { prompt: 'A private matter.' }));
  await job(post(`job/${id}/cancel`));
  await job(post(`job/${id}/retry`));
  await job(post(`job/${id}/archive`));
  await job(post(`job/${id}/unarchive`));
  const entries = await context.database
    .selectFrom('audit_log')
    .select(['action', 'actor', 'details'])
    .where('object', '=', id)
    .orderBy('sequence')
    .execute();
  expect(entries.map(({ action }) => action)).toEqual(
    ['start', 'message', 'cancel', 'retry', 'archive', 'unarchive'].map((verb) => `agent.${verb}`),
  );
  expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([tenant.key.id]));
  expect(JSON.stringify(entries)).not.toMatch(/private|typos/);
});
