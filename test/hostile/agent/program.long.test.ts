/**
 * A sample of the hostile cases against the whole program. `npm run hostile` runs all of them. Cases with a shell need
 * bubblewrap.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { needsForeignEngine } from './case.ts';
import { runHostile } from './program.ts';

/** Each family has more than five cases in sequence. */
const every = (step: number) => (_: unknown, index: number) => index % step === 0;

test(
  'a model that obeys attackers gets nothing out of the built-in engine',
  { timeout: 600_000 },
  async () => {
    const { outcomes, problems, commands } = await runHostile({
      engine: 'built-in',
      choose: (cases) => cases.filter((each) => !needsForeignEngine(each)).filter(every(5)),
    });
    expect(outcomes.filter((outcome) => outcome.problems.length > 0)).toEqual([]);
    expect(problems).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(20);
    for (const seen of ['git-remote-http', 'site-check-child'])
      expect(commands.some((command) => command.includes(seen))).toBe(true);
  },
);

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0;

test.runIf(hasSandbox)('nor does a foreign agent with a shell', { timeout: 600_000 }, async () => {
  const { outcomes, problems } = await runHostile({
    engine: 'foreign',
    choose: (cases) => cases.filter(needsForeignEngine).filter(every(2)),
  });
  expect(outcomes.filter((outcome) => outcome.problems.length > 0)).toEqual([]);
  expect(problems).toEqual([]);
  expect(outcomes.length).toBeGreaterThan(6);
});
