/** Lines as tools show them: with a number, without anything hidden, and not too long. */
import { linesOf } from './files.ts';
import { withVisibleMarkers } from './hidden.ts';
import { most } from './tool.ts';

export function numbered(line: string, number: number): string {
  return `${String(number).padStart(5)}\t${clipped(line)}`;
}

export function clipped(line: string, mostCharacters = most.lineCharacters): string {
  const left = line.length - mostCharacters;
  const rest = left > 0 ? ` … (${left} more characters)` : '';
  return withVisibleMarkers(line.slice(0, mostCharacters)) + rest;
}

const aroundLines = 3;
const mostChangedLines = 60;

/** What changed, as one piece: the lines from the first to the last that differ, and a few around them. */
export function changedLines(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let same = 0;
  while (same < shorter - start && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const from = Math.max(0, start - aroundLines);
  const line = (sign: string, text: string, number: number): string => `${sign}${numbered(text, number)}`;
  return [
    ...now.slice(from, start).map((text, index) => line(' ', text, from + index + 1)),
    ...shortened(
      old.slice(start, old.length - same).map((text, index) => line('-', text, start + index + 1)),
    ),
    ...shortened(
      now.slice(start, now.length - same).map((text, index) => line('+', text, start + index + 1)),
    ),
    ...now
      .slice(now.length - same, now.length - same + aroundLines)
      .map((text, index) => line(' ', text, now.length - same + index + 1)),
  ].join('\n');
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= mostChangedLines) return [...lines];
  return [...lines.slice(0, mostChangedLines), `  … ${lines.length - mostChangedLines} more lines`];
}
