/** Jobs of a project whose token can push only to a fork. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServedRepository } from '../fakes/git-server.ts';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { createProject, ended, mendLink, runJob, setStage, type Stage } from './harness.ts';

const more = [
  { name: 'read_file', input: { path: 'guides/mooring.mdx' } },
  { name: 'edit_file', input: { path: 'guides/mooring.mdx', old: 'aft.', new: 'aft, always.' } },
  { name: 'finish', input: { title: 'Describe the lines', summary: 'Done.' } },
];

const script: Script = (asked) => {
  if (!JSON.stringify(asked.messages).includes('Describe the lines.'))
    return typeof mendLink === 'function' ? mendLink(asked) : {};
  const turn = asked.messages.filter(({ role }) => role === 'assistant').length;
  return { calls: [more[turn] ?? { name: 'finish', input: { title: 'Stop', summary: 'Stop.' } }] };
};

let stage: Stage;
let fork: ServedRepository;
let projectId: string;

beforeAll(async () => {
  stage = await setStage({ script });
  fork = stage.git.addRepository(`${stage.forge.forking.account}/docs`, {});
  fork.git('fetch', '--quiet', stage.repository.folder, '+refs/heads/main:refs/heads/main');
  const service = await stage.start();
  projectId = await createProject(service, stage);
  // Other than the kind and the API address, the fork does not delete the credential.
  const forge = { kind: 'github', apiBase: stage.forge.apiBase, fork: 'auto' } as const;
  await service.client.call('updateProject', { params: { projectId }, body: { agent: { forge } } });
  await service.stop();
});

afterAll(() => stage.close());

const branchOf = (id: string) => `docyard/${id.slice(3, 15)}`;
const pullsOf = (id: string) => stage.forge.pulls.filter(({ head }) => head === branchOf(id));

async function previewOf(service: Service, id: string) {
  const { data } = await service.client.call('listExports', { query: { limit: 100 } });
  return data.find(({ source }) => source.ref === branchOf(id));
}

test('the branch is in the fork, and the pull request comes from there', async () => {
  const service = await stage.start();
  stage.repository.commit('main', { 'guides/anchors.mdx': '---\ntitle: Anchors\n---\n' });
  const job = await runJob(service, projectId, 'Mend the link of the first page.');
  const { id } = job;
  expect(job).toMatchObject({ statusReason: 'done', pullRequest: { state: 'open', branch: branchOf(id) } });
  expect(pullsOf(id)).toMatchObject([
    { from: `${stage.forge.forking.account}/docs`, maintainersMayEdit: true },
  ]);
  expect(stage.repository.tip(branchOf(id))).toBeUndefined();
  expect(fork.git('rev-list', '--count', `main..${branchOf(id)}`)).toBe('2');
  expect((await previewOf(service, id))?.source).toMatchObject({ repository: fork.url });

  const earlier = fork.tip(branchOf(id));
  const main = stage.repository.commit('main', { 'guides/chains.mdx': '---\ntitle: Chains\n---\n' });
  await service.client.call('messageAgentJob', {
    params: { projectId, id },
    body: { prompt: 'Describe the lines.' },
  });
  expect(await ended(service, projectId, id)).toMatchObject({
    statusReason: 'done',
    result: { filesChanged: 2 },
  });
  expect(fork.git('log', '-1', '--format=%P', `${branchOf(id)}~1`)).toBe(`${earlier} ${main}`);
  expect(pullsOf(id)).toHaveLength(1);
  expect(stage.forge.forking.forks).toHaveLength(1);
  expect(stage.forge.complaints).toEqual([]);
  await service.stop();
}, 120_000);

test.each(['prepared', 'branch pushed', 'pull request made'])(
  'a job that is killed at “%s” leaves one branch in the fork and one pull request',
  async (point) => {
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const killed = await stage.start({
      crashAfter: point,
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    const { id } = await killed.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Mend the link of the first page.' },
    });
    expect(await died.promise).toBe('SIGKILL');
    const service = await stage.start();
    expect(await ended(service, projectId, id)).toMatchObject({ statusReason: 'done' });
    await service.stop();
    expect(pullsOf(id)).toHaveLength(1);
    expect(fork.git('rev-list', '--count', `${branchOf(id)}^..${branchOf(id)}`)).toBe('1');
    expect(stage.forge.complaints).toEqual([]);
  },
  120_000,
);

test('a fork that the forge cannot create ends the run before the model is asked', async () => {
  const service = await stage.start();
  const asked = stage.model.requests.length;
  stage.forge.forking.account = 'harbour';
  const job = await runJob(service, projectId, 'Mend the link of the first page.');
  stage.forge.forking.account = 'docs-bot';
  expect(job).toMatchObject({ status: 'failed', statusReason: 'forge_error' });
  expect(job.error).toContain('harbour owns the repository');
  expect(stage.model.requests).toHaveLength(asked);
  await service.stop();
}, 120_000);
