/** Jobs that get another instruction after their pull request is open. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentJob } from '@docyard/api';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { createProject, ended, mendLink, runJob, setStage, type Stage } from './harness.ts';

const firstTask = 'Mend the link of the first page.';

/** The tool calls of the model for each instruction. */
const calls: Record<string, { name: string; input: object }[]> = {
  nothing: [{ name: 'read_file', input: { path: 'index.mdx' } }],
  more: [
    { name: 'read_file', input: { path: 'guides/mooring.mdx' } },
    { name: 'edit_file', input: { path: 'guides/mooring.mdx', old: 'aft.', new: 'aft, always.' } },
  ],
  'a new host': [
    {
      name: 'write_file',
      input: {
        path: 'far.mdx',
        content: '---\ntitle: Far\n---\n\nAsk [them](https://strange-harbour.net/).\n',
      },
    },
  ],
};

const script: Script = (asked) => {
  const task = asked.messages.findLast(({ role }) => role === 'user');
  const text = task !== undefined && 'text' in task ? task.text : '';
  const name = Object.keys(calls).find((each) => text.includes(`Do ${each}.`));
  if (name === undefined) return typeof mendLink === 'function' ? mendLink(asked) : {};
  const turn = asked.messages.filter(({ role }) => role === 'assistant').length;
  const finish = { name: 'finish', input: { title: `Do ${name}`, summary: `Did ${name}.` } };
  return { calls: [calls[name]?.[turn] ?? finish] };
};

let stage: Stage;
let service: Service;
let projectId: string;

beforeAll(async () => {
  stage = await setStage({ script });
  service = await stage.start();
  projectId = await createProject(service, stage);
});

afterAll(() => stage.close());

const run = (prompt: string) => runJob(service, projectId, prompt);
const branchOf = (id: string) => `docyard/${id.slice(3, 15)}`;

async function goOn(id: string, prompt: string): Promise<AgentJob> {
  await service.client.call('messageAgentJob', { params: { projectId, id }, body: { prompt } });
  return ended(service, projectId, id);
}

const diffOf = async (id: string, query: { run?: number } = {}) => {
  const diff = await service.client.call('readAgentDiff', { params: { projectId, id }, query });
  return diff.files.map(({ path, addedLines, removedLines }) => `${path} +${addedLines} -${removedLines}`);
};
const bodyOf = (id: string) =>
  stage.forge.pulls.find(({ head }) => head === branchOf(id))?.body ?? 'no pull request';

test('the diff, the result and the pull request of a follow-up cover all its runs', async () => {
  const { id } = await run(firstTask);
  const job = await goOn(id, 'Do more.');
  expect(await diffOf(id)).toEqual(['guides/mooring.mdx +1 -1', 'index.mdx +1 -1']);
  expect(await diffOf(id, { run: 1 })).toEqual(['index.mdx +1 -1']);
  expect(await diffOf(id, { run: 2 })).toEqual(['guides/mooring.mdx +1 -1']);
  expect(await diffOf(id, { run: 3 })).toEqual([]);
  expect(job).toMatchObject({
    result: { filesChanged: 2, linesAdded: 2, linesRemoved: 2, fixedFindings: 1 },
    policy: { outcome: 'pass' },
  });
  const body = bodyOf(id);
  for (const text of ['`index.mdx`', '`guides/mooring.mdx`', 'The link had a letter too few.'])
    expect(body).toContain(text);
  expect(body).toContain(`> ${firstTask}`);
  const patch = await service.request(`/v2/agent/${projectId}/job/${id}/diff`, {
    headers: { accept: 'text/x-diff' },
  });
  expect(await patch.text()).toBe(`${stage.repository.git('diff', '--full-index', 'main', branchOf(id))}\n`);
});

test('a note on the first run stays when the second one is harmless', async () => {
  const first = await run('Do a new host.');
  const note = expect.objectContaining({ path: 'far.mdx' }) as object;
  expect(first.policy).toMatchObject({ outcome: 'draft', notes: [note] });
  const second = await goOn(first.id, 'Do more.');
  expect(second.policy).toMatchObject({ outcome: 'draft', notes: [note] });
});

test('what people pushed to the branch is judged too', async () => {
  const { id } = await run(firstTask);
  const theirs = stage.repository.commit(branchOf(id), { 'package.json': '{}\n' });
  const job = await goOn(id, 'Do more.');
  expect(job).toMatchObject({ status: 'failed', statusReason: 'policy_blocked' });
  expect(job.policy?.notes).toContainEqual(expect.objectContaining({ path: 'package.json' }));
  expect(stage.repository.tip(branchOf(id))).toBe(theirs);
});

test('what came from the base with an update of the branch is not', async () => {
  const { id } = await run(firstTask);
  const branch = branchOf(id);
  const main = stage.repository.tip('main');
  stage.repository.commit('main', { 'package.json': '{ "private": true }\n' });
  stage.repository.commit(branch, {}, (clone) => {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    execFileSync('git', [...identity, 'merge', '--quiet', '--no-edit', 'origin/main'], { cwd: clone });
  });
  const job = await goOn(id, 'Do more.');
  stage.repository.git('update-ref', 'refs/heads/main', main ?? '');
  expect(job).toMatchObject({ statusReason: 'done', result: { filesChanged: 2 } });
  expect(await diffOf(id)).toEqual(['guides/mooring.mdx +1 -1', 'index.mdx +1 -1']);
});

