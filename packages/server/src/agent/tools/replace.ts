/**
 * One exact replacement in a text. It finds the old text as it stands in the file, whatever its line endings, and when it
 * cannot, says where something like it stands. It reads and writes nothing.
 */
import { lineAt, linesOf, withLineEndingsOf } from './files.ts';
import { hiddenCharacters, nameOf, withoutMarkers } from './hidden.ts';
import { nearestLines } from './nearest.ts';
import { numbered } from './numbered.ts';
import { listed, ToolProblem } from './tool.ts';

export interface Replacement {
  old: string;
  new: string;
  replace_all: boolean;
}

export function replaceIn(file: string, replacement: Replacement): string {
  const old = asWritten(file, withoutMarkers(replacement.old));
  const text = withLineEndingsOf(file, withoutMarkers(replacement.new));
  if (old === '')
    throw new ToolProblem('`old` is empty. Name the text to replace; write_file makes new files.');
  if (old === text) throw new ToolProblem('`old` and `new` are the same: nothing would change.');
  refuseHidden(text, file);
  const places = placesOf(file, old);
  if (places.length === 0) throw new ToolProblem(notFound(file, replacement));
  if (places.length > 1 && !replacement.replace_all) throw new ToolProblem(ambiguous(file, places));
  return places.length === 1 || replacement.replace_all ? file.split(old).join(text) : file;
}

/** What the file does not hold already, a run must not bring in. */
export function refuseHidden(text: string, file: string): void {
  const known = new Set(hiddenCharacters(file));
  const added = hiddenCharacters(text).filter((character) => !known.has(character));
  if (added.length === 0) return;
  throw new ToolProblem(
    `The new text holds characters that nobody can see: ${added.map(nameOf).join(', ')}. Write it without them.`,
  );
}

/** Models write line feeds; the file may have carriage returns as well. */
function asWritten(file: string, old: string): string {
  return file.includes(old) ? old : old.replaceAll(/\r?\n/g, file.includes('\r\n') ? '\r\n' : '\n');
}

function placesOf(file: string, old: string): number[] {
  const places: number[] = [];
  for (let at = file.indexOf(old); at !== -1; at = file.indexOf(old, at + old.length)) places.push(at);
  return places;
}

function ambiguous(file: string, places: readonly number[]): string {
  const lines = listed(
    places.map((place) => String(lineAt(file, place))),
    '',
    100,
  ).join(', ');
  return (
    `\`old\` stands ${places.length} times in the file, at lines ${lines}. ` +
    'Add lines around it until it is unique, or set replace_all.'
  );
}

function notFound(file: string, { old, new: text }: Replacement): string {
  const lines = linesOf(file).slice(0, mostComparedLines);
  const wanted = linesOf(old).filter((line) => line.trim() !== '');
  const [first = ''] = wanted;
  if (text.trim() !== '' && file.includes(withLineEndingsOf(file, text))) {
    const line = lineAt(file, file.indexOf(withLineEndingsOf(file, text)));
    return `\`old\` is not in the file, but \`new\` already is, at line ${line}. The change may be done.`;
  }
  const loose = looseMatch(lines, wanted);
  if (loose !== undefined) {
    const shown = lines.slice(loose, loose + Math.min(wanted.length, mostShown));
    return `\`old\` is in the file only with other white space. Copy it from there exactly:\n${numberedFrom(shown, loose + 1)}`;
  }
  const near = nearestLines(first, lines);
  if (near.length === 0) {
    return '`old` is not in the file, and nothing like it. Read the file again and copy the text exactly.';
  }
  const places = near.map((line) =>
    numberedFrom(lines.slice(line - 1, line - 1 + Math.min(wanted.length, 3)), line),
  );
  return `\`old\` is not in the file. Most like it:\n${places.join('\n   --\n')}\nCopy the text exactly as it stands in the file.`;
}

const mostShown = 20;
/** A file of a megabyte may have a million lines; comparing them all took 7 s. */
const mostComparedLines = 20_000;

/** Index of the line where the wanted lines stand, white space aside. */
function looseMatch(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const bare = (line: string | undefined): string => (line ?? '').replaceAll(/\s+/g, ' ').trim();
  const [first, ...rest] = wanted.map(bare);
  if (first === undefined) return undefined;
  const filled = lines.flatMap((line, index) => (line.trim() === '' ? [] : [{ line: bare(line), index }]));
  const found = filled.findIndex(
    ({ line }, at) => line === first && rest.every((each, more) => filled[at + more + 1]?.line === each),
  );
  return filled[found]?.index;
}

function numberedFrom(lines: readonly string[], start: number): string {
  return lines.map((line, index) => numbered(line, start + index)).join('\n');
}
