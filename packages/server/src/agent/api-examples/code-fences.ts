/** The fenced code of a page, found line by line. */

export interface CodeFence {
  language: string;
  /** Of the first line of code. */
  line: number;
  code: string;
}

const opening = /^([ \t]{0,40})(`{3,20}|~{3,20})[ \t]*([\w+#.-]{0,40})/;

export function codeFences(source: string): CodeFence[] {
  const found: CodeFence[] = [];
  let open: { indent: number; mark: string; language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    const [, indent = '', mark, language = ''] = opening.exec(line) ?? [];
    if (open === undefined) {
      if (mark === undefined) continue;
      const fence = { indent: indent.length, mark, language: language.toLowerCase(), lines: [] };
      open = { ...fence, line: index + 2 };
      continue;
    }
    const { mark: opened } = open;
    const isEnd = mark !== undefined && mark.startsWith(opened) && line.trim() === mark;
    if (!isEnd) {
      open.lines.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
      continue;
    }
    found.push({ language: open.language, line: open.line, code: open.lines.join('\n') });
    open = undefined;
  }
  return found;
}
