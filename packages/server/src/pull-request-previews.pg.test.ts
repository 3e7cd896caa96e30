/** Pull requests at a fake forge over HTTP, with events in every order and an interruption after every step. */
import { createHash, randomUUID } from 'node:crypto';
import type { CreatedHookSecret, ForgePullRequest, Project } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeGithub } from '../../../test/fakes/forges/github.ts';
import { pullRequestWebhook } from '../../../test/fakes/forges/pull-request-webhooks.ts';
import { openPull, type FakeForge, type FakePull } from '../../../test/fakes/forges/server.ts';
import type { PullRequestAction } from '../../../test/fakes/forges/webhooks/pull-request.ts';
import {
  cleanUp,
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../test/support/test-context.ts';
import { eventHandlers } from './event-handlers.ts';
import { inputOf } from './exports/record.ts';
import { sweep } from './exports/retention.ts';
import { ForgeEventProcessor } from './forge-events/processor.ts';
import { failureOf } from './jobs/failure.ts';
import { sweepJobs } from './jobs/retention.ts';
import { claimJob, completeJob, failJob, type Job } from './jobs/store.ts';
import { pullRequestPreviews } from './pull-request-previews.ts';
import { claimDue } from './pull-requests/claims.ts';
import type { PreviewParts, PreviewReport } from './pull-requests/outcome.ts';
import { reconcile } from './pull-requests/reconcile.ts';
import { PullRequestReconciler } from './pull-requests/reconciler.ts';

const commitOf = (name: string) => createHash('sha1').update(name).digest('hex');
const never = new AbortController().signal;

const report: PreviewReport = {
  base: { jobId: 'se_base', commit: 'c'.repeat(40) },
  pages: {
    added: [],
    removed: [],
    moved: [],
    restyled: [],
    changed: [{ path: '/guides/start', title: 'Ask @ada | [here](https://evil.example)', titleBefore: null }],
  },
  changedFiles: 0,
  pageCount: 2,
  seconds: 1,
  newFindings: [
    { severity: 'error', code: 'broken_link', message: 'Fixes #1: no @page', file: 'start.mdx', line: 3 },
    { severity: 'error', code: 'broken_link', message: 'In an unchanged file', file: 'other.mdx', line: 1 },
  ],
  fixedFindings: [],
  isTruncated: false,
};

/** Real parts, except for the comparison, which needs a bundle. */
const parts: PreviewParts = { ...pullRequestPreviews, readReport: async () => report };

let context: TestContext;
let service: TestService;
let fake: FakeForge;
let tenant: Tenant;
let project: Project;
let secret: string;
let pull: FakePull;

beforeAll(async () => {
  fake = await startFakeGithub({ path: 'acme/docs' });
  cleanUp(() => fake.stop());
  context = await composeForTest({
    EGRESS_ALLOW: `forge:${new URL(fake.origin).host}`,
    PUBLIC_URL: 'https://docyard.example.com',
  });
  service = await serveForTest(context);
});

beforeEach(async () => {
  await context.database.deleteFrom('pull_requests').execute();
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant, { repository: 'https://git.example.com/acme/docs.git' });
  const credential = { type: 'token', token: fake.token };
  await change({ agent: { forge: { kind: 'github', apiBase: fake.apiBase, credential } } });
  ({ secret } = await call<CreatedHookSecret>(`/v1/projects/${project.id}/hook/secret`, jsonBody({})));
  fake.pulls.length = 0;
  Object.assign(fake.conversation, { comments: [], statuses: [], annotations: [] });
  pull = openPull(fake, { title: 'Title', body: '', draft: false, head: 'topic', base: 'main' });
  push('first');
});

function push(name: string): string {
  pull.headCommit = commitOf(name);
  pull.changes = [{ path: 'start.mdx' }];
  return pull.headCommit;
}

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await service.request(path, { ...init, key: tenant.key.key });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

const change = (body: object) => call(`/v1/projects/${project.id}`, { ...jsonBody(body), method: 'PATCH' });

/** Sends the event and processes it, without the worker. */
async function hear(action: PullRequestAction, headCommit = pull.headCommit, deliveryId = randomUUID()) {
  const repository = 'https://git.example.com/acme/docs.git';
  const { number } = pull;
  const fork = pull.isFork ? 'https://git.example.com/mallory/docs.git' : repository;
  const given = { action, secret, repository, number, headCommit, fork, deliveryId };
  const request = pullRequestWebhook('github', given);
  const response = await service.request(`/hooks/${project.id}`, { method: 'POST', ...request });
  expect(response.status).toBe(202);
  await new ForgeEventProcessor(context, eventHandlers).processDue();
}

const work = (used = parts) => new PullRequestReconciler(context, used).processDue();

