/** The text out of a list that a misspelt one most likely means. */
/** With these, the longest list of the longest texts costs 3 ms. */
const mostCompared = 100;
const longest = 60;

/** Undefined when none is near: at most a third of the characters may differ. */
export function nearestText(wanted: string, texts: readonly string[]): string | undefined {
  const goal = wanted.toLowerCase().slice(0, longest);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(goal.length / 3)) + 1;
  for (const text of texts.slice(0, mostCompared)) {
    if (text.length > longest || Math.abs(text.length - goal.length) >= least) continue;
    const distance = editsBetween(goal, text.toLowerCase(), least);
    if (distance < least) [least, nearest] = [distance, text];
  }
  return nearest;
}

/** How many characters must be added, removed or changed to make one text of the other; `enough` when it is that many. */
function editsBetween(a: string, b: string, enough: number): number {
  let row = Uint8Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = new Uint8Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const edits = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next[j] = edits;
      if (edits < least) least = edits;
    }
    if (least >= enough) return enough;
    [row, next] = [next, row];
  }
  return row[b.length] ?? 0;
}
