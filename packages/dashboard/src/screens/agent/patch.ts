/** Parses a unified diff of git. Never throws. */
import { diffWords, type Piece } from './word-diff.ts';

export interface PatchFile {
  /** For a removed file the old name. */
  path: string;
  isBinary: boolean;
  hunks: Hunk[];
}

export interface Hunk {
  /** The context that git prints after the hunk range. */
  title: string;
  lines: Line[];
}

export interface Line {
  kind: 'same' | 'added' | 'removed';
  /** Line numbers in the old and the new file. */
  before: number | undefined;
  after: number | undefined;
  pieces: Piece[];
  /** The file ends here without a line break. */
  endsOpen: boolean;
}

export interface Row {
  before: Line | undefined;
  after: Line | undefined;
}

export function readPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let hunk: Hunk | undefined;
  let before = 0;
  let after = 0;
  for (const text of patch.split('\n')) {
    const file = files.at(-1);
    // Content lines always begin with a sign, so this line is a header.
    if (text.startsWith('diff --git ')) {
      files.push({ path: nameInHead(text), isBinary: false, hunks: [] });
      hunk = undefined;
    } else if (file === undefined) {
      continue;
    } else if (text.startsWith('@@ ')) {
      const [, oldStart, newStart, title] =
        /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?([^]*)/.exec(text) ?? [];
      before = Number(oldStart ?? 0);
      after = Number(newStart ?? 0);
      hunk = { title: title ?? '', lines: [] };
      file.hunks.push(hunk);
    } else if (hunk === undefined) {
      readHeadLine(file, text);
    } else if (text.startsWith('\\')) {
      const last = hunk.lines.at(-1);
      if (last !== undefined) last.endsOpen = true;
    } else {
      const line = lineOf(text, before, after);
      if (line === undefined) continue;
      hunk.lines.push(line);
      if (line.before !== undefined) before += 1;
      if (line.after !== undefined) after += 1;
    }
  }
  for (const { hunks } of files) for (const each of hunks) markWords(each);
  return files;
}

/** Pairs removed lines with the lines that replaced them. */
export function rowsOf({ lines }: Hunk): Row[] {
  const rows: Row[] = [];
  for (const block of blocksOf(lines)) {
    const [removed, added] = block;
    if (!Array.isArray(removed) || added === undefined) {
      rows.push({ before: block[0] as Line, after: block[0] as Line });
      continue;
    }
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push({ before: removed[index], after: added[index] });
  }
  return rows;
}

type Block = [Line] | [removed: Line[], added: Line[]];

function blocksOf(lines: readonly Line[]): Block[] {
  const blocks: Block[] = [];
  let change: [Line[], Line[]] | undefined;
  for (const line of lines) {
    if (line.kind === 'same') {
      change = undefined;
      blocks.push([line]);
      continue;
    }
    if (change === undefined || (line.kind === 'removed' && change[1].length > 0)) {
      change = [[], []];
      blocks.push(change);
    }
    change[line.kind === 'removed' ? 0 : 1].push(line);
  }
  return blocks;
}

function markWords({ lines }: Hunk): void {
  for (const [removed, added] of blocksOf(lines)) {
    if (!Array.isArray(removed) || added === undefined) continue;
    for (const [index, old] of removed.entries()) {
      const next = added[index];
      if (next === undefined) break;
      const words = diffWords(textOf(old), textOf(next));
      if (words === undefined) continue;
      old.pieces = words.before;
      next.pieces = words.after;
    }
  }
}

function textOf({ pieces }: Line): string {
  return pieces.map(({ text }) => text).join('');
}

function lineOf(text: string, before: number, after: number): Line | undefined {
  const rest = { pieces: [{ text: text.slice(1), isChanged: false }], endsOpen: false };
  switch (text[0]) {
    case ' ':
      return { kind: 'same', before, after, ...rest };
    case '-':
      return { kind: 'removed', before, after: undefined, ...rest };
    case '+':
      return { kind: 'added', before: undefined, after, ...rest };
    default:
      return undefined;
  }
}

function readHeadLine(file: PatchFile, text: string): void {
  if (text.startsWith('Binary files ') || text.startsWith('GIT binary patch')) file.isBinary = true;
  const [, name] = /^(?:--- "?a|\+\+\+ "?b|rename to "?)\/?(.*?)"?$/.exec(text) ?? [];
  if (name !== undefined) file.path = name;
}

/** Fallback: `+++` and `rename to` are more reliable. */
function nameInHead(text: string): string {
  const at = text.lastIndexOf(' b/');
  return at === -1 ? text.slice('diff --git '.length) : text.slice(at + 3);
}
