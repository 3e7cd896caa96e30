/** Runs `docyard agent` against the real application; the test acts as the worker. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentJob } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { updateRun } from '../agent/record.ts';
import { createAgentJob } from '../../test/support/agent-jobs.ts';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, completeJob, failJob } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  serveForTest,
  temporaryFolder,
  until,
  writeFiles,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

const binary = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));
const pullRequest = {
  url: 'https://git.example.com/docs/pull/7',
  number: 7,
  state: 'open',
  draft: false,
  branch: 'docyard/7',
} as const;

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projectId: string;

beforeAll(async () => {
  context = await composeForTest({ MODEL_URL: 'https://models.example.com', MODEL_NAME: 'writer-1' });
  service = await serveForTest(context);
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
});

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** spawnSync would block: the service runs in this process. */
function agent(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [binary, 'agent', ...args], {
    env: {
      PATH: '',
      XDG_CONFIG_HOME: context.config.dataDir,
      DOCYARD_URL: service.origin,
      DOCYARD_API_KEY: tenant.key.key,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

async function jobOf(ended: Promise<Ended>, status = 0): Promise<AgentJob> {
  const { stdout, stderr, ...rest } = await ended;
  expect({ ...rest, stderr }).toEqual({ status, stderr: '' });
  return JSON.parse(stdout) as AgentJob;
}

async function newJobId(): Promise<string> {
  return (await createAgentJob(context, tenant, projectId)).id;
}

async function finish(id: string): Promise<void> {
  const claimed = present(await claimJob(context, id));
  await updateRun(
    context,
    { jobId: id, number: 1 },
    { ending: 'done', pullRequest, summary: 'Did\u001b[2Jit.' },
  );
  await completeJob(context, claimed, { result: null, pageCount: 0 });
}

async function newestQueued(): Promise<string | undefined> {
  const row = await context.database
    .selectFrom('jobs')
    .select('id')
    .where('status', '=', 'queued')
    .orderBy('sequence', 'desc')
    .executeTakeFirst();
  return row?.id;
}

describe('docyard agent run', () => {
  test('sends the instruction, waits for the job and prints its outcome', async () => {
    const file = join(temporaryFolder(), 'prompt.txt');
    writeFiles(join(file, '..'), { 'prompt.txt': 'Fix the typos of the guide.' });
    const ended = agent(['run', `@${file}`, '--ref', 'next', '--path', 'guides', '--draft']);
    await until(async () => (await newestQueued()) !== undefined);
    await finish(present(await newestQueued()));
    const { status, stdout, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('completed: done');
    expect(stdout).toContain(pullRequest.url);
    // Text of a model must not contain control characters.
    expect(stdout).not.toContain('\u001b');
  });

  test('ends with status 5 when the job fails', async () => {
    const ended = agent(['run', 'Fix the typos.', '--json']);
    await until(async () => (await newestQueued()) !== undefined);
    const claimed = present(await claimJob(context, present(await newestQueued())));
    await failJob(context, claimed, failureOf('timeout', 'It took too long.'));
    expect(await jobOf(ended, 5)).toMatchObject({ status: 'failed', statusReason: 'timeout' });
  });

  test('returns at once with --no-wait', async () => {
    const job = await jobOf(agent(['run', 'Fix the typos.', '--no-wait', '--json', '--dry-run']));
    expect(job).toMatchObject({ status: 'active', dryRun: true });
    expect(await jobOf(agent(['cancel', job.id, '--json']))).toMatchObject({ status: 'failed' });
  });
});

test('status, message, archive, list and diff act on the given job', async () => {
  const id = await newJobId();
  await finish(id);
  expect(await jobOf(agent(['status', id, '--json']))).toMatchObject({ id, prLink: pullRequest.url });
  expect(await jobOf(agent(['message', id, 'Continue.', '--json']))).toMatchObject({
    status: 'active',
    runs: 2,
  });
  expect(await jobOf(agent(['archive', id, '--json']))).toMatchObject({ status: 'archived' });
  expect((await agent(['list', '--status', 'archived'])).stdout).toContain(id);
  const patch = '--- a/x\n+++ b/x\n';
  await updateRun(context, { jobId: id, number: 2 }, { diff: { files: [], patch } });
  expect(await agent(['diff', id])).toEqual({ status: 0, stdout: patch, stderr: '' });
});

describe('docyard agent', () => {
  test('prints the error message of the service', async () => {
    const { status, stderr } = await agent(['status', 'aj_none', '--project', projectId]);
    expect({ status, stderr }).toEqual({
      status: 4,
      stderr: 'docyard: There is no such agent job in this project.\n',
    });
  });

  test('reads the key from the deprecated variable DOCYARD_KEY', async () => {
    const environment = { DOCYARD_API_KEY: '', DOCYARD_KEY: tenant.key.key };
    expect(await agent(['list'], environment)).toMatchObject({ status: 0, stderr: '' });
  });

  test('explains how to provide a missing key', async () => {
    const { status, stderr } = await agent(['list'], { DOCYARD_API_KEY: '' });
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: `docyard: No key for ${service.origin}. Run docyard login ${service.origin}, or set DOCYARD_API_KEY.\n`,
    });
  });

  test('lists the projects when one must be chosen', async () => {
    const other = await createTestProject(context, tenant);
    const { status, stderr } = await agent(['list']);
    expect(status).toBe(2);
    expect(stderr).toContain('Choose a project with --project');
    expect(stderr).toContain(other.id);
  });
});
