/** Kills the process around the merge of the base branch and expects one merge, one commit and one pull request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Script } from '../fakes/model-server.ts';
import { createProject, ended, mendLink, runJob, setStage, type Stage } from './harness.ts';

const followUp = 'Describe the lines.';
const calls = [
  { name: 'read_file', input: { path: 'guides/mooring.mdx' } },
  { name: 'edit_file', input: { path: 'guides/mooring.mdx', old: 'aft.', new: 'aft, always.' } },
  { name: 'finish', input: { title: 'Describe the lines', summary: 'Done.' } },
];

const script: Script = (asked) => {
  const isFollowUp = JSON.stringify(asked.messages).includes(followUp);
  if (!isFollowUp) return typeof mendLink === 'function' ? mendLink(asked) : {};
  const turn = asked.messages.filter(({ role }) => role === 'assistant').length;
  return { calls: [calls[turn] ?? { name: 'finish', input: { title: 'Stop', summary: 'Stop.' } }] };
};

let stage: Stage;
let projectId: string;

beforeAll(async () => {
  stage = await setStage({ script });
  const service = await stage.start();
  projectId = await createProject(service, stage);
  await service.stop();
});

afterAll(() => stage.close());

test.each(['base merged', 'prepared', 'committed', 'branch pushed'])(
  'a follow-up that is killed at “%s” merges the base branch once',
  async (point) => {
    const before = await stage.start();
    const { id } = await runJob(before, projectId, 'Mend the link of the first page.');
    await before.stop();
    const branch = `docyard/${id.slice(3, 15)}`;
    const earlier = stage.repository.tip(branch);
    const start = stage.repository.tip('main') ?? '';
    const main = stage.repository.commit('main', { 'guides/anchors.mdx': '---\ntitle: Anchors\n---\n' });
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const killed = await stage.start({
      crashAfter: point,
      // The first attempt was the first run.
      environment: { CRASH_ATTEMPT: '2' },
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    await killed.client.call('messageAgentJob', { params: { projectId, id }, body: { prompt: followUp } });
    expect(await died.promise).toBe('SIGKILL');
    // The base branch moves on while no process runs.
    if (point !== 'base merged')
      stage.repository.commit('main', { 'guides/chains.mdx': '---\ntitle: Chains\n---\n' });
    const next = await stage.start();
    const job = await ended(next, projectId, id);
    await next.stop();
    expect(job).toMatchObject({ statusReason: 'done', runs: 2, result: { filesChanged: 2 } });
    const log = stage.repository.git('log', '--first-parent', '--format=%P', `${earlier}..${branch}`);
    expect(log.split('\n').map((line) => line.split(' ').length)).toEqual([1, 2]);
    expect(log.split('\n').at(-1)).toBe(`${earlier} ${main}`);
    expect(stage.repository.git('show', `${branch}:guides/mooring.mdx`)).toContain('aft, always.');
    expect(stage.forge.pulls.filter(({ head }) => head === branch)).toHaveLength(1);
    expect(stage.forge.complaints).toEqual([]);
    stage.repository.git('update-ref', 'refs/heads/main', start);
  },
  120_000,
);
