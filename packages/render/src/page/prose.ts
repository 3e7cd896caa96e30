/**
 * Finds the parts of a source file that are prose, outside of code fences and code spans, and rewrites only those.
 * Every rewrite keeps the number of lines, so that positions stay true.
 */
const fence = /^[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})([^`]*)$/;
const codeSpan = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g;

export function rewriteProse(source: string, rewrite: (prose: string) => string): string {
  let result = '';
  let prose = '';
  let closing: RegExp | undefined;
  const flush = (): void => {
    result += rewriteOutsideSpans(prose, rewrite);
    prose = '';
  };
  const lines = source.split('\n');
  lines.forEach((line, index) => {
    const text = index < lines.length - 1 ? `${line}\n` : line;
    if (closing) {
      result += text;
      if (closing.test(line)) closing = undefined;
      return;
    }
    const mark = fence.exec(line)?.[1];
    if (mark === undefined) {
      prose += text;
      return;
    }
    flush();
    result += text;
    closing = new RegExp(`^[ \\t>]*${mark[0]}{${mark.length},}[ \\t]*$`);
  });
  flush();
  return result;
}

function rewriteOutsideSpans(prose: string, rewrite: (prose: string) => string): string {
  let result = '';
  let last = 0;
  for (const span of prose.matchAll(codeSpan)) {
    if (/\n[ \t]*\n/.test(span[0])) continue;
    result += rewrite(prose.slice(last, span.index)) + span[0];
    last = span.index + span[0].length;
  }
  return result + rewrite(prose.slice(last));
}
