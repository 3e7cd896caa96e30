/** Agent jobs that an external ACP agent carries out in a sandbox. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freshSessionNote } from '../../packages/server/src/agent/engine/acp.ts';
import { whySandboxFails } from '../../packages/server/src/agent/engine/sandbox.ts';
import { temporaryFolder, type Service } from '../service.ts';
import {
  createProject,
  ended,
  modelKey,
  runJob,
  setStage,
  type Stage,
  type StageOptions,
} from './harness.ts';

/** Implements as much of both protocols as one turn needs. */
const agent = `
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');
const { readFileSync, writeFileSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tell = (update) => send({ method: 'session/update', params: { sessionId: 'only', update } });
let servers = [];
const tool = (name, input) => new Promise((resolve) => {
  const child = spawn(servers[0].command, servers[0].args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }) + '\\n');
  createInterface({ input: child.stdout }).once('line', (line) => {
    child.kill();
    resolve(JSON.parse(line).result.content[0].text);
  });
});
const ask = async (content) => {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content }] });
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body });
  return response.status + ' ' + (await response.text()).includes('[DONE]');
};
const leak = (exits) => {
  const page = readFileSync('leak.mdx', 'utf8');
  const [token] = /github_pat_\\w+/.exec(page);
  const content = [{ type: 'content', content: { type: 'text', text: page } }];
  tell({ sessionUpdate: 'tool_call', toolCallId: 'l', title: 'Read ' + token, kind: 'read', status: 'completed', rawInput: { token }, rawOutput: token, content });
  tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I found the token ' + token + '. ' } });
  console.error('Error: the token ' + token + ' is not valid');
  if (exits) process.exit(1);
};
let cancel;
const repeat = () => {
  for (let i = 0; i < 4; i++) tell({ sessionUpdate: 'tool_call', toolCallId: 'r' + i, title: 'Read', kind: 'read', status: 'completed', rawInput: { path: 'a' } });
};
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': (params) => { servers = params.mcpServers; return { sessionId: 'only' }; },
  'session/prompt': async (params) => {
    if (params.prompt[0].text.includes('Sleep.')) {
      spawn('sleep', [/Sleep. (\\S+)/.exec(params.prompt[0].text)[1]], { detached: true, stdio: 'ignore' });
      await new Promise(() => {});
    }
    if (params.prompt[0].text.includes('Leak.')) leak(params.prompt[0].text.includes('Exit.'));
    if (params.prompt[0].text.includes('Repeat.')) {
      const cancelled = new Promise((resolve) => { cancel = resolve; });
      repeat();
      await cancelled;
      return { stopReason: 'cancelled' };
    }
    const text = readFileSync('index.mdx', 'utf8');
    writeFileSync('index.mdx', text.replace('/guides/moring', '/guides/mooring'));
    tell({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Edit', kind: 'edit', status: 'completed', rawInput: { mode: process.env.MODE } });
    const found = await tool('validate', {});
    const model = process.env.OPENAI_BASE_URL ? await ask(found) : 'none';
    const content = { type: 'text', text: 'I mended the link. Model: ' + model };
    tell({ sessionUpdate: 'agent_message_chunk', content });
    return { stopReason: 'end_turn' };
  },
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'session/cancel') cancel?.();
  if (id !== undefined && answers[method]) send({ id, result: await answers[method](params) });
});
`;

const task = 'Mend the link of the first page.';
const weakness = await whySandboxFails(temporaryFolder('sandbox'));
if (weakness !== undefined) console.warn(`Jobs of foreign agents are not tested: ${weakness}`);

let command = '';
let stage: Stage | undefined;

beforeAll(() => {
  const program = join(temporaryFolder('acp-agent'), 'agent.cjs');
  writeFileSync(program, agent);
  command = `${process.execPath} ${program}`;
});

afterEach(() => stage?.close());

async function set(options: Partial<StageOptions> = {}): Promise<Stage> {
  const environment = { AGENT_COMMAND: command, ...options.environment };
  stage = await setStage({ script: [], ...options, environment });
  return stage;
}

