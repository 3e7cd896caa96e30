import { AgentDiff, AgentEvents, AgentStep, type AgentEvent } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimJob, completeJob } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import type { Step } from './contract.ts';
import { changeAgentSettings } from '../projects/agent-settings.ts';
import { addStep, updateRun } from './record.ts';
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

const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0 };
const call = { id: '1', name: 'edit_file', input: { path: 'guides/start.mdx', old: 'teh', new: 'the' } };
const steps: Step[] = [
  {
    kind: 'prepared',
    baseCommit: 'a'.repeat(40),
    baseBranch: 'main',
    branch: 'docyard/1',
    branchHead: null,
    carriedRuns: [],
    reviewCommit: 'c'.repeat(40),
    earlierWork: [],
    instructions: null,
  },
  { kind: 'message', message: { role: 'user', text: 'Fix the typos.\nAll of them.' } },
  { kind: 'answer', answer: { text: '', calls: [call], usage, stopReason: 'tool-calls' } },
  { kind: 'result', call, result: { text: 'No match for "teh".', isError: true }, tree: 'b'.repeat(40) },
  { kind: 'ended', reason: 'no_change' },
];

async function newJob(): Promise<string> {
  const { id } = await createAgentJob(context, tenant, projectId);
  return id;
}

/** Advances the clock by a second per step. */
async function take(jobId: string, taken: Step[], from = 1): Promise<void> {
  for (const [index, step] of taken.entries()) {
    context.clock.advance(1);
    await addStep(context, { jobId, run: 1, number: from + index }, step);
    context.changes.notify(jobId);
  }
}

async function finish(id: string): Promise<void> {
  const claimed = present(await claimJob(context, id));
  await completeJob(context, claimed, { result: null, pageCount: 0 });
}

function get(id: string, rest: string, headers: Record<string, string> = {}): Promise<Response> {
  return service.request(`/v2/agent/${projectId}/job/${id}/${rest}`, { key: tenant.key.key, headers });
}

async function events(id: string, query = ''): Promise<AgentEvents> {
  const answer = await get(id, `events${query}`);
  expect(answer.status).toBe(200);
  const body: unknown = await answer.json();
  expect(AgentEvents.parse(body)).toEqual(body);
  return body as AgentEvents;
}

describe('the events of a job as JSON', () => {
  test('statuses and steps are listed in order, one line each', async () => {
    const id = await newJob();
    await take(id, steps);
    context.clock.advance(1);
    await finish(id);
    const { data } = await events(id);
    expect(data.map((event) => (event.type === 'status' ? event.status : event.kind))).toEqual([
      'active',
      'prepared',
      'message',
      'answer',
      'result',
      'ended',
      'active',
      'completed',
    ]);
    expect(data[2]).toMatchObject({ text: 'Fix the typos.' });
    expect(data[3]).toMatchObject({ text: 'Calls edit_file', isError: false });
    expect(data[4]).toMatchObject({
      tool: 'edit_file',
      path: 'guides/start.mdx',
      text: 'No match for "teh".',
      isError: true,
    });
  });

  test('reading resumes after any event without a gap or a repeat', async () => {
    const id = await newJob();
    await take(id, steps);
    const { data: all } = await events(id);
    for (const [index, event] of all.entries()) {
      const { data } = await events(id, `?after=${event.id}`);
      expect(data).toEqual(all.slice(index + 1));
    }
    const pages: AgentEvent[] = [];
    let after = '0-0';
    for (let page = await events(id, '?limit=2'); page.data.length > 0;) {
      pages.push(...page.data);
      after = page.lastEventId;
      page = await events(id, `?limit=2&after=${after}`);
    }
    expect(pages).toEqual(all);
    expect(await events(id, `?after=${after}`)).toEqual({ data: [], lastEventId: after });
  });

  test('long texts are truncated, and only string paths are shown', async () => {
    const id = await newJob();
    const odd = { id: '2', name: 'search', input: { path: { toString: 'x' } } };
    await take(id, [{ kind: 'result', call: odd, result: { text: 'é'.repeat(5000) }, tree: 'c'.repeat(40) }]);
    const [, event] = (await events(id)).data;
    expect(event).toMatchObject({ path: null });
    expect((event as { text: string }).text).toBe(`${'é'.repeat(199)}…`);
  });
});

