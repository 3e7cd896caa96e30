import { describe, expect, test } from 'vitest';
import { contradictionsIn, jainIndex, maxConcurrent, turnsOf, type Change } from './history.ts';

let sequence = 0;

/** `a1 running 1` is the first attempt of job a1 of organization a. */
function happened(...steps: string[]): Change[] {
  return steps.map((step) => {
    const [jobId = '', status = '', attempt, progress] = step.split(' ');
    sequence += 1;
    return {
      sequence,
      jobId,
      organizationId: jobId.slice(0, 1),
      atMs: sequence,
      status,
      attempt: Number(attempt),
      progress: Number(progress ?? 0),
    };
  });
}

describe('the life of a job', () => {
  test.each([
    [['queued 0', 'running 1', 'running 1 50', 'completed 1 100']],
    [['queued 0', 'running 1', 'queued 1', 'running 2', 'failed 2']],
  ])('%j is one', (steps) => {
    expect(contradictionsIn(happened(...steps.map((step) => `a1 ${step}`)))).toEqual([]);
  });

  test.each([
    ['two ends', ['queued 0', 'running 1', 'completed 1', 'failed 1']],
    ['no end', ['queued 0', 'running 1']],
    ['an end without an attempt', ['queued 0', 'completed 0']],
    ['two attempts of the same number', ['queued 0', 'running 1', 'queued 1', 'running 1', 'completed 1']],
    [
      'an end of an attempt that was given up',
      ['queued 0', 'running 1', 'queued 1', 'running 2', 'completed 1'],
    ],
    ['progress that falls', ['queued 0', 'running 1 50', 'running 1 40', 'completed 1 100']],
  ])('%s is a contradiction', (_, steps) => {
    expect(contradictionsIn(happened(...steps.map((step) => `a1 ${step}`)))).toHaveLength(1);
  });
});

test('only jobs that were at work at the same time count against the limit', () => {
  const one = happened('a1 running 1', 'a1 completed 1', 'a2 running 1', 'b1 running 1', 'a2 completed 1');
  expect(maxConcurrent(one)).toBe(1);
  const two = happened('a1 running 1', 'a2 running 1', 'a1 completed 1', 'a2 completed 1');
  expect(maxConcurrent(two)).toBe(2);
  const takenOver = happened('a1 running 1', 'a2 running 1', 'a1 queued 1', 'a1 running 2', 'a1 completed 2');
  expect(maxConcurrent(takenOver)).toBe(1);
});

describe('fairness', () => {
  const waiting = ['a1 queued 0', 'a2 queued 0', 'a3 queued 0', 'b1 queued 0', 'b2 queued 0'];
  const shares = (...served: string[]) => {
    const turns = turnsOf(happened(...waiting, ...served), ['a', 'b'], 2);
    return [...turns.values()].map(({ got, due }) => [got, due]);
  };

  test('taking turns gives each what it is due', () => {
    const served = shares('a1 running 1', 'a1 completed 1', 'b1 running 1', 'b1 completed 1');
    expect(served).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(jainIndex([1, 1])).toBe(1);
  });

  test('who is served first although another waits has more than its due', () => {
    const served = shares('a1 running 1', 'a1 completed 1', 'a2 running 1', 'a2 completed 1');
    expect(served).toEqual([
      [2, 1],
      [0, 1],
    ]);
    expect(jainIndex([2, 0])).toBe(0.5);
  });

  test('who is at its limit waits for itself, and a second attempt is no turn', () => {
    expect(shares('b1 running 1', 'b2 running 1', 'a1 running 1', 'a1 queued 1', 'a1 running 2')).toEqual([
      [0, 1],
      [2, 1],
    ]);
  });
});
