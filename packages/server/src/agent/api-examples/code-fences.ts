/** The fenced code of a page, found line by line. */

export interface CodeFence {
  language: string;
  /** The words after the language. */
  words: string[];
  /** Of the first line of code. */
  line: number;
  code: string;
}

const opening = /^([ \t]{0,40})(`{3,20}|~{3,20})[ \t]*([\w+#.-]{0,40})(.{0,2000})/;

export function codeFences(source: string): CodeFence[] {
  const found: CodeFence[] = [];
  let open: { indent: number; mark: string; lines: string[]; fence: Omit<CodeFence, 'code'> } | undefined;
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    const [, indent = '', mark, language = '', rest = ''] = opening.exec(line) ?? [];
    if (open === undefined) {
      if (mark === undefined) continue;
      const words = rest.split(/\s/).filter((word) => word !== '');
      const fence = { language: language.toLowerCase(), words, line: index + 2 };
      open = { indent: indent.length, mark, lines: [], fence };
      continue;
    }
    const { mark: opened } = open;
    const isEnd = mark !== undefined && mark.startsWith(opened) && line.trim() === mark;
    if (!isEnd) {
      open.lines.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
      continue;
    }
    found.push({ ...open.fence, code: open.lines.join('\n') });
    open = undefined;
  }
  return found;
}
