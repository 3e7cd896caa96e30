/** Agent jobs over HTTP, from an instruction to a pull request, and every other way in which a job ends. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { agentEndings, waitForAgentJob } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Script, Turn } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { createProject, mendLink, setStage, type Stage } from './harness.ts';

/** The instruction `run <name>` selects a script of the model. */
const scripts: Record<string, (turn: number) => Turn> = {};
const script: Script = (asked) => {
  const said = asked.messages.map((message) => ('text' in message ? message.text : '')).join('\n');
  const [, name = ''] = [...said.matchAll(/run <([a-z -]+)>/g)].at(-1) ?? [];
  const play = scripts[name];
  if (play === undefined) return typeof mendLink === 'function' ? mendLink(asked) : {};
  const start = asked.messages.findLastIndex(
    (message) => 'text' in message && message.text.includes(`run <${name}>`),
  );
  return play(asked.messages.slice(start).filter(({ role }) => role === 'assistant').length);
};

const finish = { name: 'finish', input: { title: 'A title', summary: 'A summary.' } };
const inTurn =
  (...turns: Turn[]) =>
  (turn: number): Turn =>
    turns[turn] ?? { calls: [finish] };

const mendTurn = (turn: number): Turn => {
  const before = Array.from({ length: turn }, () => ({ role: 'assistant' as const, text: '', calls: [] }));
  return typeof mendLink === 'function' ? (mendLink({ turn, tools: [], messages: before }) as Turn) : {};
};

let stage: Stage;
let service: Service;
let projectId: string;
/** The shortest time limit of a job is a minute, so only `npm run test:long` waits for it. */
const isLong = process.env['LONG_TESTS'] !== undefined;
let slowId: string;
const endings = new Set<string | null>();

beforeAll(async () => {
  // One place for the slow job, the others for concurrent tests.
  stage = await setStage({
    script,
    environment: { AGENT_CONCURRENCY: '6', LIMIT_RUNNING_PER_ORGANIZATION: '6' },
  });
  service = await stage.start();
  projectId = await createProject(service, stage);
  if (!isLong) return;
  slowId = await begin('run <silence>', { limits: { minutes: 1 } });
  await vi.waitUntil(() => stage.model.requests.length > 0, 30_000);
});

afterAll(() => stage.close());

const begin = async (prompt: string, more: object = {}) =>
  (await service.client.call('createAgentJob', { params: { projectId }, body: { prompt, ...more } })).id;
