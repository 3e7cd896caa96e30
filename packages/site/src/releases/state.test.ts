import { describe, expect, test } from 'vitest';
import type { ReleaseRecord } from './release.ts';
import {
  emptyState,
  isHeldAgainst,
  resumed,
  rolledBack,
  switched,
  taken,
  wantingOnly,
  type State,
} from './state.ts';

const at = '2026-11-15T12:00:00.000Z';
const release = (id: string) => ({ id, manifestSha256: `manifest of ${id}` }) as ReleaseRecord;
const releases = ['r3-c', 'r2-b', 'r1-a'].map(release);
const served = (...ids: string[]): State => ids.reduce(switched, emptyState);
const back = (state: State, to?: string) => rolledBack(state, releases, { to, at });

test('a switch adds the previous release to the history', () => {
  expect(served('r1-a', 'r2-b', 'r3-c')).toMatchObject({ current: 'r3-c', history: ['r1-a', 'r2-b'] });
  expect(served('r1-a', 'r1-a')).toMatchObject({ current: 'r1-a', history: [] });
});

describe('a rollback', () => {
  test('goes to the previous release, and then to the one before it', () => {
    const once = back(served('r1-a', 'r2-b', 'r3-c'));
    expect(once).toMatchObject({ current: 'r2-b', history: ['r1-a'], held: { from: 'r3-c', at } });
    expect(back(once)).toMatchObject({ current: 'r1-a', history: [] });
  });

  test('to a named release skips those between, and none of them is installed again automatically', () => {
    const state = back(served('r1-a', 'r2-b', 'r3-c'), 'r1');
    expect(state).toMatchObject({ current: 'r1-a', history: [] });
    expect(['a', 'b', 'c'].map((name, n) => isHeldAgainst(state, `manifest of r${n + 1}-${name}`))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('can also go to a newer release', () => {
    const state = back(back(served('r1-a', 'r2-b', 'r3-c')), 'r3-c');
    expect(state).toMatchObject({ current: 'r3-c', history: ['r1-a', 'r2-b'] });
    expect(isHeldAgainst(state, 'manifest of r3-c')).toBe(false);
  });

  test('skips removed releases', () => {
    const state = rolledBack(served('r1-a', 'r2-b', 'r3-c'), [release('r3-c'), release('r1-a')], {
      to: undefined,
      at,
    });
    expect(state.current).toBe('r1-a');
  });

  test.each([
    ['nothing before', served('r3-c'), undefined, /no earlier release/],
    ['an unknown one', served('r1-a', 'r3-c'), 'r9', /no release r9\. Installed: r3-c, r2-b, r1-a/],
    ['the one that is served', served('r1-a', 'r3-c'), 'r3', /r3-c is the release that is served/],
  ])('to %s is refused', (_name, state, to, complaint) => {
    expect(() => back(state, to)).toThrow(complaint);
  });

  test('ends with the next switch or with resume', () => {
    const held = taken(back(served('r1-a', 'r2-b', 'r3-c')), 'source', 'c');
    expect(switched(held, 'r4-d').held).toBeNull();
    expect(resumed(held)).toMatchObject({ held: null, taken: {}, current: 'r2-b' });
  });
});

test('removing a source from the settings forgets it and ends a rollback', () => {
  const held = taken(back(served('r1-a', 'r2-b')), 'old', 'b');
  expect(wantingOnly(held, ['old', 'new'])).toBe(held);
  expect(wantingOnly(held, ['new'])).toMatchObject({ taken: {}, held: null, current: 'r1-a' });
});

test('only the most recent sources are kept', () => {
  let state = emptyState;
  for (let n = 0; n < 100; n += 1) state = taken(state, `source ${n}`, 'x');
  expect(Object.keys(state.taken)).toHaveLength(20);
  expect(state.taken['source 99']).toBe('x');
});
