/** Finds text that a model copied with other white space or punctuation, and replaces it in the style of the file. */

/** The text as it is compared: without indentation and with plain quotes, dashes and spaces. */
interface PlainText {
  text: string;
  /** Offsets in the source: where each letter starts and ends. */
  starts: number[];
  ends: number[];
}

const typography = new Map(
  [
    ["'", '\u2018\u2019\u201a\u201b\u2032'],
    ['"', '\u201c\u201d\u201e\u201f\u2033'],
    ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'],
  ].flatMap(([plain = '', letters = '']) =>
    Array.from(letters, (letter): [string, string] => [letter, plain]),
  ),
);

/** Offsets in the file of the places that differ from the text only in white space and punctuation. */
export function tolerantPlaces(file: string, wanted: string): number[] {
  const { text, starts } = plainText(file);
  const search = trimmed(plainText(wanted)).text;
  if (search === '') return [];
  const places: number[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + search.length))
    places.push(starts[at] ?? 0);
  return places;
}

/**
 * Replaces the only tolerant match. What is equal at the start and the end of both texts stays as it is in the file, and
 * new lines get the indentation of the file.
 */
export function replaceTolerantly(file: string, old: string, replacement: string): string {
  const inFile = plainText(file);
  const before = trimmed(plainText(old));
  const after = trimmedLike(plainText(replacement), plainText(old));
  const from = inFile.text.indexOf(before.text);
  const found = part(inFile, from, from + before.text.length);
  if (after.text === '') return withoutLines(file, startOf(found, 0), endOf(found));
  const { head, tail } = sharedEnds(found.text, after.text);
  const kept = before.text === after.text ? { head: 0, tail: 0 } : { head, tail };
  const start = kept.head > 0 ? endOf(found, kept.head) : startOf(found, 0);
  const end = kept.tail > 0 ? startOf(found, found.text.length - kept.tail) : endOf(found);
  const newStart = kept.head > 0 ? endOf(after, kept.head) : startOf(after, 0);
  const newEnd = kept.tail > 0 ? startOf(after, after.text.length - kept.tail) : endOf(after);
  const indents = indentsOf({ file, found, old, before });
  const isAtLineStart = kept.head > 0 && found.text[kept.head - 1] === '\n';
  const middle = replacement.slice(newStart, newEnd).split('\n');
  const indented = middle.map((line, index) => {
    const isBlank = line.trim() === '' && index < middle.length - 1;
    return isBlank || (index === 0 && !isAtLineStart) ? line : reindented(line, indents);
  });
  return file.slice(0, start) + indented.join('\n') + file.slice(end);
}

function plainText(source: string): PlainText {
  const letters: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (letter: string, start: number, end: number): void => {
    letters.push(letter);
    starts.push(start);
    ends.push(end);
  };
  let spaceStart = -1;
  for (let at = 0; at < source.length; at += 1) {
    const letter = source.charAt(at);
    const isBreak = letter === '\n' || (letter === '\r' && source[at + 1] === '\n');
    if (isBreak) {
      const end = letter === '\r' ? at + 2 : at + 1;
      add('\n', at, end);
      at = end - 1;
      spaceStart = -1;
    } else if (/\s/.test(letter)) {
      if (spaceStart < 0) spaceStart = at;
    } else {
      const isInLine = letters.length > 0 && letters.at(-1) !== '\n';
      if (spaceStart >= 0 && isInLine) add(' ', spaceStart, at);
      spaceStart = -1;
      add(typography.get(letter) ?? letter, at, at + 1);
    }
  }
  return { text: letters.join(''), starts, ends };
}

function part({ text, starts, ends }: PlainText, from: number, to: number): PlainText {
  return { text: text.slice(from, to), starts: starts.slice(from, to), ends: ends.slice(from, to) };
}

function trimmed(plain: PlainText): PlainText {
  return part(plain, blankStart(plain.text), plain.text.length - blankEnd(plain.text));
}

/** Without as many line breaks at both ends as the other text has there. */
function trimmedLike(plain: PlainText, { text }: PlainText): PlainText {
  const start = Math.min(blankStart(plain.text), blankStart(text));
  const end = Math.min(blankEnd(plain.text), blankEnd(text));
  return part(plain, start, Math.max(start, plain.text.length - end));
}

function blankStart(text: string): number {
  return text.length - text.trimStart().length;
}

function blankEnd(text: string): number {
  return text.length - text.trimEnd().length;
}

function startOf({ starts }: PlainText, index: number): number {
  return starts[index] ?? 0;
}

/** The end of the first letters, by default of all. */
function endOf({ ends }: PlainText, count = ends.length): number {
  return ends[count - 1] ?? 0;
}

function sharedEnds(a: string, b: string): { head: number; tail: number } {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return { head, tail };
}

/** Whole lines are removed with their line break. */
function withoutLines(file: string, start: number, end: number): string {
  const lineStart = file.lastIndexOf('\n', start - 1) + 1;
  const lineBreak = file.indexOf('\n', end);
  const lineEnd = lineBreak < 0 ? file.length : lineBreak + 1;
  const isWhole = file.slice(lineStart, start).trim() === '' && file.slice(end, lineEnd).trim() === '';
  return isWhole ? file.slice(0, lineStart) + file.slice(lineEnd) : file.slice(0, start) + file.slice(end);
}

interface Match {
  file: string;
  found: PlainText;
  old: string;
  before: PlainText;
}

/** The indentation in the file by the indentation of the same line in the text of the model. */
function indentsOf({ file, found, old, before }: Match): Map<string, string> {
  const indents = new Map<string, string>();
  for (const [index, letter] of before.text.split('').entries()) {
    const isLineStart = letter !== '\n' && (index === 0 || before.text[index - 1] === '\n');
    if (!isLineStart) continue;
    const inOld = indentBefore(old, startOf(before, index));
    const inFile = indentBefore(file, startOf(found, index));
    if (inOld !== undefined && inFile !== undefined) indents.set(inOld, inFile);
  }
  return indents;
}

/** Undefined if other text precedes in the line. */
function indentBefore(text: string, offset: number): string | undefined {
  const indent = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return indent.trim() === '' ? indent.replace('\ufeff', '') : undefined;
}

function reindented(line: string, indents: ReadonlyMap<string, string>): string {
  const [indent = ''] = /^[ \t]*/.exec(line) ?? [];
  const known = [...indents.keys()].filter((each) => indent.startsWith(each));
  const longest = known.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? line : (indents.get(longest) ?? '') + line.slice(longest.length);
}