describe('the event stream of a job', () => {
  const accept = { accept: 'text/event-stream' };

  test('the stream ends with the job and has the same events as JSON', async () => {
    const id = await newJob();
    const stream = await get(id, 'events', accept);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const text = stream.text();
    await take(id, steps);
    await finish(id);
    const frames = [...(await text).matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n/gm)];
    const { data } = await events(id);
    expect(frames.map(([, , , json]) => JSON.parse(json ?? '') as unknown)).toEqual(data);
    expect(frames.map(([, eventId, type]) => [eventId, type])).toEqual(
      data.map((event) => [event.id, event.type]),
    );
  });

  test('the stream resumes after Last-Event-ID', async () => {
    const id = await newJob();
    await take(id, steps);
    await finish(id);
    const { data } = await events(id);
    const third = present(data[2]);
    const text = await (await get(id, 'events', { ...accept, 'last-event-id': third.id })).text();
    expect([...text.matchAll(/^id: (.*)$/gm)].map(([, eventId]) => eventId)).toEqual(
      data.slice(3).map((event) => event.id),
    );
  });
});

describe('irregular event histories', () => {
  const accept = { accept: 'text/event-stream' };

  test('after old statuses are deleted, steps are still sent and the current status ends the stream', async () => {
    const id = await newJob();
    await take(id, steps);
    await finish(id);
    const { data } = await events(id);
    await context.database.deleteFrom('job_events').where('job_id', '=', id).execute();
    const text = await (await get(id, 'events', { ...accept, 'last-event-id': data[2]?.id ?? '' })).text();
    const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as AgentEvent);
    expect(sent.map((event) => (event.type === 'status' ? event.status : event.kind))).toEqual([
      'answer',
      'result',
      'ended',
      'completed',
    ]);
  });

  test('events of a worker with a slow clock are sent exactly once', async () => {
    const id = await newJob();
    await take(id, steps);
    context.clock.advance(-3600);
    await finish(id);
    context.clock.advance(3600);
    const all = (await events(id)).data;
    const oneByOne: AgentEvent[] = [];
    for (let after = '0-0'; oneByOne.length < 20;) {
      const { data, lastEventId } = await events(id, `?limit=1&after=${after}`);
      if (data.length === 0) break;
      oneByOne.push(...data);
      after = lastEventId;
    }
    const names = (events: AgentEvent[]) =>
      events.map((event) => (event.type === 'status' ? event.at : event.kind)).toSorted();
    expect(oneByOne).toHaveLength(8);
    expect(names(oneByOne)).toEqual(names(all));
  });
});

describe('the diff of a job', () => {
  test('the diff is empty until a file changes', async () => {
    const body = AgentDiff.parse(await (await get(await newJob(), 'diff')).json());
    expect(body).toEqual({ files: [], linesAdded: 0, linesRemoved: 0, patch: '' });
  });

  test('the diff is available as JSON and as a patch', async () => {
    const id = await newJob();
    const patch = '--- a/index.mdx\n+++ b/index.mdx\n@@ -1 +1 @@\n-teh\n+the\n';
    const file = {
      path: 'index.mdx',
      from: null,
      status: 'modified',
      addedLines: 1,
      removedLines: 1,
    } as const;
    const modes = { oldMode: '100644', newMode: '100644', isBinary: false };
    await updateRun(context, { jobId: id, number: 1 }, { diff: { files: [{ ...file, ...modes }], patch } });
    const json: unknown = await (await get(id, 'diff')).json();
    expect(json).toEqual({ files: [file], linesAdded: 1, linesRemoved: 1, patch });
    const plain = await get(id, 'diff', { accept: 'text/x-diff' });
    expect(plain.headers.get('content-type')).toBe('text/x-diff; charset=utf-8');
    expect(await plain.text()).toBe(patch);
  });
});

