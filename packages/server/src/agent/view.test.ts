import { AgentJob } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../jobs/failure.ts';
import type { Job } from '../jobs/store.ts';
import { composeForTest, createTenant, createTestProject } from '../../test/support/test-context.ts';
import type { Run } from './record.ts';
import { createAgentJob } from '../../test/support/agent-jobs.ts';
import { viewAgentJob } from './view.ts';

const prLink = 'https://git.example.com/docs/pull/7';
const pullRequest = { url: prLink, number: 7, state: 'open', draft: false, branch: 'docyard/7' } as const;
const archivedAt = '2026-03-02T00:00:00.000Z';
const at = '2026-03-01T12:00:00.000Z';
let queued: Job;

beforeAll(async () => {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  queued = await createAgentJob(context, tenant, project.id, { prompt: 'Fix the typos.\nAll of them.' });
});

function run(change: Partial<Run> = {}): Run {
  return {
    jobId: queued.id,
    number: 1,
    kind: 'create',
    prompt: 'Fix the typos.',
    ending: null,
    title: null,
    summary: null,
    branch: null,
    baseCommit: null,
    usage: null,
    pullRequest: null,
    policy: null,
    result: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
    ...change,
  };
}

test.each([
  ['queued', null, 'active', null],
  ['running', null, 'active', null],
  ['completed', null, 'completed', prLink],
  ['failed', null, 'failed', prLink],
  ['queued', archivedAt, 'archived', null],
  ['running', archivedAt, 'archived', null],
  ['completed', archivedAt, 'archived', prLink],
  ['failed', archivedAt, 'archived', prLink],
] as const)(
  'a %s job archived at %s has the status %s and the link %s',
  (status, archived_at, shownStatus, link) => {
    const view = viewAgentJob({ ...queued, status, archived_at }, [run({ pullRequest })]);
    expect(AgentJob.strict().parse(view)).toEqual(view);
    expect(view).toMatchObject({
      id: queued.id,
      status: shownStatus,
      source: { repository: 'https://git.example.com/docs.git', ref: 'main' },
      model: 'small',
      prLink: link,
      createdAt: at,
      archivedAt: archived_at,
    });
    // The specification hides only `prLink`.
    expect(view.pullRequest).toEqual(pullRequest);
  },
);

test('many or long instructions are truncated', () => {
  const runs = Array.from({ length: 22 }, (_, index) => run({ number: index + 1, prompt: `Do ${index}.` }));
  const { instructions } = viewAgentJob(queued, [...runs, run({ number: 23, prompt: 'x'.repeat(32_000) })]);
  expect(instructions).toHaveLength(20);
  expect(instructions[0]).toEqual({ run: 4, prompt: 'Do 3.' });
  expect(instructions.at(-1)).toEqual({ run: 23, prompt: 'x'.repeat(1000) });
});

test('the fields of the specification come first, and the source has no others', () => {
  const view = viewAgentJob(queued, [run()]);
  const specified = ['id', 'status', 'source', 'model', 'prLink', 'createdAt', 'archivedAt'];
  expect(Object.keys(view).slice(0, specified.length)).toEqual(specified);
  expect(Object.keys(view.source)).toEqual(['repository', 'ref']);
});

test('a finished job without a pull request has no link', () => {
  expect(viewAgentJob({ ...queued, status: 'completed' }, [run({ ending: 'no_change' })])).toMatchObject({
    prLink: null,
    pullRequest: null,
    statusReason: 'no_change',
  });
});

test('the title is the title by the agent, otherwise the first line of the instruction', () => {
  expect(viewAgentJob(queued, [run()]).title).toBe('Fix the typos.');
  expect(viewAgentJob(queued, [run({ title: 'Correct spelling' }), run()]).title).toBe('Correct spelling');
});

test('usage is the sum of all runs, and the result is the last one available', () => {
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 1, steps: 3 };
  const first = run({ ending: 'done', usage, summary: 'Corrected.' });
  const view = viewAgentJob(queued, [first, run({ number: 2, kind: 'follow-up', usage })]);
  expect(view).toMatchObject({
    runs: 2,
    usage: { inputTokens: 20, outputTokens: 4, cacheReadTokens: 2, steps: 6 },
    result: { summary: 'Corrected.', filesChanged: 0 },
  });
});

describe('the status reason', () => {
  test('an active job has no reason', () => {
    expect(viewAgentJob(queued, [run({ ending: 'done' })]).statusReason).toBeNull();
  });

  test.each([
    ['canceled', 'cancelled'],
    ['timeout', 'timeout'],
    ['worker_lost', 'internal'],
    ['internal', 'internal'],
    ['source_not_found', 'clone_failed'],
  ] as const)('is found in the job when its worker was stopped: %s is %s', (code, reason) => {
    const failure = JSON.stringify(failureOf(code, 'It was stopped.'));
    const view = viewAgentJob({ ...queued, status: 'failed', failure }, [run()]);
    expect(view).toMatchObject({ statusReason: reason, error: 'It was stopped.', phase: 'done' });
  });
});
