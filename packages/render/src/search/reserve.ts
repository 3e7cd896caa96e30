/**
 * What is kept of an index besides its files, so that it can be brought up to date after an edit: postings of terms that
 * are everywhere which were not good enough to be shown, and terms that are nearly frequent enough for the vocabulary.
 */
export type CountedTerm = readonly [term: string, count: number];

const vocabularySize = 4000;
const candidateCount = 5000;

export class Reserve {
  /** By term, in no order. They are better than all that are not known at all. */
  readonly spare = new Map<string, Uint32Array>();
  #candidates = new Map<string, number>();
  /** All terms besides the candidates come after this one; undefined when there are none. */
  #floor: CountedTerm | undefined;

  static from(bytes: Uint8Array): Reserve {
    const reserve = new Reserve();
    const { candidates, floor, spare } = JSON.parse(Buffer.from(bytes).toString()) as Stored;
    reserve.#candidates = new Map(candidates);
    reserve.#floor = floor;
    for (const [term, postings] of spare) {
      const copy = new Uint8Array(Buffer.from(postings, 'base64'));
      reserve.spare.set(term, new Uint32Array(copy.buffer));
    }
    return reserve;
  }

  packed(): Uint8Array {
    const spare = Array.from(this.spare, ([term, postings]): [string, string] => [
      term,
      Buffer.from(postings.buffer, postings.byteOffset, postings.byteLength).toString('base64'),
    ]);
    const stored: Stored = { candidates: [...this.#candidates], floor: this.#floor, spare };
    return Buffer.from(JSON.stringify(stored));
  }

  /** From all terms that can be completed, in order, with how many sections have each. */
  setCandidates(terms: readonly string[], counts: readonly number[]): void {
    const chosen = mostFrequent(counts, candidateCount).map((at): CountedTerm => [
      terms[at] as string,
      counts[at] as number,
    ]);
    this.#candidates = new Map(chosen);
    this.#floor =
      chosen.length === terms.length ? undefined : chosen.reduce((a, b) => (isMoreFrequent(a, b) ? b : a));
  }

  /** Notes how many sections have a term now. */
  setCount(term: string, count: number): void {
    if (!canBeCompleted(term)) return;
    if (count > 0 && (!this.#floor || !isMoreFrequent(this.#floor, [term, count])))
      this.#candidates.set(term, count);
    else this.#candidates.delete(term);
  }

  /** The most frequent terms in order; undefined when others, which are not known, may belong to them. */
  vocabulary(): CountedTerm[] | undefined {
    if (this.#floor && this.#candidates.size < vocabularySize) return undefined;
    const inOrder = [...this.#candidates].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const counts = inOrder.map(([, count]) => count);
    return mostFrequent(counts, vocabularySize).map((at) => inOrder[at] as CountedTerm);
  }
}

interface Stored {
  candidates: [term: string, count: number][];
  floor: CountedTerm | undefined;
  spare: [term: string, postings: string][];
}

/** Words, not numbers, and not of scripts without spaces, which nobody completes. */
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

function isMoreFrequent(a: CountedTerm, b: CountedTerm): boolean {
  return a[1] > b[1] || (a[1] === b[1] && a[0] < b[0]);
}
