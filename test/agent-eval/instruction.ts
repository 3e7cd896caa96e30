/** The instruction of a job about a merged pull request. The agent reads the change itself. */
import { createHash } from 'node:crypto';
import type { Pair } from './pair.ts';

/** The context repository with the code. */
export const codeName = 'code';

export function instructionOf({ name, pullRequest }: Pair): string {
  const { title, body } = pullRequest;
  return [
    `Pull request #${numberOf(name)} was merged into the code that this site documents.`,
    'Correct every page that is no longer true because of it, and document what is new for users. Change nothing else. Most changes of code need no change of the documentation: then finish without one and say why.',
    `Title: ${title}`,
    body.trim(),
  ].join('\n\n');
}

/** Identifies the pair without a hint at what it expects. */
export function numberOf(name: string): number {
  return 10_000 + (createHash('sha256').update(name).digest().readUInt32BE() % 90_000);
}
