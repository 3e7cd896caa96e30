/**
 * What a journal says, looked at whole: which phases are behind a run, and which files it has changed. Pure; whoever
 * goes on with a run asks this and nothing else.
 */
import type { FileChange, Step, Usage } from './contract.ts';

export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

/** The newest step of a kind. Phases after the loop write theirs once. */
export function findStep<Kind extends Step['kind']>(
  steps: readonly Step[],
  kind: Kind,
): StepOf<Kind> | undefined {
  return steps.findLast((step): step is StepOf<Kind> => step.kind === kind);
}

/** Every file as the steps leave it, in the order of paths; `tree` is what git calls that state. */
export function replayFiles(steps: readonly Step[]): { changes: FileChange[]; tree: string | undefined } {
  const contents = new Map<string, string | null>();
  let tree: string | undefined;
  for (const step of steps) {
    if (step.kind === 'loop-ended') tree = step.tree;
    if (step.kind !== 'result') continue;
    tree = step.tree;
    for (const { path, content } of step.result.changes ?? []) contents.set(path, content);
  }
  const changes = [...contents]
    .map(([path, content]) => ({ path, content }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { changes, tree };
}

/** An answer is paid for once it is there, whatever became of its calls. */
export function usageOf(steps: readonly Step[]): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, steps: 0 };
  for (const step of steps) {
    if (step.kind !== 'answer') continue;
    usage.inputTokens += step.answer.usage.inputTokens;
    usage.outputTokens += step.answer.usage.outputTokens;
    usage.cacheReadTokens += step.answer.usage.cacheReadTokens;
    usage.steps += 1;
  }
  return usage;
}