async function read(): Promise<ForgePullRequest> {
  const { data } = await call<{ data: ForgePullRequest[] }>(`/v1/pull-requests?projectId=${project.id}`);
  expect(data).toHaveLength(1);
  return present(data[0]);
}

const jobs = (): Promise<Job[]> =>
  context.database
    .selectFrom('jobs')
    .selectAll()
    .where('project_id', '=', project.id)
    .orderBy('sequence')
    .execute();

async function completeExport(): Promise<string> {
  const job = present((await jobs()).findLast(({ status }) => status === 'queued'));
  const claimed = present(await claimJob(context, job.id));
  const bundle = { sizeBytes: 1, sha256: '0'.repeat(64), fileCount: 1 };
  const result = { bundle, warnings: 0, errors: 0, attempt: claimed.attempt };
  await completeJob(context, claimed, { result, pageCount: 2 });
  return job.id;
}

const comments = () => fake.conversation.comments.map(({ body }) => body);
const statusesOf = (commit: string) =>
  fake.conversation.statuses.filter((status) => status.commit === commit).map(({ state }) => state);

async function publishFirst(): Promise<void> {
  await hear('opened');
  await work();
  await completeExport();
  await work();
}

test('a pull request gets an export of its head, a pending status, and then a comment and the final status', async () => {
  await hear('opened');
  expect(await read()).toMatchObject({ state: 'open', preview: { state: 'pending', url: null } });
  await work();
  const [job, ...more] = await jobs();
  expect(more).toEqual([]);
  expect(inputOf(present(job))).toMatchObject({
    source: { ref: 'topic', commit: pull.headCommit },
    request: { domain: project.domain },
  });
  expect(statusesOf(pull.headCommit)).toEqual(['pending']);
  expect(await work()).toBe(0);
  await completeExport();
  expect(await work()).toBe(1);
  expect(await read()).toMatchObject({
    preview: { state: 'ready', commit: pull.headCommit, jobId: job?.id, comparedWith: 'se_base' },
    commentUrl: expect.stringContaining('http'),
    nextAttemptAt: null,
  });
  expect(statusesOf(pull.headCommit)).toEqual(['pending', 'failure']);
  expect(comments()).toHaveLength(1);
  expect(await work()).toBe(0);
});

