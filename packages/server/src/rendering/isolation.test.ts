/** What is tried, and what is said of what held: each way of starting a process is tried for real. */
import { describe, expect, test } from 'vitest';
import { findIsolation, tryEach, unconfined } from './isolation.ts';
import { findOwnFiles } from './own-files.ts';
import { probe } from './probe.ts';

const own = await findOwnFiles();
const found = await findIsolation();
if (found.level < 3) console.log(`Level 3 cannot be tried here: ${found.statement}`);

describe.skipIf(found.level < 3)('on a machine that holds everything', () => {
  const walls = { walls: true, filter: true, limits: true };

  test('no attempt succeeds', async () => {
    expect(await probe({ confinement: walls, own })).toEqual({ escapes: [] });
  });

  test.each([
    ['the filter', { ...walls, filter: false }, ['calls'], 'system calls are not filtered'],
    ['the limits', { ...walls, limits: false }, ['memory', 'forks'], 'memory is not limited'],
  ])('without %s it is partial, and says why', async (_what, confinement, escapes, words) => {
    expect(await probe({ confinement, own })).toEqual({ escapes });
    expect(await tryEach([confinement])).toMatchObject({
      level: 2,
      statement: expect.stringContaining(words) as string,
    });
  });

  test('without walls the limit of memory is all that is left', async () => {
    const confinement = { ...unconfined, limits: true };
    const outcome = await probe({ confinement, own });
    expect(outcome).toEqual({
      escapes: ['files', 'writing', 'processes', 'network', 'calls', 'forks'],
    });
    expect(await tryEach([confinement])).toMatchObject({ level: 1, confinement });
  });

  test('without prlimit it is partial', async () => {
    const outcome = await probe({ confinement: walls, own: { ...own, prlimit: undefined } });
    expect(outcome).toEqual({ escapes: ['memory', 'forks'] });
  });
});

test('without anything every attempt succeeds', async () => {
  const outcome = await probe({ confinement: unconfined, own });
  expect(outcome).toMatchObject({
    escapes: expect.arrayContaining(['files', 'network', 'memory']) as string[],
  });
});

test('where nothing can be tried, that is said', async () => {
  const isolation = await tryEach([]);
  expect(isolation).toMatchObject({ level: 0, confinement: unconfined });
  expect(isolation.statement).toMatch(/^Interpreter only, as the same user: /);
});
