/** The pairs of the sample site as jobs of the whole service, with the oracle, with the baselines and with an endpoint. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../fakes/model-server.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { anchorProblems } from './anchors.ts';
import { scriptOf } from './models.ts';
import { readPairs } from './pair.ts';
import type { Results } from './report.ts';
import { runSite, type EvaluatedModel } from './run.ts';
import { summariesOf, type PairResult, type Summary } from './score.ts';
import { foldersBySite, sampleFolder } from './sites.ts';

const folders = foldersBySite([], temporaryFolder('sites'));
const all = readPairs();
const samplePairs = all.filter(({ site }) => site === 'sample');

// Without real sites only pairs of the sample site are left.
test('every pair fits the text of its site', () => {
  const problems = all
    .filter(({ site }) => folders.has(site))
    .flatMap((pair) =>
      anchorProblems(pair, folders.get(pair.site) ?? '').map((problem) => `${pair.name}: ${problem}`),
    );
  expect(problems).toEqual([]);
});

interface Evaluation {
  results: PairResult[];
  total: Summary | undefined;
}

async function evaluate(model: EvaluatedModel, pairs = samplePairs): Promise<Evaluation> {
  const results: PairResult[] = [];
  await runSite({ folder: sampleFolder, pairs, model, onResult: (result) => results.push(result) });
  return { results, total: summariesOf(results).at(-1) };
}

test('the oracle passes every pair', { timeout: 600_000 }, async () => {
  const { results, total } = await evaluate('oracle');
  expect(results.map(({ name, problems }) => [name, ...problems])).toEqual(
    samplePairs.map(({ name }) => [name]),
  );
  const full = { noChangePrecision: 1, noChangeRecall: 1, pageRecall: 1, pagePrecision: 1, statements: 1 };
  expect(total).toMatchObject({ ...full, checks: 1, evidence: 1, refusedCalls: 0 });
});

test('the measures tell the baselines from the oracle', { timeout: 900_000 }, async () => {
  const names = ['sample/coast-nine-seconds', 'sample/rename-sieve', 'sample/token-expiry'];
  const pairs = samplePairs.filter(({ name }) => names.includes(name));

  const never = await evaluate('never', pairs);
  expect(never.total).toMatchObject({
    passed: 1,
    noChangeRecall: 1,
    pageRecall: 0,
    statements: 0,
    checks: null,
  });
  expect(never.total?.noChangePrecision).toBeCloseTo(1 / 3);

  const always = await evaluate('always', pairs);
  expect(always.total).toMatchObject({ passed: 0, noChangeRecall: 0, noChangePrecision: null });
  expect(always.total?.pagePrecision).toBeLessThan(1);
  expect(always.total?.evidence).toBe(0);

  const careless = await evaluate('careless', pairs);
  expect(careless.total).toMatchObject({ passed: 1, noChangeRecall: 1, pageRecall: 0.5, pagePrecision: 1 });
  expect(careless.total?.statements).toBeLessThan(0.6);
});

test('an endpoint is measured like a scripted model', { timeout: 300_000 }, async () => {
  const server = await startModelServer(scriptOf('oracle', samplePairs));
  onTestFinished(() => server.close());
  const pairs = samplePairs.filter(({ name }) => name === 'sample/more-requests');
  const endpoint = { url: server.url, name: 'wharf', key: 'sk-wharf-0123456789', provider: 'openai' };
  const { results } = await evaluate(endpoint, pairs);
  expect(results).toMatchObject([{ name: 'sample/more-requests', problems: [], evidence: 'complete' }]);
  expect(server.requests.map(({ headers }) => headers.authorization)).toContain('Bearer sk-wharf-0123456789');
});

const program = fileURLToPath(new URL('main.ts', import.meta.url));

async function runProgram(...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] };
  return (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
}

test('the command continues from its results', { timeout: 300_000 }, async () => {
  const file = join(temporaryFolder('results'), 'results.json');
  const args = ['--only', 'sample/rename-sieve', '--json', file];
  expect(await runProgram(...args)).toMatch(/passed {2}1\/1 {2}sample\/rename-sieve {2}\(no_change/);
  const first = JSON.parse(readFileSync(file, 'utf8')) as Results;
  const [result] = first.pairs;
  expect(first).toMatchObject({ model: 'oracle', pairs: [{ name: 'sample/rename-sieve', problems: [] }] });
  expect(await runProgram(...args)).toContain(`${result?.seconds.toFixed(1)} s)`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(first);
});
