/** Replaces exact text independent of line endings. If the text is not found, the error shows similar lines. */
import { lineAt, linesOf, withLineEndingsOf } from './files.ts';
import { hiddenCharacters, nameOf, withoutMarkers } from './invisible-characters.ts';
import { nearestLines } from './similarity.ts';
import { numberLine } from './line-format.ts';
import { listItems, ToolError } from './tool.ts';

export interface Replacement {
  old: string;
  new: string;
  replace_all: boolean;
}

export function replaceIn(file: string, replacement: Replacement): string {
  const old = withFileLineEndings(file, withoutMarkers(replacement.old));
  const text = withLineEndingsOf(file, withoutMarkers(replacement.new));
  if (old === '')
    throw new ToolError('`old` is empty. Give the text to replace; write_file creates new files.');
  if (old === text) throw new ToolError('`old` and `new` are the same: nothing would change.');
  refuseHidden(text, file);
  const places = placesOf(file, old);
  if (places.length === 0) throw new ToolError(explainNotFound(file, replacement));
  if (places.length > 1 && !replacement.replace_all) throw new ToolError(explainAmbiguity(file, places));
  return places.length === 1 || replacement.replace_all ? file.split(old).join(text) : file;
}

/** A run must not add new kinds of invisible characters. */
export function refuseHidden(text: string, file: string): void {
  const known = new Set(hiddenCharacters(file));
  const added = hiddenCharacters(text).filter((character) => !known.has(character));
  if (added.length === 0) return;
  throw new ToolError(
    `The new text contains invisible characters: ${added.map(nameOf).join(', ')}. Remove them.`,
  );
}

/** Models write LF; the file may use CRLF. */
function withFileLineEndings(file: string, old: string): string {
  return file.includes(old) ? old : old.replaceAll(/\r?\n/g, file.includes('\r\n') ? '\r\n' : '\n');
}

function placesOf(file: string, old: string): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(old); at !== -1; at = file.indexOf(old, at + old.length)) places.push(at);
  return places;
}

function explainAmbiguity(file: string, places: readonly number[]): string {
  const lines = listItems(
    places.map((place) => String(lineAt(file, place))),
    '',
    100,
  ).join(', ');
  return (
    `\`old\` occurs ${places.length} times in the file, at lines ${lines}. ` +
    'Add surrounding lines until it is unique, or set replace_all.'
  );
}

function explainNotFound(file: string, { old, new: text }: Replacement): string {
  const lines = linesOf(file).slice(0, maxComparedLines);
  const wanted = linesOf(old).filter((line) => line.trim() !== '');
  const [first = ''] = wanted;
  if (text.trim() !== '' && file.includes(withLineEndingsOf(file, text))) {
    const line = lineAt(file, file.indexOf(withLineEndingsOf(file, text)));
    return `\`old\` is not in the file, but \`new\` already is, at line ${line}. The change may be done.`;
  }
  const similar = findIgnoringSpace(lines, wanted);
  if (similar !== undefined) {
    const shown = lines.slice(similar, similar + Math.min(wanted.length, maxShown));
    return `\`old\` matches only with different white space. Copy the text exactly:\n${numberLines(shown, similar + 1)}`;
  }
  const near = nearestLines(first, lines);
  if (near.length === 0) {
    return '`old` is not in the file, and no line is similar. Read the file again and copy the text exactly.';
  }
  const places = near.map((line) =>
    numberLines(lines.slice(line - 1, line - 1 + Math.min(wanted.length, 3)), line),
  );
  return `\`old\` is not in the file. Similar lines:\n${places.join('\n   --\n')}\nCopy the text exactly as in the file.`;
}

const maxShown = 20;
const maxComparedLines = 20_000;

function findIgnoringSpace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const bare = (line: string | undefined): string => (line ?? '').replaceAll(/\s+/g, ' ').trim();
  const [first, ...rest] = wanted.map(bare);
  if (first === undefined) return undefined;
  const filled = lines.flatMap((line, index) => (line.trim() === '' ? [] : [{ line: bare(line), index }]));
  const found = filled.findIndex(
    ({ line }, at) => line === first && rest.every((each, more) => filled[at + more + 1]?.line === each),
  );
  return filled[found]?.index;
}

function numberLines(lines: readonly string[], start: number): string {
  return lines.map((line, index) => numberLine(line, start + index)).join('\n');
}