const end = async (id: string) => {
  const job = await waitForAgentJob(service.client, { projectId, id }, { timeoutSeconds: 120 });
  endings.add(job.statusReason);
  return job;
};
const run = async (prompt: string, more?: object) => end(await begin(prompt, more));
const branchOf = (id: string) => `docyard/${id.slice(3, 15)}`;
const requestTo = (id: string, operation: string, body?: object) =>
  service.request(`/v2/agent/${projectId}/job/${id}/${operation}`, {
    method: 'POST',
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

// Concurrent tests need their own `expect` for polling.
describe.concurrent('an instruction that is carried out', () => {
  test('becomes one commit on a branch of its own, and a pull request with the checks in it', async ({
    expect,
  }) => {
    const job = await run('Mend the link of the first page.');
    const branch = branchOf(job.id);
    expect(job).toMatchObject({
      status: 'completed',
      statusReason: 'done',
      title: 'Mend the link to mooring',
      result: { filesChanged: 1, linesAdded: 1, linesRemoved: 1, newErrors: 0, newWarnings: 0 },
      policy: { outcome: 'pass', notes: [] },
      pullRequest: { branch, state: 'open', draft: false },
    });
    const [pull] = stage.forge.pulls.filter(({ head }) => head === branch);
    expect(job.prLink).toBe(job.pullRequest?.url);
    expect(pull).toMatchObject({ base: 'main', draft: false, title: 'Mend the link to mooring' });
    expect(stage.repository.git('diff', '--stat=80', 'main', branch)).toMatchInlineSnapshot(`
      "index.mdx | 2 +-
       1 file changed, 1 insertion(+), 1 deletion(-)"
    `);
    expect(stage.repository.git('show', `${branch}:index.mdx`)).toBe(
      '---\ntitle: Welcome\n---\n\nRead about [mooring](/guides/mooring) first.',
    );
    expect(stage.repository.git('rev-parse', `${branch}^`)).toBe(stage.repository.tip('main'));
    expect(stage.forge.complaints).toEqual([]);
  });

  test.runIf(isLong)('its branch can be had as an export', async ({ expect }) => {
    const job = await run('Mend the link of the first page.');
    const jobId = job.result?.previewJobId ?? '';
    await expect
      .poll(async () => (await service.client.call('readExport', { params: { jobId } })).status, {
        timeout: 60_000,
      })
      .toBe('completed');
    const { source } = await service.client.call('readExport', { params: { jobId } });
    expect(source).toMatchObject({ ref: branchOf(job.id), commit: stage.repository.tip(branchOf(job.id)) });
    const latest = await service.request('/v1/static-export/latest/bundle?domain=docs.example.com');
    expect(latest.status).toBe(404);
  });

  test('with dryRun nothing leaves, and the change can be read', async () => {
    const job = await run('Mend the link of the first page.', { dryRun: true });
    expect(job).toMatchObject({ status: 'completed', statusReason: 'done', prLink: null, pullRequest: null });
    expect(stage.repository.tip(branchOf(job.id))).toBeUndefined();
    const diff = await service.client.call('readAgentDiff', { params: { projectId, id: job.id } });
    expect(diff.files).toMatchObject([{ path: 'index.mdx', status: 'modified' }]);
  });
});

describe.concurrent('what the model does', () => {
  scripts['nothing'] = inTurn({ calls: [{ name: 'read_file', input: { path: 'index.mdx' } }] });
  test('nothing: the job completes and says so', async () => {
    expect(await run('run <nothing>')).toMatchObject({
      status: 'completed',
      statusReason: 'no_change',
      prLink: null,
      pullRequest: null,
      result: { summary: 'A summary.' },
    });
  });

  scripts['refusal'] = inTurn({ text: 'I will not.', stop: 'refused' });
  scripts['locked'] = inTurn({ fault: 'status', status: 401 });
  scripts['gone'] = inTurn({ fault: 'status', status: 404 });
  scripts['overflow'] = inTurn({
    fault: 'status',
    status: 400,
    message: "This model's maximum context length is 8192 tokens.",
  });
  scripts['script tag'] = inTurn({
    calls: [
      {
        name: 'write_file',
        input: { path: 'a.mdx', content: '---\ntitle: A\n---\n\n<script>alert(1)</script>\n' },
      },
    ],
  });
  scripts['circles'] = () => ({ calls: [{ name: 'read_file', input: { path: 'index.mdx' } }] });
  scripts['talk'] = () => ({ text: 'I will read the page first.' });
  scripts['one step'] = () => ({ calls: [{ name: 'read_file', input: { path: 'index.mdx' } }] });
  test.each([
    ['refusal', 'refused', {}],
    ['locked', 'model_auth', {}],
    ['gone', 'model_unavailable', {}],
    ['overflow', 'context_overflow', {}],
    ['script tag', 'policy_blocked', {}],
    ['circles', 'stalled', {}],
    ['talk', 'stalled', {}],
    ['one step', 'budget', { limits: { steps: 1 } }],
  ])('%s: the job fails as %s, with a sentence and without a branch', async (name, reason, more) => {
    const job = await run(`run <${name}>`, more);
    expect(job).toMatchObject({ status: 'failed', statusReason: reason, prLink: null });
    expect(job.error).toMatch(/^\p{Lu}.{10,}/u);
    expect(stage.repository.tip(branchOf(job.id))).toBeUndefined();
  });

  scripts['half'] = (turn) =>
    turn === 0
      ? { calls: [{ name: 'read_file', input: { path: 'index.mdx' } }] }
      : turn === 1
        ? { calls: [{ name: 'edit_file', input: { path: 'index.mdx', old: 'moring', new: 'mooring' } }] }
        : { calls: [{ name: 'list_files', input: {} }] };
  test('half of the work within its budget is offered as a draft', async () => {
    const job = await run('run <half>', { limits: { steps: 3 } });
    expect(job).toMatchObject({ status: 'completed', statusReason: 'partial', pullRequest: { draft: true } });
    expect(job.prLink).not.toBeNull();
  });

  scripts['broken'] = inTurn(
    { calls: [{ name: 'write_file', input: { path: 'b.mdx', content: '---\ntitle: B\n---\n\n</Card>\n' } }] },
    { calls: [{ ...finish, input: { ...finish.input, leave_problems: 'A maintainer must decide.' } }] },
  );
  test('a page that does not build is never proposed', async () => {
    const job = await run('run <broken>');
    expect(job).toMatchObject({ status: 'failed', statusReason: 'policy_blocked', prLink: null });
    expect(job.result?.newErrors).toBe(1);
    expect(job.policy?.notes).toContainEqual(expect.objectContaining({ rule: 'site', path: 'b.mdx' }));
    expect(stage.repository.tip(branchOf(job.id))).toBeUndefined();
  });

  scripts['no site'] = inTurn(
    { calls: [{ name: 'read_file', input: { path: 'docs.json' } }] },
    { calls: [{ name: 'edit_file', input: { path: 'docs.json', old: '"theme"', new: 'theme"' } }] },
  );
  test.runIf(isLong)('a site that does not load at all is never proposed', async () => {
    const job = await run('run <no site>');
    expect(job).toMatchObject({ status: 'failed', statusReason: 'policy_blocked', prLink: null });
    expect(stage.repository.tip(branchOf(job.id))).toBeUndefined();
  });

  scripts['question'] = inTurn({
    calls: [
      { name: 'finish', input: { title: 'A question', summary: 'Which page?', outcome: 'needs_input' } },
    ],
  });
  test('a question completes the job, and the answer resumes it', async () => {
    const job = await run('run <question>');
    expect(job).toMatchObject({
      status: 'completed',
      statusReason: 'needs_input',
      result: { summary: 'Which page?' },
    });
    await requestTo(job.id, 'message', { prompt: 'The first one. run <nothing>' });
    expect(await end(job.id)).toMatchObject({ statusReason: 'no_change', runs: 2 });
  });
});

describe('what the hosts do', () => {
  test('a git host that does not answer: clone_failed', async () => {
    stage.git.behaviour.statusFor = () => 503;
    const job = await run('Mend the link of the first page.');
    stage.git.behaviour.statusFor = undefined;
    expect(job).toMatchObject({ status: 'failed', statusReason: 'clone_failed' });
  });

  test('a branch that is protected: forge_error, in the words of the host', async () => {
    stage.repository.refusePushes('Branch names must begin with docs/.');
    const job = await run('Mend the link of the first page.');
    stage.repository.refusePushes(null);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'forge_error' });
    expect(job.error).toContain('Branch names must begin with docs/.');
  });

  test('a refused pull request ends with forge_error, and a retry resumes from the branch', async () => {
    stage.forge.fail({ status: 422, method: 'POST', body: { message: 'Validation Failed', errors: [] } });
    const job = await run('Mend the link of the first page.');
    expect(job).toMatchObject({ status: 'failed', statusReason: 'forge_error', prLink: null });
    const [asked, pushed] = [stage.model.requests.length, stage.repository.tip(branchOf(job.id))];
    expect((await requestTo(job.id, 'retry')).status).toBe(200);
    const again = await end(job.id);
    expect(again).toMatchObject({ status: 'completed', statusReason: 'done', result: { filesChanged: 1 } });
    expect(again.prLink).not.toBeNull();
    expect(stage.repository.tip(branchOf(job.id))).toBe(pushed);
    expect(stage.model.requests).toHaveLength(asked);
  });

  test('a branch that another author has pushed ends with push_conflict, and their work stays', async () => {
    let theirs = '';
    scripts['conflict'] = (turn) => {
      if (turn === 2) theirs = stage.repository.commit(taken, { 'index.mdx': 'Mine.\n' });
      return mendTurn(turn);
    };
    const id = await begin('run <conflict>');
    const taken = branchOf(id);
    const job = await end(id);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'push_conflict' });
    expect(stage.repository.tip(taken)).toBe(theirs);
  });
});

