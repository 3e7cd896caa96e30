/** The text out of a list that a misspelt one most likely means. */
/** With these, the longest list of the longest texts costs a millisecond, and a page has at most 1,000 questions. */
const mostCompared = 200;
const longest = 60;

/** Undefined when none is near: at most a third of the characters may differ. */
export function nearestText(wanted: string, texts: readonly string[]): string | undefined {
  const goal = wanted.toLowerCase().slice(0, longest);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(goal.length / 3)) + 1;
  for (const text of texts.slice(0, mostCompared)) {
    if (text.length > longest || Math.abs(text.length - goal.length) >= least) continue;
    const distance = editsBetween(goal, text.toLowerCase());
    if (distance < least) [least, nearest] = [distance, text];
  }
  return nearest;
}

/** How many characters must be added, removed or changed to make one text of the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
