export function nearestPaths(wanted: string, paths: readonly string[], maxPaths = 3): string[] {
  const name = nameOf(wanted);
  return bestMatches(
    paths,
    (path) => similarity(wanted, path) + (nameOf(path) === name ? 1 : 0),
    maxPaths,
    0.5,
  );
}

/** Line numbers start at 1. */
export function nearestLines(wanted: string, lines: readonly string[], maxLines = 3): number[] {
  const text = wanted.trim().slice(0, maxCompared);
  const numbers = lines.map((_, index) => index + 1);
  return bestMatches(numbers, (number) => similarity(text, (lines[number - 1] ?? '').trim()), maxLines, 0.5);
}

function bestMatches<Item>(
  items: readonly Item[],
  scoreOf: (item: Item) => number,
  maxItems: number,
  minScore: number,
): Item[] {
  return items
    .map((item) => ({ item, score: scoreOf(item) }))
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxItems)
    .map(({ item }) => item);
}

const maxCompared = 400;

/** Sørensen–Dice coefficient of letter pairs, from 0 to 1. */
function similarity(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  if (left.length === 0 || right.length === 0) return a === b ? 1 : 0;
  const counts = new Map<string, number>();
  for (const pair of left) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of right) {
    const count = counts.get(pair) ?? 0;
    if (count > 0) shared += 1;
    counts.set(pair, count - 1);
  }
  return (2 * shared) / (left.length + right.length);
}

function pairsOf(text: string): string[] {
  const lower = text.slice(0, maxCompared).toLowerCase();
  return Array.from({ length: Math.max(0, lower.length - 1) }, (_, index) => lower.slice(index, index + 2));
}

function nameOf(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[a-z]+$/i, '')
    .toLowerCase();
}
