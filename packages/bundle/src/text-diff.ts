/**
 * A unified diff like that of git. Texts that differ in too many lines are replaced completely, which bounds
 * the work.
 */

export interface TextDiff {
  patch: string;
  addedLines: number;
  removedLines: number;
  isTruncated: boolean;
}

/** Bounds the memory of the trace. */
const maxEdits = 1000;
const maxPatchLines = 4000;
const contextLines = 3;

export function diffTexts(path: string, before: string | null, after: string | null): TextDiff {
  const [old, next] = [linesOf(before), linesOf(after)];
  const edits = editScript(old, next);
  const hunks = hunksOf(edits);
  const shown: string[] = [];
  for (const hunk of hunks) {
    if (shown.length >= maxPatchLines) break;
    const lines = hunk.lines.slice(0, maxPatchLines - shown.length);
    shown.push(headOf({ ...hunk, lines }), ...lines.map(printed));
  }
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  return {
    patch: hunks.length === 0 ? '' : `${[...fileHead(path, before, after), ...shown].join('\n')}\n`,
    addedLines: edits.filter(({ kind }) => kind === '+').length,
    removedLines: edits.filter(({ kind }) => kind === '-').length,
    isTruncated: total > maxPatchLines,
  };
}

interface Edit {
  kind: ' ' | '+' | '-';
  text: string;
}

interface Hunk {
  /** One-based number of the first line in each text. */
  before: number;
  after: number;
  lines: Edit[];
}

const openEnd = '\n\\ No newline at end of file';

/** A last line without a newline differs from the same line with one. */
function linesOf(text: string | null): string[] {
  if (text === null || text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}${openEnd}`];
}

function editScript(old: readonly string[], next: readonly string[]): Edit[] {
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]) => lines.map((text): Edit => ({ kind: ' ', text }));
  return [
    ...same(old.slice(0, start)),
    ...shortestEdits(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

/** Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy form. */
function shortestEdits(old: readonly string[], next: readonly string[]): Edit[] {
  const limit = Math.min(maxEdits, old.length + next.length);
  const furthest = new Int32Array(2 * limit + 3);
  const origin = limit + 1;
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(furthest.slice(origin - distance - 1, origin + distance + 2));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = startOf(furthest, origin, diagonal, distance);
      while (x < old.length && x - diagonal < next.length && old[x] === next[x - diagonal]) x += 1;
      furthest[origin + diagonal] = x;
      if (x >= old.length && x - diagonal >= next.length) return walkBack(old, next, trace);
    }
  }
  return [
    ...old.map((text): Edit => ({ kind: '-', text })),
    ...next.map((text): Edit => ({ kind: '+', text })),
  ];
}

/** Steps down from the diagonal above or right from the one below, whichever reaches further. */
function startOf(furthest: Int32Array, origin: number, diagonal: number, distance: number): number {
  const left = furthest[origin + diagonal - 1] ?? 0;
  const above = furthest[origin + diagonal + 1] ?? 0;
  const isDown = diagonal === -distance || (diagonal !== distance && left < above);
  return isDown ? above : left + 1;
}

function walkBack(old: readonly string[], next: readonly string[], trace: readonly Int32Array[]): Edit[] {
  const edits: Edit[] = [];
  let x = old.length;
  let y = next.length;
  for (let distance = trace.length - 1; distance >= 0; distance -= 1) {
    const furthest = trace[distance] ?? new Int32Array();
    const origin = distance + 1;
    const diagonal = x - y;
    const left = furthest[origin + diagonal - 1] ?? 0;
    const above = furthest[origin + diagonal + 1] ?? 0;
    const isDown = diagonal === -distance || (diagonal !== distance && left < above);
    const fromX = distance === 0 ? 0 : isDown ? above : left;
    const fromY = distance === 0 ? 0 : fromX - (isDown ? diagonal + 1 : diagonal - 1);
    const afterStepX = distance === 0 ? 0 : isDown ? fromX : fromX + 1;
    for (; x > afterStepX; x -= 1, y -= 1) edits.push({ kind: ' ', text: old[x - 1] ?? '' });
    if (distance === 0) break;
    edits.push(isDown ? { kind: '+', text: next[fromY] ?? '' } : { kind: '-', text: old[fromX] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return edits.toReversed();
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 1;
  let after = 1;
  let open: { hunk: Hunk; unchanged: number } | undefined;
  for (const [index, edit] of edits.entries()) {
    if (edit.kind !== ' ' && open === undefined) {
      const lead = edits.slice(Math.max(0, index - contextLines), index);
      open = {
        hunk: { before: before - lead.length, after: after - lead.length, lines: [...lead] },
        unchanged: 0,
      };
      hunks.push(open.hunk);
    }
    if (open !== undefined) {
      open.hunk.lines.push(edit);
      open.unchanged = edit.kind === ' ' ? open.unchanged + 1 : 0;
      if (open.unchanged > 2 * contextLines) {
        open.hunk.lines.splice(-contextLines - 1);
        open = undefined;
      }
    }
    if (edit.kind !== '+') before += 1;
    if (edit.kind !== '-') after += 1;
  }
  if (open !== undefined && open.unchanged > contextLines)
    open.hunk.lines.splice(contextLines - open.unchanged);
  return hunks;
}

function headOf({ before, after, lines }: Hunk): string {
  const oldCount = lines.filter(({ kind }) => kind !== '+').length;
  const newCount = lines.filter(({ kind }) => kind !== '-').length;
  // By convention an empty side names the line before it.
  const place = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${place(before, oldCount)} +${place(after, newCount)} @@`;
}

function printed({ kind, text }: Edit): string {
  return `${kind}${text}`;
}

function fileHead(path: string, before: string | null, after: string | null): string[] {
  return [
    `diff --git a/${path} b/${path}`,
    before === null ? '--- /dev/null' : `--- a/${path}`,
    after === null ? '+++ /dev/null' : `+++ b/${path}`,
  ];
}
