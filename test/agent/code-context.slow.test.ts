/** Jobs with code: the agent reads it, its proposal names the lines, and a killed run reads the same commit again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServedRepository } from '../fakes/git-server.ts';
import type { Asked, ScriptedCall, Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { createProject, ended, runJob, setStage, type Stage } from './harness.ts';

const page = 'guides/mooring.mdx';
const statement = 'A berth costs 12 a night.';
const edit = {
  name: 'edit_file',
  input: { path: page, old: 'two lines aft.', new: `two lines aft. ${statement}` },
};
const finish = (more: object) => ({
  name: 'finish',
  input: { title: 'Name the price of a berth', summary: 'The code has it.', ...more },
});
const source = 'tariff/src/prices.py#L1-L2';
const evidence = [{ page, statement, sources: [source] }];
const readPage = { name: 'read_file', input: { path: page } };

let calls: ScriptedCall[] = [];
let asked: Asked[] = [];
const script: Script = (request) => {
  asked.push(request);
  const call = calls[request.messages.filter(({ role }) => role === 'assistant').length];
  return call === undefined ? { text: 'Nothing more.' } : { calls: [call] };
};

let stage: Stage;
let service: Service;
let projectId: string;
let code: ServedRepository;

beforeAll(async () => {
  stage = await setStage({ script });
  code = stage.git.addRepository('harbour/tariff', { 'src/prices.py': 'def berth():\n    return 10\n' });
  service = await stage.start();
  projectId = await createProject(service, stage);
  const contextRepositories = [{ name: 'tariff', repository: code.url, paths: ['src'] }];
  await service.client.call('updateProject', {
    params: { projectId },
    body: { agent: { contextRepositories } },
  });
});

afterAll(() => stage.close());

async function run(given: ScriptedCall[], more: object = {}) {
  [calls, asked] = [given, []];
  return runJob(service, projectId, 'Document the price of a berth.', more);
}

function bodyOf(number: number | null | undefined): string {
  return stage.forge.pulls.find((pull) => pull.number === number)?.body ?? '';
}

function results(): string {
  const { messages = [] } = asked.at(-1) ?? {};
  return messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])).join('\n');
}

describe('a job about a change of code', () => {
  test('shows the change to the agent, and its proposal names the lines with links', async () => {
    const base = code.tip('main') ?? '';
    const head = code.commit('main', { 'src/prices.py': 'def berth():\n    return 12\n' });
    const triggeringChange = { repository: 'tariff', base, head };
    const symbols = { name: 'code_symbols', input: { name: 'berth' } };
    const readCode = { name: 'read_code', input: { path: 'tariff/src/prices.py' } };
    const given = [{ name: 'code_diff', input: {} }, symbols, readCode, readPage, edit, finish({ evidence })];
    const job = await run(given, { triggeringChange });
    expect(job).toMatchObject({ status: 'completed', triggeringChange, policy: { outcome: 'pass' } });
    expect(results()).toContain('+    return 12');
    expect(results()).toContain('    1\tdef berth():');
    const [system] = asked[0]?.messages ?? [];
    expect(system).toMatchObject({
      text: expect.stringContaining(`- tariff at ${head.slice(0, 12)}`) as string,
    });
    const body = bodyOf(job.pullRequest?.number);
    expect(body).toContain(`- \`${page}\`: “${statement}” `);
    const at = head.slice(0, 12);
    const address = `${stage.git.origin}/harbour/tariff/blob/${head}/src/prices.py#L1-L2`;
    expect(body).toContain(`[\`tariff@${at}:src/prices.py#L1-L2\`](${address})`);
    const branch = job.pullRequest?.branch ?? '';
    const changed = stage.repository.git('diff', '--name-only', 'main', branch);
    expect(changed).toBe(page);
  });
});

describe('a proposal', () => {
  test('without evidence is refused once, then a draft with a note', async () => {
    const job = await run([readPage, edit, finish({}), finish({ leave_problems: 'None.' })]);
    expect(results()).toContain('The evidence is incomplete or wrong.');
    expect(job.pullRequest?.draft).toBe(true);
    expect(job.policy?.notes).toEqual([
      {
        rule: 'evidence',
        path: page,
        message: 'No evidence supports what has changed in this page.',
        outcome: 'draft',
      },
    ]);
    expect(bodyOf(job.pullRequest?.number)).toContain('`evidence`');
  });

  test('with wrong evidence is a draft with a note', async () => {
    const wrong = [{ page, statement, sources: ['tariff/src/prices.py#L9'] }];
    const job = await run([readPage, edit, finish({ evidence: wrong, leave_problems: 'None.' })]);
    expect(job.pullRequest?.draft).toBe(true);
    expect(job.policy?.notes.map(({ message }) => message).join(' ')).toContain('The file has only 2 lines.');
  });
});

test('a follow-up keeps the evidence of the run before it', async () => {
  const first = await run([readPage, edit, finish({ evidence })]);
  const other = 'index.mdx';
  const sentence = 'Prices are per night.';
  const source = 'tariff/src/prices.py#L2';
  const more = [{ page: other, statement: sentence, sources: [source] }];
  const words = { path: other, old: 'first.', new: `first. ${sentence}` };
  const given = [
    { name: 'read_file', input: { path: other } },
    { name: 'edit_file', input: words },
    finish({ evidence: more, leave_problems: 'The other page has its evidence.' }),
  ];
  calls = given;
  const params = { projectId, id: first.id };
  await service.client.call('messageAgentJob', {
    params,
    body: { prompt: 'Also name it on the first page.' },
  });
  const job = await ended(service, projectId, first.id);
  expect(job).toMatchObject({
    status: 'completed',
    policy: { outcome: 'pass' },
    result: { filesChanged: 2 },
  });
  const body = bodyOf(job.pullRequest?.number);
  for (const text of [statement, sentence]) expect(body).toContain(`“${text}”`);
}, 120_000);

test.each(['prepared', 'result', 'loop-ended', 'judged', 'proposed'])(
  'a run that is killed at “%s” ends with the code and the evidence of its first attempt',
  async (point) => {
    await service.stop();
    const died = Promise.withResolvers<unknown>();
    service = await stage.start({
      crashAfter: point,
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    [calls, asked] = [[readPage, edit, finish({ evidence })], []];
    const pinned = code.tip('main') ?? '';
    const { id } = await service.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Document the price of a berth.' },
    });
    expect(await died.promise).toBe('SIGKILL');
    code.commit('main', { 'src/prices.py': '# Empty\n' });
    service = await stage.start();
    const job = await ended(service, projectId, id);
    expect(job).toMatchObject({ status: 'completed', policy: { outcome: 'pass', notes: [] } });
    expect(bodyOf(job.pullRequest?.number)).toContain(`/blob/${pinned}/src/prices.py#L1-L2`);
    expect(stage.forge.pulls.filter(({ head }) => head === job.pullRequest?.branch)).toHaveLength(1);
    code.commit('main', { 'src/prices.py': 'def berth():\n    return 12\n' });
  },
  120_000,
);

test('a context repository that cannot be fetched ends the job with a message that names it', async () => {
  const repository = `${stage.git.origin}/harbour/none.git`;
  const contextRepositories = [{ name: 'gone', repository }];
  await service.client.call('updateProject', {
    params: { projectId },
    body: { agent: { contextRepositories } },
  });
  const job = await run([finish({})]);
  expect(job).toMatchObject({ status: 'failed', statusReason: 'clone_failed' });
  expect(job.error).toContain('The context repository gone could not be fetched.');
});
