/**
 * Detects from a journal that a model makes no progress. The loop warns the model once and ends the run the
 * second time.
 */
import type { Step } from '../contract.ts';
import { ownToolPrefix } from './external-call.ts';

type Result = Extract<Step, { kind: 'result' }>;

const maxEqualFailures = 3;
const maxEqualResults = 4;
const alternations = 3;
const maxIdleAnswers = 12;

/** A new call of these tools counts as progress. */
const readingTools = new Set(['read_file', 'page_info', 'render_page']);

/** Describes the stall to the model. `since` is the number of steps at the last warning. */
export function findStall(steps: readonly Step[], since: number): string | undefined {
  const isNewSince = steps.slice(since).some(({ kind }) => kind === 'result');
  const results = steps.filter((step) => step.kind === 'result');
  if (!isNewSince) return undefined;
  return (
    repeatedFailure(results) ?? repeatedResult(results) ?? alternation(results) ?? noProgress(steps, since)
  );
}

function repeatedFailure(results: readonly Result[]): string | undefined {
  const last = results.slice(-maxEqualFailures);
  const [first] = last;
  if (!first || last.length < maxEqualFailures || !last.every(isFailure)) return undefined;
  if (!last.every((result) => callOf(result) === callOf(first))) return undefined;
  return `The same call of ${first.call.name} has failed ${maxEqualFailures} times.`;
}

function repeatedResult(results: readonly Result[]): string | undefined {
  const last = results.slice(-maxEqualResults);
  const [first] = last;
  if (!first || last.length < maxEqualResults) return undefined;
  if (!last.every((result) => outcomeOf(result) === outcomeOf(first))) return undefined;
  return `The same call of ${first.call.name} has given the same result ${maxEqualResults} times.`;
}

function alternation(results: readonly Result[]): string | undefined {
  const last = results.slice(-2 * alternations);
  const [first, second] = last;
  if (!first || !second || last.length < 2 * alternations) return undefined;
  if (outcomeOf(first) === outcomeOf(second)) return undefined;
  const isPattern = last.every(
    (result, index) => outcomeOf(result) === outcomeOf(index % 2 ? second : first),
  );
  if (!isPattern) return undefined;
  return `The same two calls, of ${first.call.name} and ${second.call.name}, alternate with the same results.`;
}

/** An answer with many calls is one step. Returning to an earlier tree is not progress. */
function noProgress(steps: readonly Step[], since: number): string | undefined {
  const trees = new Set<string>();
  const reads = new Set<string>();
  let idleAnswers = 0;
  for (const [index, step] of steps.entries()) {
    if (index === since) idleAnswers = 0;
    if (step.kind === 'answer') idleAnswers += 1;
    if (step.kind !== 'result') continue;
    const changed = (step.result.changes ?? []).length > 0 && !trees.has(step.tree);
    const read = isReading(step) && !isFailure(step) && !reads.has(callOf(step));
    trees.add(step.tree);
    reads.add(callOf(step));
    if (changed || read) idleAnswers = 0;
  }
  if (idleAnswers < maxIdleAnswers) return undefined;
  return `In the last ${maxIdleAnswers} steps no new file was read and nothing was changed.`;
}

/** Any tool of an external agent may read files, so each new call of one counts. */
function isReading({ call }: Result): boolean {
  return readingTools.has(call.name) || call.name.startsWith(ownToolPrefix);
}

function isFailure({ result }: Result): boolean {
  return result.isError === true;
}

function callOf({ call }: Result): string {
  return JSON.stringify([call.name, call.input]);
}

function outcomeOf(result: Result): string {
  return JSON.stringify([callOf(result), result.result.text, result.result.changes ?? []]);
}
