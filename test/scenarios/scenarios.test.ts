/** A few tasks of the scenario suite: what a perfect model wants to do, the tools let it do, and the rules let pass. */
import { expect, test } from 'vitest';
import { sampleScenarios } from './sample.ts';
import { runScenario } from './scenario.ts';

test.each(sampleScenarios.slice(0, 4))('$site.name: $name', { timeout: 120_000 }, async (scenario) => {
  const { problems, usage } = await runScenario(scenario);
  expect(problems).toEqual([]);
  expect(usage.steps).toBe(scenario.calls.length + 2);
});
