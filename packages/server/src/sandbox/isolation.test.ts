import { describe, expect, test } from 'vitest';
import { findIsolation, tryEach, unconfined } from './isolation.ts';
import { findRuntimeFiles } from './runtime-files.ts';
import { probe } from './probe.ts';

const runtime = await findRuntimeFiles();
const found = await findIsolation();
if (found.level < 3) console.log(`Level 3 cannot be tried here: ${found.statement}`);

describe.skipIf(found.level < 3)('on a machine with full isolation', () => {
  const full = { namespaces: true, seccomp: true, limits: true };

  test('no escape succeeds', async () => {
    expect(await probe({ confinement: full, runtime })).toEqual({ escapes: [] });
  });

  test.each([
    ['the filter', { ...full, seccomp: false }, ['calls'], 'system calls are not filtered'],
    ['the limits', { ...full, limits: false }, ['memory', 'forks'], 'memory is not limited'],
  ])('without %s isolation is partial, with the reason', async (_what, confinement, escapes, words) => {
    expect(await probe({ confinement, runtime })).toEqual({ escapes });
    expect(await tryEach([confinement])).toMatchObject({
      level: 2,
      statement: expect.stringContaining(words) as string,
    });
  });

  test('without namespaces only the memory limit remains', async () => {
    const confinement = { ...unconfined, limits: true };
    const outcome = await probe({ confinement, runtime });
    expect(outcome).toEqual({
      escapes: ['files', 'writing', 'processes', 'network', 'calls', 'forks'],
    });
    expect(await tryEach([confinement])).toMatchObject({ level: 1, confinement });
  });

  test('without prlimit isolation is partial', async () => {
    const outcome = await probe({ confinement: full, runtime: { ...runtime, prlimit: undefined } });
    expect(outcome).toEqual({ escapes: ['memory', 'forks'] });
  });
});

test('without confinement escapes succeed', async () => {
  const outcome = await probe({ confinement: unconfined, runtime });
  expect(outcome).toMatchObject({
    escapes: expect.arrayContaining(['files', 'network', 'memory']) as string[],
  });
});

test('without any confinement to try the statement says so', async () => {
  const isolation = await tryEach([]);
  expect(isolation).toMatchObject({ level: 0, confinement: unconfined });
  expect(isolation.statement).toMatch(/^Interpreter only, as the same user: /);
});
