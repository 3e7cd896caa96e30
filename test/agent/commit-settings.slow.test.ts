/** Jobs of a project that sets how its branches, commits and pull requests look. */
import type { SetProjectAgent } from '@docyard/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { newSshKey, signingPrograms, verifyCommit } from '../signing-keys.ts';
import { createProject, ended, runJob, setStage, type Stage } from './harness.ts';

const ada = { name: 'Ada', email: 'ada@example.com' };
const grace = { name: 'Grace', email: 'grace@example.com' };

let stage: Stage;
let service: Service;
let projectId: string;

/** Each run writes another text. */
const script: Script = ({ messages }) => {
  const runs = messages.filter((message) => message.role === 'user').length;
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const path = `page-${stage.model.requests.length}-${runs}.mdx`;
  const calls = [
    { name: 'write_file', input: { path, content: '---\ntitle: A page\n---\n\nA text.\n' } },
    { name: 'finish', input: { title: 'Add a page', summary: 'It is new.' } },
  ];
  const call = calls[turn];
  return call === undefined ? { text: 'Nothing more.' } : { calls: [call] };
};

beforeAll(async () => {
  stage = await setStage({ script });
  service = await stage.start();
  projectId = await createProject(service, stage);
});
afterAll(() => stage.close());

const set = (agent: SetProjectAgent) =>
  service.client.call('updateProject', { params: { projectId }, body: { agent } });
const git = (...args: string[]) => stage.repository.git(...args);
const headOf = (branch: string) => git('log', '-1', '--format=%an <%ae>, %cn <%ce>%n%(trailers)', branch);

test('branch, identity, signature, labels and reviewers are those of the project', async () => {
  const { agent } = await set({
    git: {
      branch: 'docs/{slug}',
      author: ada,
      committer: grace,
      coAuthors: [grace],
      ...(signingPrograms ? { signingKey: newSshKey() } : {}),
    },
    pullRequest: {
      labels: ['documentation'],
      reviewers: ['mallory', 'ada'],
      teams: ['writers'],
      assignees: ['grace'],
    },
  });
  const job = await runJob(service, projectId, 'Add a page about ropes.');
  const branch = `docs/add-a-page-about-ropes-${job.id.slice(3, 15)}`;
  expect(job).toMatchObject({
    statusReason: 'done',
    pullRequest: { branch, state: 'open' },
    result: { notes: [expect.stringMatching(/^Cannot add the reviewer mallory: /)] },
  });
  expect(headOf(branch)).toBe(
    [
      'Ada <ada@example.com>, Grace <grace@example.com>',
      `Agent-Job: ${job.id}`,
      'Co-authored-by: Grace <grace@example.com>',
    ].join('\n'),
  );
  verifyCommit(git, branch, agent.git.signingKey);
  const pulls = () => stage.forge.pulls.filter(({ head }) => head === branch);
  const details = { labels: ['documentation'], reviewers: ['ada'], teams: ['writers'], assignees: ['grace'] };
  expect(pulls()).toMatchObject([details]);

  // A follow-up keeps the branch, takes the new identity and leaves the pull request to its reviewers.
  await set({
    git: { branch: 'other/{job}', author: grace, coAuthors: [] },
    pullRequest: { labels: ['more'] },
  });
  await service.client.call('messageAgentJob', {
    params: { projectId, id: job.id },
    body: { prompt: 'Add another page.' },
  });
  const followed = await ended(service, projectId, job.id);
  expect(followed).toMatchObject({ runs: 2, pullRequest: { branch }, result: { notes: job.result?.notes } });
  expect(headOf(branch)).toBe(`Grace <grace@example.com>, Grace <grace@example.com>\nAgent-Job: ${job.id}`);
  verifyCommit(git, branch, agent.git.signingKey);
  expect(pulls()).toMatchObject([details]);
  expect(stage.forge.complaints).toEqual([]);
});

test('without settings, commits and branches are those of Docyard', async () => {
  await set({ git: null, pullRequest: null });
  const job = await runJob(service, projectId, 'Add a page about knots.');
  const branch = `docyard/${job.id.slice(3, 15)}`;
  expect(job).toMatchObject({ pullRequest: { branch }, result: { notes: [] } });
  const docyard = 'Docyard agent <agent@docyard.invalid>';
  expect(headOf(branch)).toBe(`${docyard}, ${docyard}\nAgent-Job: ${job.id}`);
  expect(git('cat-file', 'commit', branch)).not.toContain('gpgsig');
  expect(stage.forge.pulls.find(({ head }) => head === branch)).toMatchObject({ labels: [], reviewers: [] });
});
