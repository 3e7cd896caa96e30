/** Compares what a run changed with what its pair expects, and sums the results up. */
import { matchesGlob } from 'node:path';
import { alternativesOf, includesText, isNoOp, kinds, type Expected, type Kind, type Pair } from './pair.ts';

/** What a run did. */
export interface Outcome {
  /** Why the run ended, such as `done` or `no_change`. */
  ending: string;
  /** Changed files with their new text; null for a removed one. */
  changed: ReadonlyMap<string, { text: string | null; isNew: boolean }>;
  /** Null without a change. */
  verdict: 'pass' | 'draft' | 'block' | null;
  /** Whether the proposal lists lines of code that support each changed page; undefined if none is needed. */
  evidence?: 'complete' | 'incomplete' | undefined;
  newErrors: number;
}

export interface Share {
  hits: number;
  total: number;
}

export interface Score {
  /** Whether the agent finished, with or without a change. */
  isFinished: boolean;
  saysNoChange: boolean;
  /** Expected pages that were changed. */
  recall: Share;
  /** Changed pages that were expected; allowed pages do not count. */
  precision: Share;
  statements: Share;
  /** Whether the site builds and the gate lets the change pass; undefined without a change. */
  passesChecks?: boolean;
  problems: string[];
}

const finishedEndings = new Set(['done', 'no_change']);

export function scoreOf(pair: Pair, outcome: Outcome): Score {
  const { ending, changed, verdict, newErrors } = outcome;
  const isFinished = finishedEndings.has(ending);
  const saysNoChange = ending === 'no_change' && changed.size === 0;
  const found = pair.expected.map((expected) => ({ expected, page: changedPageOf(expected, outcome) }));
  const expectedPages = new Set(found.flatMap(({ page }) => page ?? []));
  const judged = [...changed.keys()].filter(
    (page) => expectedPages.has(page) || !pair.allowed.some((glob) => matchesGlob(page, glob)),
  );
  const unneeded = judged.filter((page) => !expectedPages.has(page));
  const statements = found.flatMap(({ expected, page }) =>
    statementsOf(expected, page === undefined ? undefined : (changed.get(page)?.text ?? '')),
  );
  const passesChecks = changed.size === 0 ? undefined : verdict === 'pass' && newErrors === 0;
  return {
    isFinished,
    saysNoChange,
    recall: { hits: expectedPages.size, total: pair.expected.length },
    precision: { hits: expectedPages.size, total: judged.length },
    statements: { hits: statements.filter(({ holds }) => holds).length, total: statements.length },
    ...(passesChecks === undefined ? {} : { passesChecks }),
    problems: [
      ...(isFinished ? [] : [`ended as ${ending}`]),
      ...(saysNoChange && !isNoOp(pair) ? ['found that nothing needs to change'] : []),
      ...found.flatMap(({ expected, page }) => (page === undefined ? [missingPage(expected)] : [])),
      ...unneeded.map(
        (page) => `${page} was changed${pair.untouched.includes(page) ? ' and must stay as it is' : ''}`,
      ),
      ...statements.flatMap(({ holds, problem, isOnChangedPage }) =>
        holds || !isOnChangedPage ? [] : [problem],
      ),
      ...(passesChecks === false ? [`the checks gave ${verdict}, with ${newErrors} new errors`] : []),
    ],
  };
}

function changedPageOf({ page, newPageIn }: Expected, { changed }: Outcome): string | undefined {
  if (page !== undefined) return changed.has(page) ? page : undefined;
  const folder = newPageIn === '' ? '.' : newPageIn;
  return [...changed.keys()].find((path) => {
    const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
    return changed.get(path)?.isNew === true && parent === folder && /\.mdx?$/.test(path);
  });
}

function missingPage({ page, newPageIn }: Expected): string {
  return page === undefined
    ? `there is no new page in ${newPageIn || 'the docs root'}`
    : `${page} was not changed`;
}

interface CheckedStatement {
  holds: boolean;
  isOnChangedPage: boolean;
  problem: string;
}

