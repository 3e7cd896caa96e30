/** The lines that a patch adds, by file. */

export interface ChangedLines {
  path: string;
  /** Ranges of lines in the new file; empty if the patch only removes. */
  ranges: [first: number, last: number][];
}

export function changedLines(patch: string): ChangedLines[] {
  const files: ChangedLines[] = [];
  let file: ChangedLines | undefined;
  let line = 0;
  let left = { old: 0, new: 0 };
  for (const text of patch.split('\n')) {
    if (left.old > 0 || left.new > 0) {
      const mark = text[0] ?? ' ';
      if (mark === '+' && file !== undefined) addLine(file, line);
      if (mark !== '-' && mark !== '\\') line += 1;
      left = {
        old: left.old - (mark === '-' || mark === ' ' ? 1 : 0),
        new: left.new - (mark === '+' || mark === ' ' ? 1 : 0),
      };
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
    if (hunk !== null) {
      left = { old: Number(hunk[1] ?? 1), new: Number(hunk[3] ?? 1) };
      line = Number(hunk[2]);
    } else if (text.startsWith('diff --git ')) file = undefined;
    else if (text.startsWith('+++ ')) {
      const path = pathOf(text.slice(4));
      if (path !== undefined) files.push((file = { path, ranges: [] }));
    }
  }
  return files;
}

function addLine({ ranges }: ChangedLines, line: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === line - 1) last[1] = line;
  else ranges.push([line, line]);
}

/** Undefined for a removed file, and for a name that git quotes. */
function pathOf(name: string): string | undefined {
  return name.startsWith('b/') ? name.slice(2).replace(/\t$/, '') : undefined;
}
