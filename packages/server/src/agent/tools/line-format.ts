import { linesOf } from './files.ts';
import { withVisibleMarkers } from './invisible-characters.ts';
import { outputLimits } from './tool.ts';

export function numberLine(line: string, number: number): string {
  return `${String(number).padStart(5)}\t${clipLine(line)}`;
}

export function clipLine(line: string, maxCharacters = outputLimits.lineCharacters): string {
  const left = line.length - maxCharacters;
  const rest = left > 0 ? ` … (${left} more characters)` : '';
  return withVisibleMarkers(line.slice(0, maxCharacters)) + rest;
}

const contextLines = 3;
const maxChangedLines = 60;

export function changedLines(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let same = 0;
  while (same < shorter - start && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const from = Math.max(0, start - contextLines);
  const line = (sign: string, text: string, number: number): string => `${sign}${numberLine(text, number)}`;
  return [
    ...now.slice(from, start).map((text, index) => line(' ', text, from + index + 1)),
    ...shorten(old.slice(start, old.length - same).map((text, index) => line('-', text, start + index + 1))),
    ...shorten(now.slice(start, now.length - same).map((text, index) => line('+', text, start + index + 1))),
    ...now
      .slice(now.length - same, now.length - same + contextLines)
      .map((text, index) => line(' ', text, now.length - same + index + 1)),
  ].join('\n');
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= maxChangedLines) return [...lines];
  return [...lines.slice(0, maxChangedLines), `  … ${lines.length - maxChangedLines} more lines`];
}
