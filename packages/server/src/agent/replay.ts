import type { FileChange, Step, Usage } from './contract.ts';

export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

export function findStep<Kind extends Step['kind']>(
  steps: readonly Step[],
  kind: Kind,
): StepOf<Kind> | undefined {
  return steps.findLast((step): step is StepOf<Kind> => step.kind === kind);
}

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

/** An answer counts even if its calls failed. */
export function usageOf(steps: readonly Step[]): Usage {
  return sumUsage(
    steps.flatMap((step) => (step.kind === 'answer' ? [{ ...step.answer.usage, steps: 1 }] : [])),
  );
}

export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (of: keyof Usage) => usages.reduce((total, usage) => total + usage[of], 0);
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    steps: sum('steps'),
  };
}