describe('what this machine does', () => {
  test('the repository of a job is lost from the disk while the model thinks: internal, and the log says more', async () => {
    scripts['lost disk'] = (turn) => {
      if (turn === 1)
        rmSync(join(stage.dataDir, 'work', 'agent', id, 'workspace', 'repository.git', 'objects'), lost);
      return mendTurn(turn);
    };
    const lost = { recursive: true, force: true };
    const id = await begin('run <lost disk>');
    const job = await end(id);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'internal', prLink: null });
    expect(job.error).toBe(agentEndings.internal);
    expect(stage.log()).toContain('agent run failed');
    expect(stage.repository.tip(branchOf(id))).toBeUndefined();
  });
});

describe.concurrent('the life of a job', () => {
  scripts['endless'] = (turn) => ({
    calls: [{ name: 'search', input: { pattern: `word ${turn}` } }],
  });
  scripts['more'] = inTurn(
    { calls: [{ name: 'read_file', input: { path: 'guides/mooring.mdx' } }] },
    {
      calls: [{ name: 'edit_file', input: { path: 'guides/mooring.mdx', old: 'aft.', new: 'aft, always.' } }],
    },
  );

  test('canceled while it works, it fails as canceled and leaves no branch', async ({ expect }) => {
    const id = await begin('run <endless>', { limits: { steps: 1000 } });
    const read = () => service.client.call('readAgentJob', { params: { projectId, id } });
    await expect.poll(async () => (await read()).phase, { timeout: 30_000 }).toBe('running');
    expect((await requestTo(id, 'cancel')).status).toBe(200);
    const job = await end(id);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'cancelled', prLink: null });
    expect(stage.repository.tip(branchOf(id))).toBeUndefined();
  });

  test('a follow-up continues on the same branch and pull request; prLink is null meanwhile', async () => {
    const first = await run('Mend the link of the first page.');
    const answer = await requestTo(first.id, 'message', { prompt: 'run <more>' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: 'active',
      prLink: null,
      pullRequest: first.pullRequest,
    });
    const second = await end(first.id);
    expect(second).toMatchObject({
      status: 'completed',
      statusReason: 'done',
      prLink: first.prLink,
      runs: 2,
    });
    const branch = branchOf(first.id);
    expect(stage.repository.git('rev-list', '--count', `main..${branch}`)).toBe('2');
    expect(stage.repository.git('show', `${branch}:index.mdx`)).toContain('/guides/mooring)');
    expect(stage.repository.git('show', `${branch}:guides/mooring.mdx`)).toContain('aft, always.');
    expect(stage.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
  });

  test.runIf(isLong)('a follow-up continues work that was never pushed', async () => {
    const first = await run('Mend the link of the first page.', { dryRun: true });
    await requestTo(first.id, 'message', { prompt: 'run <more>' });
    await end(first.id);
    const diff = await service.client.call('readAgentDiff', { params: { projectId, id: first.id } });
    expect(diff.files.map(({ path }) => path)).toEqual(['guides/mooring.mdx', 'index.mdx']);
  });

  test('what is said while it works reaches the model before its next step', async ({ expect }) => {
    const id = await begin('run <endless>', { limits: { steps: 1000 } });
    const read = () => service.client.call('readAgentJob', { params: { projectId, id } });
    await expect.poll(async () => (await read()).phase, { timeout: 30_000 }).toBe('running');
    await requestTo(id, 'message', { prompt: 'That is enough. run <nothing>' });
    expect(await end(id)).toMatchObject({
      status: 'completed',
      statusReason: 'no_change',
      runs: 1,
    });
  });

  test('archived, it says so and refuses messages; taken out again, it is what it was', async () => {
    const job = await run('run <nothing>');
    expect(await (await requestTo(job.id, 'archive')).json()).toMatchObject({ status: 'archived' });
    expect((await requestTo(job.id, 'message', { prompt: 'Continue.' })).status).toBe(409);
    expect(await (await requestTo(job.id, 'unarchive')).json()).toMatchObject({ status: 'completed' });
  });
});

scripts['silence'] = () => ({ fault: 'hang' });
test.runIf(isLong)(
  'a model that never comes to an end: timeout, once the minutes of the limits are over',
  async () => {
    const job = await end(slowId);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'timeout', prLink: null });
    expect(job.error).toContain('1 minute');
    const seconds = (Date.parse(job.finishedAt ?? '') - Date.parse(job.startedAt ?? '')) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(stage.repository.tip(branchOf(slowId))).toBeUndefined();
  },
  120_000,
);

test('a job of this file reaches every documented ending', () => {
  const documented = Object.keys(agentEndings).filter((ending) => isLong || ending !== 'timeout');
  expect([...endings].toSorted()).toEqual(documented.toSorted());
});
