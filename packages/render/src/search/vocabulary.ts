/** The most frequent terms, which the search field completes. */

const maxTerms = 4000;

/** From all terms that can be completed, in order, with how many sections have each. */
export function vocabularyOf(
  terms: readonly string[],
  counts: readonly number[],
): [term: string, count: number][] {
  return mostFrequent(counts, maxTerms).map((at) => [terms[at] as string, counts[at] as number]);
}

/** Words, not numbers, and no words of scripts without spaces. */
export function canBeCompleted(term: string): boolean {
  if (term.length < 3 || term.length > 23) return false;
  const first = term.charCodeAt(0);
  return first < 0x0e_00 && !(first >= 48 && first <= 57);
}

/** Where the largest counts stand, and of those that are the same the first. */
function mostFrequent(counts: readonly number[], size: number): number[] {
  if (counts.length <= size) return [...counts.keys()];
  const inOrder = Uint32Array.from(counts).toSorted();
  const least = inOrder[inOrder.length - size] as number;
  let room = size;
  for (const count of inOrder) if (count > least) room--;
  const chosen: number[] = [];
  for (const [at, count] of counts.entries())
    if (count > least || (count === least && room-- > 0)) chosen.push(at);
  return chosen;
}
