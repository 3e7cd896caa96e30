/** A pair of each real site with the oracle, if the real sites are there. `npm run agent-eval` runs all. */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-resources.ts';
import { isNoOp, readPairs } from './pair.ts';
import { runSite } from './run.ts';
import type { PairResult } from './score.ts';
import { foldersBySite } from './sites.ts';

const folders = foldersBySite([], temporaryFolder('sites'));
const bySite = Map.groupBy(
  readPairs().filter((pair) => pair.site !== 'sample' && folders.has(pair.site) && !isNoOp(pair)),
  ({ site }) => site,
);

if (bySite.size === 0) test.skip('real sites are missing', () => {});

test.each([...bySite])('the oracle passes a pair of %s', { timeout: 600_000 }, async (site, pairs) => {
  const results: PairResult[] = [];
  const folder = folders.get(site) ?? '';
  await runSite({
    folder,
    pairs: pairs.slice(0, 1),
    model: 'oracle',
    onResult: (result) => results.push(result),
  });
  expect(results.map(({ problems }) => problems)).toEqual([[]]);
});
