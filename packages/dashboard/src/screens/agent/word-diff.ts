/** Marks the changed words of a replaced line. The cost is bounded: long lines are compared roughly. */

export interface Piece {
  text: string;
  isChanged: boolean;
}

/** Maximum size of the comparison table. */
const maxCells = 40_000;
const maxLineCharacters = 2000;
/** Below this similarity, marks are not helpful. */
const minInCommon = 0.3;

/** Undefined when the lines have too little in common. */
export function diffWords(before: string, after: string): { before: Piece[]; after: Piece[] } | undefined {
  if (before.length > maxLineCharacters || after.length > maxLineCharacters) return undefined;
  const old = wordsOf(before);
  const next = wordsOf(after);
  const keptOld = old.map(() => false);
  const keptNext = next.map(() => false);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) {
    keptOld[start] = true;
    keptNext[start] = true;
    start += 1;
  }
  let ending = 0;
  while (
    ending < Math.min(old.length, next.length) - start &&
    old[old.length - 1 - ending] === next[next.length - 1 - ending]
  ) {
    keptOld[old.length - 1 - ending] = true;
    keptNext[next.length - 1 - ending] = true;
    ending += 1;
  }
  const middleOld = old.slice(start, old.length - ending);
  const middleNext = next.slice(start, next.length - ending);
  for (const [left, right] of commonWords(middleOld, middleNext)) {
    keptOld[start + left] = true;
    keptNext[start + right] = true;
  }
  const result = { before: piecesOf(old, keptOld), after: piecesOf(next, keptNext) };
  const longer = Math.max(before.trim().length, after.trim().length);
  return longer > 0 && keptLength(result.after) / longer >= minInCommon ? result : undefined;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Longest common subsequence, as pairs of indexes. */
function commonWords(old: readonly string[], next: readonly string[]): [number, number][] {
  if (old.length === 0 || next.length === 0 || old.length * next.length > maxCells) return [];
  const width = next.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = next.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === next[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: [number, number][] = [];
  let row = 0;
  let column = 0;
  while (row < old.length && column < next.length) {
    if (old[row] === next[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

function piecesOf(words: readonly string[], kept: readonly boolean[]): Piece[] {
  const pieces: Piece[] = [];
  for (const [index, text] of words.entries()) {
    const isChanged = kept[index] !== true;
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else pieces.push({ text, isChanged });
  }
  return pieces;
}

function keptLength(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text, isChanged }) => sum + (isChanged ? 0 : text.trim().length), 0);
}
