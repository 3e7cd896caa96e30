/**
 * Rewrites the prose of a source file: the parts outside of code fences and code spans. Rewrites must keep
 * the number of lines, so that positions stay correct.
 */
const fence = /^[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})([^`]*)$/;
const codeSpan = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g;

export function rewriteProse(source: string, rewrite: (prose: string) => string): string {
  return rewriteOutsideFences(source, (prose) => rewriteOutsideSpans(prose, rewrite));
}

export function rewriteOutsideFences(source: string, rewrite: (prose: string) => string): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of proseIn(source)) {
    result += source.slice(copied, start) + rewrite(source.slice(start, end));
    copied = end;
  }
  return result + source.slice(copied);
}

export function someProse(source: string, says: (prose: string) => boolean): boolean {
  return proseIn(source).some(({ start, end }) => says(source.slice(start, end)));
}

interface Range {
  start: number;
  end: number;
}

interface Fence extends Range {
  mark: string;
}

function proseIn(source: string): Range[] {
  const prose: Range[] = [];
  const fences = new Fences(source);
  let start = 0;
  for (let open = fences.next(0); open; open = fences.next(start)) {
    prose.push({ start, end: open.start });
    start = endOfFence(source, open);
  }
  prose.push({ start, end: source.length });
  return prose;
}

class Fences {
  readonly #source: string;
  #ticks = -1;
  #waves = -1;

  constructor(source: string) {
    this.#source = source;
  }

  next(from: number): Fence | undefined {
    for (let at = from; ;) {
      const mark = this.#nextMark(at);
      if (mark === Infinity) return undefined;
      const line = lineAround(this.#source, mark);
      const opening = fence.exec(this.#source.slice(line.start, line.end))?.[1];
      if (opening !== undefined) return { ...line, mark: opening };
      at = line.end;
    }
  }

  /** Searches for each mark again only after passing the last one found, which keeps the scan linear. */
  #nextMark(from: number): number {
    if (this.#ticks < from) this.#ticks = placeOf('```', this.#source, from);
    if (this.#waves < from) this.#waves = placeOf('~~~', this.#source, from);
    return Math.min(this.#ticks, this.#waves);
  }
}

function placeOf(mark: string, source: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? Infinity : at;
}

function endOfFence(source: string, { end, mark }: Fence): number {
  for (let at = source.indexOf(mark, end); at >= 0; at = source.indexOf(mark, at)) {
    const line = lineAround(source, at);
    if (isClosing(source.slice(line.start, line.end), mark[0] ?? ''))
      return Math.min(line.end + 1, source.length);
    at = line.end;
  }
  return source.length;
}

function isClosing(line: string, character: string): boolean {
  return character === '`' ? /^[ \t>]*`+[ \t]*$/.test(line) : /^[ \t>]*~+[ \t]*$/.test(line);
}

function lineAround(source: string, at: number): Range {
  const end = source.indexOf('\n', at);
  return { start: source.lastIndexOf('\n', at) + 1, end: end < 0 ? source.length : end };
}

function rewriteOutsideSpans(prose: string, rewrite: (prose: string) => string): string {
  if (!prose.includes('`')) return rewrite(prose);
  let result = '';
  let last = 0;
  for (const span of prose.matchAll(codeSpan)) {
    if (/\n[ \t]*\n/.test(span[0])) continue;
    result += rewrite(prose.slice(last, span.index)) + span[0];
    last = span.index + span[0].length;
  }
  return result + rewrite(prose.slice(last));
}
