/**
 * Splits a source file into front matter and body without parsing either. Render processes use it without
 * loading the YAML library.
 */
interface SplitSource {
  /** Raw text between the fences; undefined without front matter. */
  matter: string | undefined;
  body: string;
  /** Offset between lines of the body and lines of the file. */
  linesBefore: number;
}

export function splitFrontMatter(source: string): SplitSource {
  const none = { matter: undefined, body: source, linesBefore: 0 };
  const open = /^(?:[ \t]*\n)*(---|\+\+\+)[ \t]*\n/.exec(source);
  if (!open) return none;
  const start = open[0].length;
  const close = closingFence(source, open[1] ?? '', start);
  if (!close) return none;
  const matter = source.slice(start, close.start);
  if (!looksLikeMatter(matter)) return none;
  const hasLineEnd = source[close.end] === '\n';
  return {
    matter,
    body: source.slice(hasLineEnd ? close.end + 1 : close.end),
    linesBefore: lineEndsIn(source.slice(0, close.end)) + (hasLineEnd ? 1 : 0),
  };
}

function closingFence(
  source: string,
  fence: string,
  from: number,
): { start: number; end: number } | undefined {
  for (let start = from - 1; start >= 0; start = source.indexOf(`\n${fence}`, start + 1)) {
    if (!source.startsWith(fence, start + 1)) continue;
    let end = start + 1 + fence.length;
    while (source[end] === ' ' || source[end] === '\t') end++;
    if (end === source.length || source[end] === '\n') return { start: start + 1, end };
  }
  return undefined;
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const maxKey = 200;

/** A file may start with `---` as a thematic break; then the text up to the next break is prose. */
function looksLikeMatter(matter: string): boolean {
  if (matter.trim() === '') return true;
  const line = matter.split('\n').find((text) => text.trim() !== '' && !text.startsWith('#')) ?? '';
  // Keys are short; bounding the input keeps matching linear.
  const first = line.slice(0, maxKey);
  if (/^["']?[\w$][\w :.-]*?["']?\s*[:=](?:\s|$)/.test(first)) return true;
  const isOneLine = matter.trim().split('\n').length === 1;
  return isOneLine && !/^\s*\n/.test(matter) && !/^[#<>*-]/.test(first);
}
