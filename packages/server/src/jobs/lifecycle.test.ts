import { expect, test } from 'vitest';
import { isFinal, jobStatuses, transitions } from './lifecycle.ts';

const pairs = Object.values(transitions).flatMap(({ from, to }) => from.map((status) => `${status} → ${to}`));

test('only these transitions exist', () => {
  expect(new Set(pairs)).toEqual(
    new Set([
      'queued → running',
      'running → completed',
      'queued → failed',
      'running → failed',
      'running → queued',
      'completed → queued',
      'failed → queued',
    ]),
  );
});

test('a worker ends only running jobs; queued jobs are claimed or canceled', () => {
  expect(transitions.fail.from).toEqual(['running']);
  expect(transitions.complete.from).toEqual(['running']);
  expect(transitions.release.from).toEqual(['running']);
  expect(transitions.claim.from).toEqual(['queued']);
  expect(transitions.cancel.from).toEqual(['queued']);
});

test('a state is final exactly when only `resume` leaves it', () => {
  const { resume: _resume, ...usual } = transitions;
  for (const status of jobStatuses) {
    const left = Object.values(usual).some(({ from }) => (from as readonly string[]).includes(status));
    expect([status, isFinal(status)]).toEqual([status, !left]);
  }
  expect(jobStatuses.filter(isFinal)).toEqual(['completed', 'failed']);
});

test('every state can be reached from queued', () => {
  const reached = new Set<string>(['queued']);
  for (const _ of jobStatuses) {
    for (const { from, to } of Object.values(transitions))
      if (from.some((status) => reached.has(status))) reached.add(to);
  }
  expect(reached).toEqual(new Set(jobStatuses));
});
