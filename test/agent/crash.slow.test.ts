/**
 * Kills the process at every point of the journal and expects one branch, one commit, one pull request, one preview and one
 * ending.
 */
import type { ProjectGit, SetProjectGit } from '@docyard/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSteps } from '../../packages/server/src/agent/journal.ts';
import type { Message } from '../../packages/server/src/agent/contract.ts';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { newPgpKey, signingPrograms, verifyCommit } from '../signing-keys.ts';
import { createProject, ended, mendLink, setStage, type Stage } from './harness.ts';

let stage: Stage;
let projectId: string;
let signingKey: ProjectGit['signingKey'];

/** Each OpenPGP signature is different. */
const settings: SetProjectGit = {
  author: { name: 'Ada', email: 'ada@example.com' },
  ...(signingPrograms ? { signingKey: newPgpKey() } : {}),
};
/** The model waits for this promise, so that a message can arrive meanwhile. */
let thinking: PromiseWithResolvers<void> | undefined;

const script: Script = async (asked) => {
  await thinking?.promise;
  return typeof mendLink === 'function' ? mendLink(asked) : {};
};

beforeAll(async () => {
  stage = await setStage({ script });
  const service = await stage.start();
  projectId = await createProject(service, stage);
  const { agent } = await service.client.call('updateProject', {
    params: { projectId },
    body: { agent: { git: settings } },
  });
  signingKey = agent.git.signingKey;
  await service.stop();
});

afterAll(() => stage.close());

/** The job that the previous process left unfinished. */
let interrupted: string | undefined;
const killedAt: string[] = [];
const steeredSteps: string[] = [];
const word = 'Leave the other page as it is.';

/** `npm run test:long` kills at every point. */
const isLong = process.env['LONG_TESTS'] !== undefined;
const usual: readonly string[] = ['message', 'validated', 'previewed'];
const points = runSteps.filter((point) => (isLong ? point !== 'base merged' : usual.includes(point)));

/** Each process finishes the job of its predecessor, and is then killed during its own. */
test.each([...points, 'never'])(
  'the next process ends what was cut off; then it is killed at “%s”',
  async (point) => {
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const service = await stage.start({
      crashAfter: point,
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    if (interrupted !== undefined) await expectOneOfEverything(service, interrupted);
    if (point === 'never') return void (await service.stop());
    if (point === 'message') thinking = Promise.withResolvers();
    const asked = stage.model.requests.length;
    const { id } = await service.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Mend the link of the first page.' },
    });
    interrupted = id;
    if (thinking !== undefined) {
      await expect.poll(() => stage.model.requests.length, { timeout: 30_000 }).toBeGreaterThan(asked);
      await service.client.call('messageAgentJob', { params: { projectId, id }, body: { prompt: word } });
      thinking.resolve();
      thinking = undefined;
    }
    expect(await died.promise).toBe('SIGKILL');
    killedAt.push(point);
  },
  120_000,
);

test('what was said right before a kill is in the journal once, and the model heard it once', () => {
  const heard = stage.model.requests.filter(({ messages }) => saidTo(messages).includes(word));
  expect(heard.length).toBeGreaterThan(0);
  for (const { messages } of heard) expect(saidTo(messages).filter((text) => text === word)).toHaveLength(1);
  expect(steeredSteps.filter((kind) => kind === 'message')).toHaveLength(1);
});

function saidTo(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'user' ? message.text : []));
}

async function expectOneOfEverything(service: Service, id: string): Promise<void> {
  const job = await ended(service, projectId, id);
  const branch = `docyard/${id.slice(3, 15)}`;
  const steps = await stepsOf(service, id);
  if (steps.includes('message')) steeredSteps.push(...steps);
  expect(job.runs).toBe(1);
  expect(job).toMatchObject({ status: 'completed', statusReason: 'done', result: { filesChanged: 1 } });
  expect(job.pullRequest).toMatchObject({ branch, state: 'open', draft: false });
  expect(stage.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
  expect(stage.repository.git('rev-list', '--count', `main..${branch}`)).toBe('1');
  expect(stage.repository.git('log', '-1', '--format=%an', branch)).toBe('Ada');
  verifyCommit((...args) => stage.repository.git(...args), branch, signingKey);
  expect(stage.repository.git('show', `${branch}:index.mdx`)).toContain('(/guides/mooring)');
  expect(steps.filter((kind) => kind === 'ended')).toHaveLength(1);
  expect(steps.filter((kind) => kind === 'committed')).toHaveLength(1);
  expect(await previewsOf(service, branch)).toHaveLength(1);
  // Other previews may be interrupted more often than they are retried.
  if (killedAt.at(-1) === 'previewed')
    await expect.poll(() => previewsOf(service, branch), { timeout: 45_000 }).toEqual(['completed']);
  expect(stage.forge.complaints).toEqual([]);
}

async function previewsOf(service: Service, branch: string): Promise<string[]> {
  const { data } = await service.client.call('listExports', { query: { limit: 100 } });
  return data.filter(({ source }) => source.ref === branch).map(({ status }) => status);
}

async function stepsOf(service: Service, id: string): Promise<string[]> {
  const { data } = await service.client.call('readAgentTranscript', {
    params: { projectId, id },
    query: { limit: 100 },
  });
  return data.map(({ kind }) => kind);
}
