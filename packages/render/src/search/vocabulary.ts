/** The most frequent terms of a site, for completion and correction. Terms are given in order. */
const vocabularySize = 4000;

export type CountedTerm = readonly [term: string, count: number];

/** Words, not numbers, and not of scripts without spaces, which nobody completes. */
export function canBeCompleted(term: string): boolean {
  if (term.length < 3 || term.length > 23) return false;
  const first = term.charCodeAt(0);
  return first < 0x0e_00 && !(first >= 48 && first <= 57);
}

/** Those in most sections, and of the ones in as many the first in order. */
export function mostFrequent(terms: readonly CountedTerm[], size = vocabularySize): CountedTerm[] {
  if (terms.length <= size) return [...terms];
  const counts = Uint32Array.from(terms, ([, count]) => count).toSorted();
  const least = counts[counts.length - size] as number;
  let room = size;
  for (const count of counts) if (count > least) room--;
  return terms.filter(([, count]) => count > least || (count === least && room-- > 0));
}
