import { expect, test } from 'vitest';
import { allCases, nameOf, runCases } from './suite.ts';

test('the built-in agent passes every case of the robustness suite', { timeout: 3_600_000 }, async () => {
  const reports = await runCases(allCases([1, 2, 3, 4, 5]));
  const failed = reports.filter(({ problems }) => problems.length > 0);
  expect(failed.map((report) => [nameOf(report), ...report.problems])).toEqual([]);
});
