/**
 * Tells from a journal whether a model has stopped getting anywhere. Pure; the loop says so to the model once and ends
 * the run the second time.
 */
import type { Step } from '../contract.ts';

type Result = Extract<Step, { kind: 'result' }>;

const mostEqualFailures = 3;
const mostEqualResults = 4;
const alternations = 3;
const mostIdleAnswers = 12;

/** Calls after which a model knows more than before, if it had not made them already. */
const readingTools = new Set(['read_file', 'page_info', 'render_page']);

/** A sentence for the model that says what it is doing. `since` is how many steps there were when it was last told. */
export function findStall(steps: readonly Step[], since: number): string | undefined {
  const isNewSince = steps.slice(since).some(({ kind }) => kind === 'result');
  const results = steps.filter((step) => step.kind === 'result');
  if (!isNewSince) return undefined;
  return failing(results) ?? repeating(results) ?? alternating(results) ?? idle(steps, since);
}

function failing(results: readonly Result[]): string | undefined {
  const last = results.slice(-mostEqualFailures);
  const [first] = last;
  if (!first || last.length < mostEqualFailures || !last.every(isFailure)) return undefined;
  if (!last.every((result) => callOf(result) === callOf(first))) return undefined;
  return `The same call of ${first.call.name} has failed ${mostEqualFailures} times.`;
}

function repeating(results: readonly Result[]): string | undefined {
  const last = results.slice(-mostEqualResults);
  const [first] = last;
  if (!first || last.length < mostEqualResults) return undefined;
  if (!last.every((result) => outcomeOf(result) === outcomeOf(first))) return undefined;
  return `The same call of ${first.call.name} has given the same result ${mostEqualResults} times.`;
}

function alternating(results: readonly Result[]): string | undefined {
  const last = results.slice(-2 * alternations);
  const [first, second] = last;
  if (!first || !second || last.length < 2 * alternations) return undefined;
  if (outcomeOf(first) === outcomeOf(second)) return undefined;
  const isPattern = last.every(
    (result, index) => outcomeOf(result) === outcomeOf(index % 2 ? second : first),
  );
  if (!isPattern) return undefined;
  return `The same two calls, of ${first.call.name} and ${second.call.name}, come in turn with the same results.`;
}

/** Counted in answers: one with many calls is one step. A tree that was there before is not progress. */
function idle(steps: readonly Step[], since: number): string | undefined {
  const trees = new Set<string>();
  const reads = new Set<string>();
  let idleAnswers = 0;
  for (const [index, step] of steps.entries()) {
    if (index === since) idleAnswers = 0;
    if (step.kind === 'answer') idleAnswers += 1;
    if (step.kind !== 'result') continue;
    const changed = (step.result.changes ?? []).length > 0 && !trees.has(step.tree);
    const read = readingTools.has(step.call.name) && !isFailure(step) && !reads.has(callOf(step));
    trees.add(step.tree);
    reads.add(callOf(step));
    if (changed || read) idleAnswers = 0;
  }
  if (idleAnswers < mostIdleAnswers) return undefined;
  return `In the last ${mostIdleAnswers} steps no new file was read and nothing was changed.`;
}

function isFailure({ result }: Result): boolean {
  return result.isError === true;
}

function callOf({ call }: Result): string {
  return JSON.stringify([call.name, call.input]);
}

function outcomeOf(result: Result): string {
  return JSON.stringify([callOf(result), result.result.text]);
}
