/**
 * Searches for the forge token, the model key and the signing key in everything that a run leaves behind: responses, journal, log, files,
 * process arguments, the pull request and model requests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentJob } from '@docyard/api';
import type { Script } from '../fakes/model-server.ts';
import type { Service } from '../service.ts';
import { newPgpKey, signingPrograms } from '../signing-keys.ts';
import { createProject, ended, modelKey, setStage, type Stage } from './harness.ts';

let stage: Stage;
let service: Service;
let projectId: string;
let job: AgentJob;
const seenProcesses = new Set<string>();

/** The repository contains the token in an old commit; the model reads that page, quotes it, and fixes a link on another page. */
const script: Script = ({ messages }) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const read = messages.map((message) => ('text' in message ? message.text : '')).join('\n');
  const [token = 'no token'] = /github_pat_\w+/.exec(read) ?? [];
  const calls = [
    { name: 'read_file', input: { path: 'leak.mdx' } },
    { name: 'read_file', input: { path: 'index.mdx' } },
    { name: 'edit_file', input: { path: 'index.mdx', old: '/guides/moring', new: '/guides/mooring' } },
    { name: 'finish', input: { title: `Mend a link ${token}`, summary: `I read ${token}.` } },
  ];
  const call = calls[turn];
  return call === undefined ? {} : { text: `Thinking of ${token}.`, calls: [call] };
};

beforeAll(async () => {
  stage = await setStage({ script, environment: { LOG_LEVEL: 'trace' } });
  stage.repository.commit('main', {
    'leak.mdx': `---\ntitle: Leak\n---\n\nOur token is ${stage.forge.token}.\n`,
  });
  service = await stage.start();
  projectId = await createProject(service, stage);
  await service.client.call('updateProject', {
    params: { projectId },
    body: { agent: { git: { signingKey } } },
  });
  const { id } = await service.client.call('createAgentJob', {
    params: { projectId },
    body: { prompt: 'Mend the link of the first page.' },
  });
  const watch = setInterval(rememberProcesses, 5);
  job = await ended(service, projectId, id).finally(() => clearInterval(watch));
}, 120_000);

afterAll(() => stage.close());

const signingKey = signingPrograms ? newPgpKey() : null;
const linesOfKey = signingKey?.split('\n').filter((line) => line.length > 40) ?? [];

function secretForms(): string[] {
  return [stage.forge.token, modelKey, ...linesOfKey].flatMap((secret) => {
    const shifted = [0, 1, 2].map((offset) => Buffer.from('x'.repeat(offset) + secret).toString('base64'));
    // The middle of the Base64 text, which does not depend on the surrounding bytes.
    return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')].concat(
      shifted.map((text) => text.slice(4, -4)),
    );
  });
}

function expectNoSecret(where: string, text: string): void {
  expect([where, secretForms().filter((form) => text.includes(form))]).toEqual([where, []]);
}

test('the job did its work, so that there is something to look at', () => {
  expect(job).toMatchObject({ status: 'completed', statusReason: 'done' });
  expect(stage.forge.pulls).toHaveLength(1);
  expect(stage.git.requests.some(({ authorization }) => authorization !== undefined)).toBe(true);
  expect(stage.model.requests[0]?.headers.authorization).toBe(`Bearer ${modelKey}`);
});

test.each(['', '/events', '/transcript?limit=100', '/diff'])(
  'nothing in the answer of job%s',
  async (path) => {
    const answer = await service.request(`/v2/agent/${projectId}/job/${job.id}${path}`, {
      headers: { accept: 'application/json' },
    });
    expect(answer.status).toBe(200);
    expectNoSecret(path, await answer.text());
  },
);

test('nothing in the project, the audit log or the log', async () => {
  expectNoSecret('project', await (await service.request(`/v1/projects/${projectId}`)).text());
  expectNoSecret('audit', await (await service.request('/v1/audit-log?limit=100')).text());
  expectNoSecret('log', stage.log());
});

test('nothing in any file of the data folder', async () => {
  const files = readdirSync(stage.dataDir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain('docyard.db');
  // The preview and the checkout are copies of the branch, which contains the committed token.
  const isOfBranch = /\/se_|\/cache\/exports\//;
  for (const { parentPath, name } of files.filter((file) => !isOfBranch.test(`${file.parentPath}/`))) {
    expectNoSecret(name, readFileSync(join(parentPath, name), 'latin1'));
  }
});

test('nothing in the arguments of a process, nor in the environment of one that reads the repository', () => {
  expect([...seenProcesses].some((text) => text.includes('git'))).toBe(true);
  expect([...seenProcesses].some((text) => text.includes('site-check-child'))).toBe(true);
  expectNoSecret('processes', [...seenProcesses].join('\n'));
});

test('nothing in the pull request, the commit or its files', () => {
  expectNoSecret('pull request', JSON.stringify(stage.forge.pulls));
  const { branch } = job.pullRequest ?? { branch: '' };
  expectNoSecret('commit', stage.repository.git('show', branch));
});

test('the model is sent neither its own key nor the token', () => {
  expectNoSecret('conversation', JSON.stringify(stage.model.requests.map(({ body }) => body)));
});

/**
 * Records arguments of every process, and the environment of processes that read untrusted text. git receives the token through
 * its environment.
 */
function rememberProcesses(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      seenProcesses.add(command);
      if (/child\.ts|page\/process/.test(command))
        seenProcesses.add(readFileSync(`/proc/${pid}/environ`, 'utf8'));
    } catch {
      // The process has exited.
    }
  }
}
