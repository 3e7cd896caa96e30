/**
 * Syntax that all diagram kinds share: directives, comments, titles and labels. Labels pass through the
 * drawing library with placeholders for the characters that its line patterns would misread.
 */
export interface DiagramSource {
  /** As written: `flowchart`, `sequenceDiagram`, …. */
  kind: string;
  header: string;
  /** Lines after the header. Lines without a statement are empty, so that line numbers stay correct. */
  lines: string[];
  /** The indentation of each line in spaces. */
  indents: number[];
  title?: string;
  description?: string;
}

/** The diagram cannot be drawn; the message is shown to its author. */
export class DiagramError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.name = 'DiagramError';
    this.line = line;
  }
}

export function readDiagramSource(code: string): DiagramSource {
  const blank = (text: string): string => '\n'.repeat(text.split('\n').length - 1);
  const found: { title?: string; description?: string } = {};
  const text = code
    .replace(/^\s*---\n([\s\S]*?)\n---[ \t]*(?=\n|$)/, (whole, front: string) => {
      const title = /^title:\s*["']?(.*?)["']?\s*$/m.exec(front)?.[1];
      if (title) found.title = title;
      return blank(whole);
    })
    .replaceAll(/%%\{[\s\S]*?\}%%/g, blank)
    .replaceAll(/^[ \t]*accDescr\s*\{([\s\S]*?)\}/gm, (whole, inner: string) => {
      found.description = inner.trim().replaceAll(/\s+/g, ' ');
      return blank(whole);
    });
  const written = text.split('\n');
  const quoted = linesInQuotes(written);
  const lines = written.map((line, index) => {
    const trimmed = line.trim();
    if (quoted.has(index)) return trimmed;
    if (trimmed.startsWith('%%')) return '';
    const named = /^(accTitle|accDescr|title)(?:\s*:\s*|\s+)(.+)$/.exec(trimmed);
    if (!named) return trimmed.replace(/\s%%(?!\{).*$/, '').trim();
    if (named[1] === 'accDescr') found.description = named[2] ?? '';
    else if (named[1] === 'accTitle' || !found.title)
      found.title = (named[2] ?? '').replace(/^"(.*)"$/, '$1');
    return named[1] === 'title' ? trimmed : '';
  });
  const at = lines.findIndex((line) => line !== '');
  const header = lines[at] ?? '';
  const kind = /^[A-Za-z][\w-]*/.exec(header)?.[0] ?? '';
  return {
    kind,
    header,
    lines: lines.map((line, index) => (index <= at ? '' : line)),
    indents: written.map((line) => line.length - line.trimStart().length),
    ...found,
  };
}

/** Lines that begin inside a flowchart label contain no statement. */
function linesInQuotes(lines: readonly string[]): Set<number> {
  const inside = new Set<number>();
  const first = lines.find((line) => !/^\s*(?:%%|acc(?:Title|Descr)|$)/.test(line)) ?? '';
  if (!/^\s*(?:graph|flowchart)\b/.test(first)) return inside;
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    if (isOpen) inside.add(index);
    else if (/^\s*%%/.test(line)) continue;
    if ((line.split('"').length - 1) % 2 === 1) isOpen = !isOpen;
  }
  // Unbalanced quotes are a mistake that the line-by-line errors explain better.
  return isOpen ? new Set() : inside;
}

/** A line for which `read` returns false fails the drawing with an error. */
export function readStatements(
  source: DiagramSource,
  read: (statement: string, index: number) => boolean,
): void {
  for (const [index, line] of source.lines.entries()) {
    const statement = line.replace(/;$/, '').trim();
    if (statement !== '' && !read(statement, index))
      throw new DiagramError(`"${statement.slice(0, 60)}" is not understood`, index + 1);
  }
}

/** The `title` statement, or the rest of the first line. */
export function shownTitle(source: DiagramSource): string {
  const written = [source.header.replace(/^\w+(?:\s+showData)?\s+/, ''), ...source.lines];
  const title = written.find((line) => /^title\s/.test(line)) ?? '';
  return labelText(title.replace(/^title\s+/, ''), 60).replaceAll('\n', ' ');
}

const standInBase = 0xe200;
/**
 * ASCII characters with a meaning in some syntax, except asterisks and tildes, which mean bold and
 * strikethrough.
 */
const troublesome = /[[\](){}|"'/\\<>#;&:%=@`$^,+?!.-]/g;

export function encodeLabel(label: string): string {
  return label.split('\n').map(encodeLine).join('<br>');
}

/** The library renders these formatting tags; everything else is text. */
function encodeLine(line: string): string {
  let result = '';
  let last = 0;
  for (const tag of line.matchAll(/<\/?(?:b|strong|i|em|u|s|del)\s*>/gi)) {
    result += encodeText(line.slice(last, tag.index)) + tag[0];
    last = tag.index + tag[0].length;
  }
  return result + encodeText(line.slice(last));
}

function encodeText(text: string): string {
  return text.replaceAll(troublesome, (character) =>
    String.fromCodePoint(standInBase + (character.codePointAt(0) ?? 0)),
  );
}

export function encodeName(text: string): string {
  return encodeText(text).replaceAll(/[\s*~]/g, (character) =>
    String.fromCodePoint(standInBase + (character.codePointAt(0) ?? 32)),
  );
}

export function decodeMarkup(svg: string): string {
  return svg.replaceAll(/[\u{e200}-\u{e27f}]/gu, (standIn) => {
    const character = String.fromCodePoint((standIn.codePointAt(0) ?? 0) - standInBase);
    if (character === '&') return '&amp;';
    if (character === '<') return '&lt;';
    if (character === '>') return '&gt;';
    return character === '"' ? '&quot;' : character;
  });
}

export function labelText(raw: string, width: number): string {
  const text = raw
    .trim()
    .replace(/^"([\s\S]*)"$/, '$1')
    .replace(/^`([\s\S]*)`$/, '$1')
    .replaceAll(/<br\s*\/?>|\\n/gi, '\n')
    .replaceAll(/<(?!\/?(?:b|strong|i|em|u|s|del)\s*>)\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/\bfa[bsrl]?:fa-[\w-]+\s*/g, '')
    .replaceAll(/[#&](\w+|#?\d+);/g, (whole, name: string) => entity(name) ?? whole);
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line.trim().replaceAll(/[ \t]+/g, ' '), width))
    .join('\n')
    .trim();
}

const entities: Record<string, string> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  apos: "'",
  semi: ';',
  hash: '#',
  colon: ':',
};

function entity(name: string): string | undefined {
  if (Object.hasOwn(entities, name)) return entities[name];
  const code = Number(name.replace('#', ''));
  return Number.isInteger(code) && code > 31 && code < 0x11_0000 ? String.fromCodePoint(code) : undefined;
}

function wrapLine(line: string, width: number): string[] {
  if (line.length <= width * 1.25) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + word.length + 1 > width) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