/** Other tests expect `main` as it was. */
async function withMain(files: Record<string, string>, work: (tip: string) => Promise<void>): Promise<void> {
  const before = stage.repository.tip('main') ?? '';
  await work(stage.repository.commit('main', files));
  stage.repository.git('update-ref', 'refs/heads/main', before);
}
const parentsOf = (commit: string) => stage.repository.git('log', '-1', '--format=%P', commit).split(' ');
const anchors = { 'guides/anchors.mdx': '---\ntitle: Anchors\n---\n\nDrop it upwind.\n', 'ci.yml': 'a: 1\n' };

test('a follow-up first merges the base branch that has moved', async () => {
  const { id } = await run(firstTask);
  const branch = branchOf(id);
  const earlier = stage.repository.tip(branch);
  await withMain(anchors, async (main) => {
    const job = await goOn(id, 'Do more.');
    expect(job).toMatchObject({
      statusReason: 'done',
      policy: { outcome: 'pass' },
      result: { filesChanged: 2 },
    });
    expect(parentsOf(`${branch}~1`)).toEqual([earlier, main]);
    expect(stage.repository.git('show', '-s', '--format=%s', `${branch}~1`)).toBe(
      `Merge main into ${branch}`,
    );
    expect(stage.repository.git('diff', '--name-only', 'main', branch).split('\n')).toEqual([
      'guides/mooring.mdx',
      'index.mdx',
    ]);
    expect(await diffOf(id)).toEqual(['guides/mooring.mdx +1 -1', 'index.mdx +1 -1']);
    expect(await diffOf(id, { run: 2 })).toEqual(['guides/mooring.mdx +1 -1']);
    expect(stage.repository.git('fsck', '--strict', '--full')).toBe('');
  });
});

test('the merge is pushed even if the follow-up changes nothing else', async () => {
  const { id } = await run(firstTask);
  const branch = branchOf(id);
  const earlier = stage.repository.tip(branch);
  await withMain(anchors, async (main) => {
    const job = await goOn(id, 'Do nothing.');
    expect(job).toMatchObject({ statusReason: 'done', result: { filesChanged: 1 } });
    expect(parentsOf(branch)).toEqual([earlier, main]);
    const again = await goOn(id, 'Do nothing.');
    expect(again).toMatchObject({ statusReason: 'no_change' });
    expect(parentsOf(branch)).toEqual([earlier, main]);
  });
});

test('a base branch that conflicts is not merged, and the agent and the reviewers read why', async () => {
  const { id } = await run(firstTask);
  const branch = branchOf(id);
  const earlier = stage.repository.tip(branch);
  const conflicting = { 'index.mdx': '---\ntitle: Welcome\n---\n\nRead about [mooring](/guides) first.\n' };
  await withMain(conflicting, async () => {
    const job = await goOn(id, 'Do more.');
    expect(job).toMatchObject({ statusReason: 'done', result: { filesChanged: 2 } });
    expect(parentsOf(branch)).toEqual([earlier]);
    expect(bodyOf(id)).toContain('### Conflicts with `main`');
    expect(bodyOf(id)).toContain('- `index.mdx`\n');
    const asked = JSON.stringify(stage.model.requests.at(-1)?.messages);
    expect(asked).toContain('both changed the same places of');
    const { data } = await service.client.call('readAgentTranscript', {
      params: { projectId, id },
      query: { limit: 100 },
    });
    expect(data.findLast(({ kind }) => kind === 'prepared')?.text).toContain('files conflict: index.mdx');
  });
});

test('a base branch with another history is not merged', async () => {
  const { id } = await run(firstTask);
  const branch = branchOf(id);
  const earlier = stage.repository.tip(branch);
  const before = stage.repository.tip('main') ?? '';
  const tree = stage.repository.git('rev-parse', 'main^{tree}');
  stage.repository.git(
    'update-ref',
    'refs/heads/main',
    stage.repository.git('commit-tree', '-m', 'New', tree),
  );
  const job = await goOn(id, 'Do more.');
  stage.repository.git('update-ref', 'refs/heads/main', before);
  expect(job).toMatchObject({ statusReason: 'done', result: { filesChanged: 2 } });
  expect(parentsOf(branch)).toEqual([earlier]);
  expect(bodyOf(id)).toContain('### Not merged with `main`');
});

test('a follow-up that changes nothing leaves what is known of the branch', async () => {
  const { id, result } = await run(firstTask);
  const job = await goOn(id, 'Do nothing.');
  expect(job).toMatchObject({ statusReason: 'no_change', result: { ...result, summary: 'Did nothing.' } });
  expect(await diffOf(id)).toEqual(['index.mdx +1 -1']);
  expect(await diffOf(id, { run: 2 })).toEqual([]);
});
