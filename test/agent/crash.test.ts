/**
 * Kill −9 at every point of the journal: however a run is cut off, there is one branch with one commit, one pull request,
 * one preview and one ending.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crashPoints } from '../../packages/server/src/agent/crash.ts';
import { temporaryFolder, type Service } from '../service.ts';
import { createProject, ended, mendLink, setStage, type Stage } from './stage.ts';

let stage: Stage;
let projectId: string;

beforeAll(async () => {
  stage = await setStage({ script: mendLink });
  const service = await stage.start();
  projectId = await createProject(service, stage);
  await service.stop();
});

afterAll(() => stage.close());

/** Points that a run of these calls passes; people say nothing to it, so no message is ever written. */
const passed = crashPoints.filter((point) => point !== 'message');
/** What the process before left unfinished. */
let interrupted: string | undefined;

/** Each process sees the job of the one before to its end, and is then killed in the middle of its own. */
test.each([...passed, 'never'])(
  'the next process ends what was cut off; then it is killed at “%s”',
  async (point) => {
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const service = await stage.start({
      environment: { NODE_ENV: 'test', DOCYARD_CRASH_AT: point },
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    if (interrupted !== undefined) await expectOneOfEverything(service, interrupted);
    if (point === 'never') return void (await service.stop());
    const { id } = await service.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Mend the link of the first page.' },
    });
    interrupted = id;
    expect(await died.promise).toBe('SIGKILL');
  },
);

async function expectOneOfEverything(service: Service, id: string): Promise<void> {
  const job = await ended(service, projectId, id);
  const branch = `docyard/${id.slice(3, 15)}`;
  const steps = await stepsOf(service, id);
  expect(job).toMatchObject({ status: 'completed', statusReason: 'done', result: { filesChanged: 1 } });
  expect(job.pullRequest).toMatchObject({ branch, state: 'open', draft: false });
  expect(stage.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
  expect(stage.repository.git('rev-list', '--count', `main..${branch}`)).toBe('1');
  expect(stage.repository.git('show', `${branch}:index.mdx`)).toContain('(/guides/mooring)');
  expect(steps.filter((kind) => kind === 'ended')).toHaveLength(1);
  expect(steps.filter((kind) => kind === 'committed')).toHaveLength(1);
  const { data: exports } = await service.client.call('listExports', { query: { limit: 100 } });
  expect(exports.filter(({ source }) => source.ref === branch)).toHaveLength(1);
  expect(stage.forge.complaints).toEqual([]);
}

async function stepsOf(service: Service, id: string): Promise<string[]> {
  const { data } = await service.client.call('readAgentTranscript', {
    params: { projectId, id },
    query: { limit: 100 },
  });
  return data.map(({ kind }) => kind);
}

test('the switch does nothing on a server that is not under test', () => {
  const file = new URL('../../packages/server/src/agent/crash.ts', import.meta.url).href;
  const program = `import { crashIfAsked } from '${file}'; crashIfAsked('ended', { attempt: 1 }); console.log('alive');`;
  const run = (environment: Record<string, string>) =>
    spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
      cwd: temporaryFolder('crash'),
      env: { DOCYARD_CRASH_AT: 'ended', ...environment },
      encoding: 'utf8',
    });
  expect(run({}).stdout).toBe('alive\n');
  expect(run({ NODE_ENV: 'production' }).stdout).toBe('alive\n');
  expect(run({ NODE_ENV: 'test' }).signal).toBe('SIGKILL');
});