/** No statement of an unchanged page holds: pairs expect only what the page did not say before. */
function statementsOf({ states, drops, keeps }: Expected, text: string | undefined): CheckedStatement[] {
  const checked = (problem: string, holds: (text: string) => boolean): CheckedStatement => ({
    holds: text !== undefined && holds(text),
    isOnChangedPage: text !== undefined,
    problem,
  });
  return [
    ...states.map((statement) =>
      checked(`"${alternativesOf(statement)[0]}" is not stated`, (given) =>
        alternativesOf(statement).some((part) => includesText(given, part)),
      ),
    ),
    ...drops.map((part) => checked(`"${part}" is still there`, (given) => !includesText(given, part))),
    ...keeps.map((part) => checked(`"${part}" was removed`, (given) => includesText(given, part))),
  ];
}

export interface PairResult extends Omit<Score, 'recall' | 'precision' | 'statements'> {
  name: string;
  kind: Kind;
  /** Of the pair and the model, so that only results of the same are reused. */
  key: string;
  ending: string;
  pages: { expected: number; found: number; changed: number };
  statements: Share;
  evidence?: 'complete' | 'incomplete';
  steps: number;
  /** Calls that a tool answered with an error. */
  refusedCalls: number;
  inputTokens: number;
  outputTokens: number;
  seconds: number;
}

export interface Summary {
  kind: Kind | 'all';
  pairs: number;
  /** Without a problem. */
  passed: number;
  /** Of the runs that say so, how many were right. */
  noChangePrecision: number | null;
  /** Of the pairs without a change, how many runs say so. */
  noChangeRecall: number | null;
  pageRecall: number | null;
  pagePrecision: number | null;
  statements: number | null;
  checks: number | null;
  evidence: number | null;
  refusedCalls: number;
  inputTokens: number;
  outputTokens: number;
  seconds: number;
}

/** A row per kind and one for all. */
export function summariesOf(results: readonly PairResult[]): Summary[] {
  const byKind = kinds.flatMap((kind) => {
    const of = results.filter((result) => result.kind === kind);
    return of.length === 0 ? [] : [summaryOf(kind, of)];
  });
  return [...byKind, summaryOf('all', results)];
}

function summaryOf(kind: Summary['kind'], results: readonly PairResult[]): Summary {
  const sum = (value: (result: PairResult) => number): number =>
    results.reduce((total, result) => total + value(result), 0);
  const count = (is: (result: PairResult) => boolean): number => results.filter(is).length;
  const isRightNoChange = (result: PairResult): boolean => result.kind === 'no-op' && result.saysNoChange;
  const found = sum(({ pages }) => pages.found);
  return {
    kind,
    pairs: results.length,
    passed: count(({ problems }) => problems.length === 0),
    noChangePrecision: ratio(
      count(isRightNoChange),
      count(({ saysNoChange }) => saysNoChange),
    ),
    noChangeRecall: ratio(
      count(isRightNoChange),
      count((result) => result.kind === 'no-op'),
    ),
    pageRecall: ratio(
      found,
      sum(({ pages }) => pages.expected),
    ),
    pagePrecision: ratio(
      found,
      sum(({ pages }) => pages.changed),
    ),
    statements: ratio(
      sum(({ statements }) => statements.hits),
      sum(({ statements }) => statements.total),
    ),
    checks: ratio(
      count(({ passesChecks }) => passesChecks === true),
      count(({ passesChecks }) => passesChecks !== undefined),
    ),
    evidence: ratio(
      count(({ evidence }) => evidence === 'complete'),
      count(({ evidence }) => evidence !== undefined),
    ),
    refusedCalls: sum(({ refusedCalls }) => refusedCalls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    seconds: Math.round(sum(({ seconds }) => seconds)),
  };
}

/** Null if there is nothing to count. */
function ratio(hits: number, total: number): number | null {
  return total === 0 ? null : Math.round((hits / total) * 1000) / 1000;
}
