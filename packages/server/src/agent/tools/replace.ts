/**
 * Replaces text independent of line endings. Text that is not found exactly is replaced if it differs only in form and is
 * unique; otherwise the error shows similar lines.
 */
import { lineAt, linesOf, withLineEndingsOf } from './files.ts';
import { hiddenCharacters, nameOf, withoutMarkers } from './invisible-characters.ts';
import { nearestLines } from './similarity.ts';
import { numberLine } from './line-format.ts';
import { replaceTolerantly, tolerantPlaces } from './tolerant-match.ts';
import { listItems, ToolError } from './tool.ts';

export interface Replacement {
  old: string;
  new: string;
  replace_all: boolean;
}

export interface Replaced {
  text: string;
  /** How `old` differed from the file; undefined if it did not. */
  note?: string;
}

export function replaceIn(file: string, replacement: Replacement): Replaced {
  const given = {
    ...replacement,
    old: withoutMarkers(replacement.old),
    new: withoutMarkers(replacement.new),
  };
  if (given.old === '')
    throw new ToolError('`old` is empty. Give the text to replace; write_file creates new files.');
  refuseHidden(given.new, file);
  const exact = replaceExactly(file, given);
  if (exact !== undefined) return { text: exact };
  for (const { note, ...reading } of otherReadings(given)) {
    const text = replaceExactly(file, reading) ?? replaceApproximately(file, reading);
    if (text !== undefined && text !== file) return { text, note };
  }
  throw new ToolError(explainNotFound(file, given));
}

/** Undefined if the text is not in the file. */
function replaceExactly(
  file: string,
  { old: given, new: now, replace_all }: Replacement,
): string | undefined {
  const old = withFileLineEndings(file, given);
  const text = withLineEndingsOf(file, now);
  if (old === text)
    throw new ToolError('`old` and `new` are the same: nothing would change. Give a different `new`.');
  const places = placesOf(file, old);
  if (places.length === 0) return undefined;
  if (places.length > 1 && !replace_all) throw new ToolError(explainAmbiguity(file, places));
  refuseRepetition(file, { old, text }, places);
  return file.split(old).join(text);
}

/** Models repeat their last call, and an addition would be made twice. */
function refuseRepetition(
  file: string,
  { old, text }: { old: string; text: string },
  places: readonly number[],
): void {
  const offsets = placesOf(text, old);
  const isDone = (place: number) =>
    offsets.some((offset) => offset <= place && file.startsWith(text, place - offset));
  const [first] = places;
  if (first === undefined || !places.every(isDone)) return;
  throw new ToolError(
    `The file already contains \`new\`, at line ${lineAt(file, first)}. The change is done: continue with the next one.`,
  );
}

function replaceApproximately(file: string, { old, new: now }: Replacement): string | undefined {
  if (file.length > maxComparedCharacters) return undefined;
  const places = tolerantPlaces(file, old);
  if (places.length === 0) return undefined;
  if (places.length > 1) {
    throw new ToolError(
      `\`old\` is not in the file exactly, and similar text is at lines ${lineList(file, places)}. ` +
        'Copy the text exactly, with surrounding lines.',
    );
  }
  return replaceTolerantly(file, old, withLineEndingsOf(file, now));
}

/** The text as given, then without what models add when they copy from the result of a tool. */
function otherReadings(given: Replacement): (Replacement & { note: string })[] {
  const [unnumbered, unescaped] = [withoutLineNumbers(given.old), withoutEscapes(given.old)];
  const readings = [{ ...given, note: 'white space or punctuation' }];
  if (unnumbered !== undefined) {
    const text = withoutLineNumbers(given.new) ?? given.new;
    readings.push({ ...given, old: unnumbered, new: text, note: 'line numbers' });
  }
  if (unescaped !== given.old)
    readings.push({ ...given, old: unescaped, new: withoutEscapes(given.new), note: 'escapes' });
  return readings.filter(({ old, new: text }) => old.trim() !== '' && old !== text);
}

/** Undefined unless every line begins with the next number, as in the result of read_file. */
function withoutLineNumbers(text: string): string | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const numbered = lines.map((line) => /^ {0,8}(\d{1,6})(?:\t|→|\| ?)(.*)$/s.exec(line));
  const first = Number(numbered[0]?.[1]);
  const isSequence = numbered.every((match, index) => Number(match?.[1]) === first + index);
  return isSequence ? numbered.map((match) => match?.[2] ?? '').join('\n') : undefined;
}

/** Text that was encoded as JSON twice. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(["\\nt])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter);
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
  return (
    `\`old\` occurs ${places.length} times in the file, at lines ${lineList(file, places)}. ` +
    'Add surrounding lines until it is unique, or set replace_all.'
  );
}

function lineList(file: string, places: readonly number[]): string {
  const lines = places.map((place) => String(lineAt(file, place)));
  return listItems(lines, '', maxListedLines).join(', ');
}

function explainNotFound(file: string, { old, new: text }: Replacement): string {
  const lines = linesOf(file).slice(0, maxComparedLines);
  const wanted = linesOf(old).filter((line) => line.trim() !== '');
  const [first = ''] = wanted;
  if (text.trim() !== '' && file.includes(withLineEndingsOf(file, text))) {
    const line = lineAt(file, file.indexOf(withLineEndingsOf(file, text)));
    return `\`old\` is not in the file, but \`new\` already is, at line ${line}. The change may be done: continue with the next one.`;
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

const maxListedLines = 100;
const maxComparedCharacters = 1_000_000;
const maxComparedLines = 20_000;

function numberLines(lines: readonly string[], start: number): string {
  return lines.map((line, index) => numberLine(line, start + index)).join('\n');
}
