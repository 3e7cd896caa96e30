/** The known name with the smallest edit distance, for "did you mean". */

export function closestName(name: string, known: readonly string[]): string | undefined {
  const asWritten = name.slice(0, 100).toLowerCase();
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(asWritten, each.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(2, asWritten.length / 4) ? best.each : undefined;
}

/** Levenshtein distance. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