describe.skipIf(weakness !== undefined)('a foreign agent', () => {
  test('uses our model and our tools, and its change becomes a pull request', async () => {
    const usage = { inputTokens: 321, outputTokens: 12, cacheReadTokens: 100 };
    const scene = await set({ script: [{ text: 'Well done.', usage }] });
    const service = await scene.start();
    const projectId = await createProject(service, scene);
    const job = await runJob(service, projectId, task);
    expect(job).toMatchObject({
      status: 'completed',
      result: { filesChanged: 1, summary: 'I mended the link. Model: 200 true' },
      usage: { inputTokens: 321, outputTokens: 12 },
    });
    expect(scene.repository.git('show', `${job.pullRequest?.branch}:index.mdx`)).toContain(
      '/guides/mooring)',
    );
    expect(scene.model.requests).toHaveLength(1);
    expect(scene.model.requests[0]?.headers['authorization']).toBe(`Bearer ${modelKey}`);
    expect(scene.model.requests[0]?.messages[0]).toMatchObject({
      text: expect.stringContaining('errors') as string,
    });
    expect(JSON.stringify(await stepsOf(service, projectId, job.id))).not.toContain(modelKey);
  });

  test('gets the variables and files of the operator, and its work has a title', async () => {
    const folder = temporaryFolder('acp-styles');
    writeFileSync(join(folder, 'guide.md'), 'Write berth.');
    const scene = await set({
      script: () => ({ text: 'Well done.' }),
      environment: { AGENT_ENV: 'MODE=plan', AGENT_READ_PATHS: folder },
    });
    const service = await scene.start();
    const projectId = await createProject(service, scene);
    const job = await runJob(service, projectId, task);
    expect(job).toMatchObject({ status: 'completed', result: { filesChanged: 1 } });
    expect(scene.forge.pulls[0]?.title).toBe('Mended the link');
    const steps = await stepsOf(service, projectId, job.id);
    expect(steps.flatMap(({ calls }) => calls)).toContainEqual({
      tool: 'acp_edit',
      input: { title: 'Edit', input: { mode: 'plan' } },
    });
  });

  test('does not start with a secret of its project in AGENT_ENV', async () => {
    const scene = await set();
    const environment = { AGENT_ENV: `GIT_TOKEN=${scene.forge.token}` };
    const service = await scene.start({ environment });
    const projectId = await createProject(service, scene);
    const job = await runJob(service, projectId, task);
    expect(job).toMatchObject({ status: 'failed', statusReason: 'internal' });
    expect(job.error).toContain('AGENT_ENV: GIT_TOKEN contains a secret of this project');
    expect(job.error).not.toContain(scene.forge.token);
  });

  test.each(['Leak.', 'Leak. Exit.'])('that reads a secret cannot leak it: %s', async (prompt) => {
    const scene = await set({ script: () => ({ text: 'Well done.' }), environment: { LOG_LEVEL: 'trace' } });
    const { token } = scene.forge;
    scene.repository.commit('main', { 'leak.mdx': `---\ntitle: Leak\n---\n\nOur token is ${token}.\n` });
    const service = await scene.start();
    const projectId = await createProject(service, scene);
    const job = await runJob(service, projectId, prompt);
    expect(job.statusReason).toBe(prompt.includes('Exit') ? 'model_unavailable' : 'done');
    const answers = ['', '/events', '/transcript?limit=100'].map(async (path) => {
      const headers = { accept: 'application/json' };
      const answer = await service.request(`/v2/agent/${projectId}/job/${job.id}${path}`, { headers });
      return answer.text();
    });
    const texts = [...(await Promise.all(answers)), scene.log(), JSON.stringify(scene.forge.pulls)];
    expect(texts.filter((text) => text.includes(token))).toEqual([]);
    expect(texts[2]).toContain('[secret removed]');
  });

  test('a run that was killed after a warning resumes, and its work becomes one pull request', async () => {
    const scene = await set({ script: () => ({ text: 'Well done.' }) });
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const first = await scene.start({
      crashAfter: 'message',
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    const projectId = await createProject(first, scene);
    const { id } = await first.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Repeat.' },
    });
    expect(await died.promise).toBe('SIGKILL');
    const service = await scene.start();
    expect(await ended(service, projectId, id)).toMatchObject({ status: 'completed' });
    expect(scene.forge.pulls).toHaveLength(1);
  });

  test('needs no model of ours', async () => {
    const scene = await set({ environment: { MODEL_URL: '', MODEL_NAME: '', MODEL_KEY: '' } });
    const service = await scene.start();
    const projectId = await createProject(service, scene);
    const job = await runJob(service, projectId, task);
    expect(job).toMatchObject({ status: 'completed', model: 'agent.cjs', result: { filesChanged: 1 } });
    expect(job.result?.summary).toBe('I mended the link. Model: none');
  });

  test.each(['result', 'loop-ended'])(
    'a run that was killed at “%s” resumes in a new session and repeats no effect',
    async (point) => {
      const scene = await set({ script: () => ({ text: 'Well done.' }) });
      const died = Promise.withResolvers<NodeJS.Signals | null>();
      const first = await scene.start({
        crashAfter: point,
        onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
      });
      const projectId = await createProject(first, scene);
      const { id } = await first.client.call('createAgentJob', {
        params: { projectId },
        body: { prompt: task },
      });
      expect(await died.promise).toBe('SIGKILL');
      const service = await scene.start();
      const job = await ended(service, projectId, id);
      expect(job).toMatchObject({ status: 'completed', statusReason: 'done', result: { filesChanged: 1 } });
      const branch = job.pullRequest?.branch ?? '';
      expect(scene.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
      expect(scene.repository.git('rev-list', '--count', `main..${branch}`)).toBe('1');
      const notes = (await stepsOf(service, projectId, id)).filter(({ text }) => text === freshSessionNote);
      expect(notes).toHaveLength(point === 'loop-ended' ? 0 : 1);
    },
  );

  test('is ended with all it has started when the job is canceled', async () => {
    const scene = await set();
    const service = await scene.start();
    const projectId = await createProject(service, scene);
    const mark = `${Date.now()}.75`;
    const { id } = await service.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: `Sleep. ${mark}` },
    });
    await expect.poll(() => isRunning(mark), { timeout: 60_000 }).toBe(true);
    await service.client.call('cancelAgentJob', { params: { projectId, id } });
    expect(await ended(service, projectId, id)).toMatchObject({
      status: 'failed',
      statusReason: 'cancelled',
    });
    await expect.poll(() => isRunning(mark), { timeout: 60_000 }).toBe(false);
  });
});

test.skipIf(weakness === undefined)('without a sandbox it is not started, and the job says why', async () => {
  const scene = await set();
  const service = await scene.start();
  const projectId = await createProject(service, scene);
  const job = await runJob(service, projectId, task);
  expect(job).toMatchObject({ status: 'failed', statusReason: 'internal', prLink: null });
  expect(job.error).toContain('sandbox');
});

async function stepsOf({ client }: Service, projectId: string, id: string) {
  const { data } = await client.call('readAgentTranscript', {
    params: { projectId, id },
    query: { limit: 100 },
  });
  return data;
}

function isRunning(argument: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === argument;
      } catch {
        return false;
      }
    });
}
