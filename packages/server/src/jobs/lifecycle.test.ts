/** The state machine of a job, looked at whole: every pair of states and every move. */
import { expect, test } from 'vitest';
import { isFinal, jobStatuses, moves } from './lifecycle.ts';

const pairs = Object.values(moves).flatMap(({ from, to }) => from.map((status) => `${status} → ${to}`));

test('these moves exist and no others', () => {
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

test('a worker moves only what runs; waiting jobs are claimed or canceled', () => {
  expect(moves.fail.from).toEqual(['running']);
  expect(moves.complete.from).toEqual(['running']);
  expect(moves.release.from).toEqual(['running']);
  expect(moves.claim.from).toEqual(['queued']);
  expect(moves.cancel.from).toEqual(['queued']);
});

test('a state is final exactly when nothing but a resumed agent job leaves it', () => {
  const { resume: _resume, ...usual } = moves;
  for (const status of jobStatuses) {
    const left = Object.values(usual).some(({ from }) => (from as readonly string[]).includes(status));
    expect([status, isFinal(status)]).toEqual([status, !left]);
  }
  expect(jobStatuses.filter(isFinal)).toEqual(['completed', 'failed']);
});

test('every state can be reached from queued', () => {
  const reached = new Set<string>(['queued']);
  for (const _ of jobStatuses) {
    for (const { from, to } of Object.values(moves))
      if (from.some((status) => reached.has(status))) reached.add(to);
  }
  expect(reached).toEqual(new Set(jobStatuses));
});