test('text of authors in the comment contains no mention, no reference to an issue and no link', async () => {
  await publishFirst();
  const [comment = ''] = comments();
  expect(comment).not.toMatch(/@ada|@page|#1\b|\(https:\/\/evil/);
  const { url } = (await read()).preview;
  expect(comment).toContain(`](${url}guides/start) | changed |`);
  expect(comment).toContain('`start.mdx:3`');
});

test('a comment about hundreds of pages stays below the limits of all forges', async () => {
  const changed = Array.from({ length: 900 }, (_, page) => ({
    path: `/guides/a-page-with-a-long-name-${page}`,
    title: '|*_'.repeat(60),
    titleBefore: null,
  }));
  const newFindings = Array.from({ length: 400 }, (_, line) => ({
    severity: 'warning' as const,
    code: 'broken_link',
    message: '<b>'.repeat(300),
    file: 'a.mdx',
    line,
  }));
  const huge = { ...report, pages: { ...present(report.pages), changed }, newFindings };
  await hear('opened');
  await work();
  await completeExport();
  await work({ ...parts, readReport: async () => huge });
  const [comment = ''] = comments();
  expect(comment.length).toBeLessThan(32_000);
  expect(comment).toMatch(/And \d+ more pages\./);
});

describe('the newest commit wins', () => {
  test('and cancels the export of the older one', async () => {
    await hear('opened');
    await work();
    const [older] = await jobs();
    await claimJob(context, present(older).id);
    const newer = push('second');
    await hear('updated');
    await work();
    const [canceled, current] = await jobs();
    expect(canceled?.cancel_requested_at).not.toBeNull();
    expect(inputOf(present(current)).source.commit).toBe(newer);
    const claimed = present(
      await context.database
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', present(older).id)
        .executeTakeFirst(),
    );
    await failJob(context, claimed, failureOf('canceled', 'Canceled.'));
    context.clock.advance(10);
    await work();
    expect((await jobs()).map(({ id }) => id)).toEqual([current?.id]);
  });

  test('although an event about the older one arrives late', async () => {
    const older = pull.headCommit;
    push('second');
    await hear('updated');
    await work();
    await hear('opened', older);
    await work();
    const [job, ...more] = await jobs();
    expect(more).toEqual([]);
    expect(inputOf(present(job)).source.commit).toBe(pull.headCommit);
    expect(await read()).toMatchObject({ headCommit: pull.headCommit });
  });

  test('and an event that arrives while a worker works is not lost', async () => {
    await hear('opened');
    const onStep = async (step: string) => {
      if (step !== 'asked') return;
      push('second');
    };
    await work({ ...parts, onStep: (step) => void onStep(step) });
    await hear('updated');
    await work();
    expect((await read()).headCommit).toBe(commitOf('second'));
  });
});

test('repeated deliveries and several processes start one export and write one comment', async () => {
  const id = randomUUID();
  for (let count = 0; count < 3; count += 1) await hear('opened', pull.headCommit, id);
  await hear('opened');
  await Promise.all([work(), work(), work()]);
  expect(await jobs()).toHaveLength(1);
  await completeExport();
  await Promise.all([work(), work(), work()]);
  await hear('edited');
  await work();
  expect(comments()).toHaveLength(1);
  expect(await jobs()).toHaveLength(1);
});

describe('a pull request that is closed', () => {
  test.each(['closed', 'merged'] as const)('as %s loses its exports', async (state) => {
    await publishFirst();
    const { url } = (await read()).preview;
    pull.state = state;
    await hear(state);
    await work();
    expect(await read()).toMatchObject({ state, preview: { state: 'removed', url: null } });
    expect(await jobs()).toEqual([]);
    expect(comments()).toEqual([expect.stringContaining('removed')]);
    const { pathname } = new URL(present(url));
    expect((await service.request(pathname)).status).toBe(410);
    const page = await service.request(pathname, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(410);
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(await page.text()).toContain('#1 was removed, because it was closed or merged.');
  });

  test('and reopened gets the same address and no second comment', async () => {
    await publishFirst();
    const { url } = (await read()).preview;
    pull.state = 'closed';
    await hear('closed');
    await work();
    pull.state = 'open';
    await hear('reopened');
    await work();
    await completeExport();
    await work();
    expect((await read()).preview).toMatchObject({ state: 'ready', url });
    expect(comments()).toHaveLength(1);
  });
});

describe('the address of a preview', () => {
  const page = async (path: string) => {
    const response = await service.request(path, { headers: { accept: 'text/html' } });
    return [response.status, await response.text()];
  };
  const tokenOf = async () =>
    (
      await context.database
        .selectFrom('pull_requests')
        .select('token')
        .where('project_id', '=', project.id)
        .executeTakeFirstOrThrow()
    ).token;

  test('says that the first preview is being built', async () => {
    await hear('opened');
    await work();
    const path = `/preview/pull-requests/${await tokenOf()}/`;
    expect(await page(path)).toEqual([404, expect.stringContaining('is being built')]);
  });

  test('is not found with another token, and never shows an export of another project', async () => {
    await publishFirst();
    const token = await tokenOf();
    for (const path of [`${token.slice(0, -1)}/`, `${'A'.repeat(32)}/`, `${token}x/`, `${token}.after/`, ''])
      expect((await page(`/preview/pull-requests/${path}`))[0], path).toBe(404);
    const other = await createTestProject(context, tenant);
    const foreign = await createCompletedExport(context, tenant, other);
    await context.database
      .updateTable('pull_requests')
      .set({ shown_job_id: foreign.id, base_job_id: foreign.id })
      .where('token', '=', token)
      .execute();
    expect((await page(`/preview/pull-requests/${token}/`))[0]).toBe(410);
    expect((await page(`/preview/pull-requests/${token}.before/`))[0]).toBe(410);
  });

  test('is kept by retention as long as the pull request is open', async () => {
    await publishFirst();
    const { jobId } = (await read()).preview;
    context.clock.advance(400 * 86_400);
    await sweep(context);
    await sweepJobs(context);
    const [job] = await jobs();
    expect(job).toMatchObject({ id: jobId, purged_at: null });
  });
});

describe('a fork', () => {
  beforeEach(() => void (pull.isFork = true));

  test('waits for the approval of one commit', async () => {
    await hear('opened');
    await work();
    expect(await jobs()).toEqual([]);
    const { id, preview } = await read();
    expect(preview.state).toBe('approval');
    expect(comments()).toEqual([expect.stringContaining(`approve ${id} --commit ${pull.headCommit}`)]);
    await call(`/v1/pull-requests/${id}/approve`, jsonBody({ headCommit: pull.headCommit }));
    await work();
    const [job] = await jobs();
    expect(inputOf(present(job))).toMatchObject({
      isUntrusted: true,
      source: { ref: 'refs/pull/1/head', commit: pull.headCommit, allowLocal: false },
    });
    push('second');
    await hear('updated');
    await work();
    expect((await read()).preview.state).toBe('approval');
    expect((await jobs()).filter(({ status }) => status === 'queued')).toEqual([]);
  });

  test('is not built if the project builds none', async () => {
    await change({ pullRequests: { forks: 'off' } });
    await hear('opened');
    await work();
    expect((await read()).preview).toMatchObject({
      state: 'skipped',
      reason: 'The project builds no forks.',
    });
    expect(await jobs()).toEqual([]);
  });

  test('does not get the scripts that the project allows', async () => {
    await change({ exports: { customScripts: 'include' }, pullRequests: { forks: 'build' } });
    await hear('opened');
    await work();
    expect(inputOf(present((await jobs())[0])).request).toEqual({ domain: project.domain });
  });
});

test('a pull request outside the docs folder gets a status and no comment', async () => {
  await change({ source: { repository: 'https://git.example.com/acme/docs.git', directory: 'docs' } });
  await hear('opened');
  await work();
  expect((await read()).preview.state).toBe('skipped');
  expect([statusesOf(pull.headCommit), comments()]).toEqual([['success'], []]);
});

test('a failed export is reported with file, line and advice', async () => {
  await hear('opened');
  await work();
  const claimed = present(await claimJob(context, present((await jobs())[0]).id));
  const location = { file: 'docs.json', line: 4, hint: 'Add a comma.' };
  await failJob(context, claimed, failureOf('config_invalid', 'docs.json is not JSON.', location));
  await work();
  expect(await read()).toMatchObject({ preview: { state: 'failed', reason: 'docs.json is not JSON.' } });
  expect(comments()[0]).toContain('`docs.json:4`');
  expect(comments()[0]).toContain('Add a comma.');
  expect(statusesOf(pull.headCommit)).toEqual(['pending', 'failure']);
});

test('without a credential pull requests are ignored, and one of another project cannot be read', async () => {
  await publishFirst();
  const { id } = await read();
  const other = await createTenant(context);
  expect((await service.request(`/v1/pull-requests/${id}`, { key: other.key.key })).status).toBe(404);
  await useOtherProject();
  await hear('opened');
  expect((await call<{ data: unknown[] }>(`/v1/pull-requests?projectId=${project.id}`)).data).toEqual([]);
});

async function useOtherProject(): Promise<void> {
  project = await createTestProject(context, tenant, { repository: 'https://git.example.com/acme/docs.git' });
  ({ secret } = await call<CreatedHookSecret>(`/v1/projects/${project.id}/hook/secret`, jsonBody({})));
}

test('a refusal of the forge is shown, and the work is tried again later', async () => {
  await hear('opened');
  fake.fail({ status: 401, body: { message: 'Bad credentials' } });
  await work();
  const { preview, nextAttemptAt } = await read();
  expect(preview.reason).toMatch(/./);
  expect(nextAttemptAt).not.toBeNull();
  expect(await work()).toBe(0);
  context.clock.advance(30);
  await work();
  expect((await read()).preview).toMatchObject({ state: 'building', reason: null });
});

describe('an interruption after each step', () => {
  const steps = ['asked', 'decided', 'shown', 'tidied', 'status set', 'commented', 'published'];

  class Interruption extends Error {}

  /** The process ends: nothing is released. */
  async function interruptedAfter(step: string): Promise<void> {
    const onStep = (reached: string) => {
      if (reached === step) throw new Interruption();
    };
    for (const claimed of await claimDue(context, 10)) {
      const given = { context, parts: { ...parts, onStep }, pull: claimed, signal: never };
      await reconcile(given).catch((error: unknown) => {
        if (!(error instanceof Interruption)) throw error;
      });
    }
    expect(await work()).toBe(0);
    context.clock.advance(120);
  }

  test.each(steps)('%s loses nothing and repeats nothing', async (step) => {
    await hear('opened');
    await interruptedAfter(step);
    await work();
    expect(await jobs()).toHaveLength(1);
    await completeExport();
    await interruptedAfter(step);
    await work();
    expect((await read()).preview.state).toBe('ready');
    expect(comments()).toHaveLength(1);
    expect(new Set(statusesOf(pull.headCommit))).toEqual(new Set(['pending', 'failure']));
    expect(statusesOf(pull.headCommit)).toHaveLength(2);
    push('second');
    await hear('updated');
    await interruptedAfter(step);
    await work();
    expect((await jobs()).map((job) => inputOf(job).source.commit).toSorted()).toEqual(
      [commitOf('first'), commitOf('second')].toSorted(),
    );
    await completeExport();
    await interruptedAfter(step);
    await work();
    expect((await jobs()).map((job) => inputOf(job).source.commit)).toEqual([commitOf('second')]);
    pull.state = 'closed';
    await hear('closed');
    await interruptedAfter(step);
    await work();
    expect(await jobs()).toEqual([]);
    expect(comments()).toEqual([expect.stringContaining('removed')]);
    expect(fake.complaints).toEqual([]);
  });
});
