import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SetProjectAgent } from '@docyard/api';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { createProject, runJob, setStage, type Stage } from './harness.ts';

const calls = [
  { name: 'read_file', input: { path: 'docs.json' } },
  {
    name: 'edit_file',
    input: {
      path: 'docs.json',
      old: '"theme": "mint",',
      new: '"theme": "mint",\n  "api": { "baseUrl": "x" },',
    },
  },
  { name: 'write_file', input: { path: 'robots.txt', content: 'User-agent: *\n' } },
  { name: 'finish', input: { title: 'Change the site', summary: 'Changed.' } },
];
const script: Script = ({ messages }) => {
  const call = calls[messages.filter(({ role }) => role === 'assistant').length];
  return call === undefined ? { text: 'Nothing more.' } : { calls: [call] };
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

async function blockedPaths(agent: SetProjectAgent): Promise<(string | null)[]> {
  await service.client.call('updateProject', { params: { projectId }, body: { agent } });
  const { policy } = await runJob(service, projectId, 'Change the site.', { dryRun: true });
  const notes = policy?.notes ?? [];
  return notes.filter(({ outcome }) => outcome === 'block').map(({ path }) => path);
}

test('a project opens a protected file and a protected key, and its own protection wins', async () => {
  expect((await blockedPaths({})).toSorted()).toEqual(['docs.json', 'robots.txt']);
  const opened = { allowedPaths: ['robots.txt'], allowedConfigKeys: ['api.baseUrl'] };
  expect(await blockedPaths(opened)).toEqual([]);
  expect(await blockedPaths({ protectedPaths: ['robots.txt'] })).toEqual(['robots.txt']);
});