test('the transcript is listed in pages from the beginning', async () => {
  const id = await newJob();
  await take(id, steps);
  const all: AgentStep[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const answer = await get(id, `transcript?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = (await answer.json()) as { data: AgentStep[]; nextCursor: string | null };
    all.push(...page.data.map((step) => AgentStep.strict().parse(step)));
    cursor = page.nextCursor;
  }
  expect(all.map(({ kind, role }) => [kind, role])).toEqual([
    ['prepared', 'docyard'],
    ['message', 'person'],
    ['answer', 'agent'],
    ['result', 'tool'],
    ['ended', 'docyard'],
  ]);
  expect(all[1]?.text).toBe('Fix the typos.\nAll of them.');
  expect(all[2]?.calls).toEqual([{ tool: 'edit_file', input: call.input }]);
  expect(all[3]).toMatchObject({ tool: 'edit_file', isError: true });
});

test('events and transcript say what stopped an incomplete run', async () => {
  const id = await newJob();
  const problem = 'The model stopped without calling finish.';
  const tree = 'b'.repeat(40);
  await take(id, [{ kind: 'loop-ended', reason: 'stalled', summary: '', title: '', tree, problem }]);
  expect((await events(id)).data.at(-1)).toMatchObject({ kind: 'loop-ended', text: problem });
  const transcript = (await (await get(id, 'transcript')).json()) as { data: AgentStep[] };
  expect(transcript.data.at(-1)?.text).toBe(`stalled: \n${problem}`);
});

describe('a secret that was stored by mistake', () => {
  const token = 'github_pat_11AAAAAAA_that"is/kept+by&the=project';
  const ofServer = 'sk-key-of-the-model-endpoint-of-this-server';
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    ...[0, 1, 2].map((offset) =>
      Buffer.from('x'.repeat(offset) + secret)
        .toString('base64')
        .slice(4, -4),
    ),
  ];
  const leakedForms = [token, ofServer].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(`x-access-token:${secret}`).toString('base64'),
  ]);
  let id: string;

  beforeAll(async () => {
    context.config.model = { provider: 'openai', url: 'https://m.example.com', name: 'small', key: ofServer };
    await changeAgentSettings(context, projectId, {
      forge: { kind: 'github', credential: { type: 'token', token } },
    });
    id = await newJob();
    const leak = leakedForms.join('\n');
    const planted: Step[] = [
      { kind: 'message', message: { role: 'user', text: leak } },
      // Truncation would split the secret if masking came later.
      { kind: 'message', message: { role: 'user', text: `${'a'.repeat(180)}${token}` } },
      ...leakedForms.map((form): Step => ({ kind: 'message', message: { role: 'user', text: form } })),
      {
        kind: 'answer',
        answer: { text: leak, calls: [{ ...call, input: { path: leak } }], usage, stopReason: 'end' },
      },
      {
        kind: 'result',
        call: { ...call, input: { path: token } },
        result: { text: leak },
        tree: 'b'.repeat(40),
      },
    ];
    await take(id, planted);
    const file = { path: token, from: ofServer, status: 'moved', addedLines: 1, removedLines: 0 } as const;
    const modes = { oldMode: '100644', newMode: '100644', isBinary: false };
    await updateRun(
      context,
      { jobId: id, number: 1 },
      { title: token, summary: leak, diff: { files: [{ ...file, ...modes }], patch: `+${leak}\n` } },
    );
  });

  test.each([
    ['the job', 'job/{id}', 'application/json'],
    ['the list', 'jobs', 'application/json'],
    ['the events', 'job/{id}/events', 'application/json'],
    ['the diff', 'job/{id}/diff', 'application/json'],
    ['the patch', 'job/{id}/diff', 'text/x-diff'],
    ['the transcript', 'job/{id}/transcript', 'application/json'],
  ])('the secret is masked in %s', async (_name, path, accept) => {
    const answer = await service.request(`/v2/agent/${projectId}/${path.replace('{id}', id)}`, {
      key: tenant.key.key,
      headers: { accept },
    });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('[secret removed]');
    expect([token, ofServer].flatMap(forms).filter((form) => text.includes(form))).toEqual([]);
    expect(text).not.toContain('github_pat_11');
  });

  test('a job stays readable when the encryption key of its secrets is lost', async () => {
    const { sealKey } = context.secrets;
    context.secrets.sealKey = Buffer.alloc(sealKey.length);
    const answer = await get(id, 'transcript');
    context.secrets.sealKey = sealKey;
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(ofServer);
  });
});
