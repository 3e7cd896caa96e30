import { describe, expect, test } from 'vitest';
import { pairOf, type Pair } from './pair.ts';
import { tableOf } from './report.ts';
import { scoreOf, summariesOf, type Outcome, type PairResult } from './score.ts';

const pullRequest = 'pullRequest: { title: Rename, body: The flag is renamed. }\nfiles: []\nfind: []\n';
const rename: Pair = pairOf(
  'harbour/rename',
  `kind: renamed-flag
place: several-pages
${pullRequest}expected:
  - { page: cli.mdx, states: ['--quay', ['200', 'two hundred']], drops: ['--pier'], keeps: ['--boat'] }
  - { page: guide.mdx, drops: ['--pier'] }
untouched: [old/cli.mdx]
allowed: ['fr/**']
`,
);
const noOp: Pair = pairOf('harbour/refactor', `kind: no-op\nplace: none\n${pullRequest}expected: []\n`);
const page: Pair = pairOf(
  'harbour/page',
  `kind: new-endpoint\nplace: navigation\n${pullRequest}expected:\n  - { newPageIn: api, states: ['GET /tide'] }\n`,
);

const rightCli = 'Pass --quay or\n--boat, at most two\nhundred.';
const rightGuide = 'Pass --quay.';

function outcome(texts: Record<string, string>, more: Partial<Outcome> = {}): Outcome {
  const changed = Object.entries(texts).map(([path, text]): [string, { text: string; isNew: boolean }] => [
    path,
    { text, isNew: path.startsWith('api/') },
  ]);
  const isChange = changed.length > 0;
  return {
    ending: isChange ? 'done' : 'no_change',
    changed: new Map(changed),
    verdict: isChange ? 'pass' : null,
    newErrors: 0,
    ...more,
  };
}

describe('a score', () => {
  test('is full if every page and statement is right, also with other line breaks', () => {
    expect(scoreOf(rename, outcome({ 'cli.mdx': rightCli, 'guide.mdx': rightGuide }))).toEqual({
      isFinished: true,
      saysNoChange: false,
      recall: { hits: 2, total: 2 },
      precision: { hits: 2, total: 2 },
      statements: { hits: 5, total: 5 },
      passesChecks: true,
      problems: [],
    });
  });

  test('counts a page that is missing, and its statements', () => {
    const score = scoreOf(rename, outcome({ 'cli.mdx': rightCli }));
    expect(score).toMatchObject({ recall: { hits: 1, total: 2 }, statements: { hits: 4, total: 5 } });
    expect(score.problems).toEqual(['guide.mdx was not changed']);
  });

  test('counts wrong pages against precision, and names those that must stay', () => {
    const score = scoreOf(rename, outcome({ 'old/cli.mdx': 'Pass --quay.', 'index.mdx': 'New!' }));
    expect(score).toMatchObject({ recall: { hits: 0, total: 2 }, precision: { hits: 0, total: 2 } });
    expect(score.problems).toEqual([
      'cli.mdx was not changed',
      'guide.mdx was not changed',
      'old/cli.mdx was changed and must stay as it is',
      'index.mdx was changed',
    ]);
  });

  test('counts wrong statements on the right page', () => {
    const wrong = 'Pass --quay instead of --pier.';
    const score = scoreOf(rename, outcome({ 'cli.mdx': wrong, 'guide.mdx': rightGuide }));
    expect(score).toMatchObject({ recall: { hits: 2, total: 2 }, statements: { hits: 2, total: 5 } });
    expect(score.problems).toEqual([
      '"200" is not stated',
      '"--pier" is still there',
      '"--boat" was removed',
    ]);
  });

  test('ignores pages that may change', () => {
    const texts = { 'cli.mdx': rightCli, 'guide.mdx': rightGuide, 'fr/cli.mdx': 'Passez --quay.' };
    expect(scoreOf(rename, outcome(texts))).toMatchObject({
      precision: { hits: 2, total: 2 },
      problems: [],
    });
  });

  test('finds a new page in its folder only', () => {
    expect(scoreOf(page, outcome({ 'api/tides.mdx': 'GET /tide' })).problems).toEqual([]);
    expect(scoreOf(page, outcome({ 'tides.mdx': 'GET /tide' })).problems).toEqual([
      'there is no new page in api',
      'tides.mdx was changed',
    ]);
  });

  test('of a change without an effect is full only without an edit', () => {
    expect(scoreOf(noOp, outcome({}))).toMatchObject({ saysNoChange: true, problems: [] });
    expect(scoreOf(noOp, outcome({ 'cli.mdx': rightCli }))).toMatchObject({
      saysNoChange: false,
      precision: { hits: 0, total: 1 },
      problems: ['cli.mdx was changed'],
    });
  });

  test('does not take a failed run for "no change"', () => {
    const failed = outcome({}, { ending: 'model_unavailable' });
    expect(scoreOf(noOp, failed)).toMatchObject({
      isFinished: false,
      saysNoChange: false,
      problems: ['ended as model_unavailable'],
    });
  });

  test('counts a change that the checks do not let pass', () => {
    const texts = { 'cli.mdx': rightCli, 'guide.mdx': rightGuide };
    const score = scoreOf(rename, outcome(texts, { verdict: 'draft', newErrors: 2 }));
    expect(score).toMatchObject({ passesChecks: false });
    expect(score.problems).toEqual(['the checks gave draft, with 2 new errors']);
  });
});

const cost = {
  key: '0',
  ending: 'done',
  isFinished: true,
  steps: 4,
  refusedCalls: 1,
  outputTokens: 10,
  seconds: 1.4,
};

function result(pair: Pair, given: Outcome): PairResult {
  const { recall, precision, ...score } = scoreOf(pair, given);
  const pages = { expected: recall.total, found: recall.hits, changed: precision.total };
  const evidence = given.changed.size > 0 ? { evidence: 'complete' as const } : {};
  return { ...cost, ...score, ...evidence, name: pair.name, kind: pair.kind, inputTokens: 100, pages };
}

describe('the summary', () => {
  const right = outcome({ 'cli.mdx': rightCli, 'guide.mdx': rightGuide });

  test('separates precision and recall of "no change"', () => {
    const lazy = summariesOf([result(rename, outcome({})), result(noOp, outcome({}))]);
    expect(lazy.at(-1)).toMatchObject({ noChangePrecision: 0.5, noChangeRecall: 1, pageRecall: 0 });
    const busy = summariesOf([result(rename, right), result(noOp, outcome({ 'cli.mdx': '' }))]);
    expect(busy.at(-1)).toMatchObject({
      noChangePrecision: null,
      noChangeRecall: 0,
      pageRecall: 1,
      pagePrecision: 0.667,
    });
  });

  test('has a row per kind, and one for all', () => {
    const summaries = summariesOf([result(rename, right), result(noOp, outcome({}))]);
    expect(tableOf(summaries)).toBe(
      [
        'kind          passed  no change: precision  recall  pages: recall  precision  statements  checks  evidence  refused calls  tokens in  out  seconds',
        'renamed-flag  1 of 1  –                     –       100 %          100 %      100 %       100 %   100 %     1              100        10   1',
        'no-op         1 of 1  100 %                 100 %   –              –          –           –       –         1              100        10   1',
        'all           2 of 2  100 %                 100 %   100 %          100 %      100 %       100 %   100 %     2              200        20   3',
        '',
      ].join('\n'),
    );
  });
});
