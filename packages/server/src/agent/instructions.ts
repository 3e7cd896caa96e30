/**
 * What a project wants every run to know: a file of its default branch, and what the project's settings say. Never read
 * from the branch a job works on, because whoever may propose a branch would then steer the agent.
 */

/** The first one that exists counts. */
const instructionFiles = ['.docs/AGENTS.md', 'AGENTS.md'] as const;
const mostCharacters = 16_000;

export async function readInstructions(given: {
  /** A file of the default branch at a pinned commit. */
  readFile(path: string): Promise<string | undefined>;
  ofProject: string | null;
}): Promise<string | null> {
  let ofRepository: string | undefined;
  for (const path of instructionFiles) ofRepository ??= await given.readFile(path);
  const parts = [given.ofProject ?? '', ofRepository ?? ''].filter((part) => part.trim() !== '').map(capped);
  return parts.length === 0 ? null : parts.join('\n\n');
}

function capped(text: string): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}\n[The rest was left out: it is longer than ${mostCharacters} characters.]`;
}
