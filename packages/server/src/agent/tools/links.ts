/**
 * Finds addresses in the source of a page: Markdown links, images and definitions, `href` and `src` of JSX and
 * objects, imports. Code is skipped.
 */

export interface WrittenLink {
  href: string;
  start: number;
  end: number;
  kind: 'link' | 'file' | 'import';
}

const maxLinks = 20_000;
/**
 * Every part is bounded and neighbors cannot match the same character, which prevents excessive backtracking.
 */
const patterns: { pattern: RegExp; kind: WrittenLink['kind'] }[] = [
  { pattern: /!\[[^[\]\n]{0,500}\]\(\s{0,10}<?([^\s()<>]{1,2000})/dg, kind: 'file' },
  { pattern: /(?<!!\[[^[\]\n]{0,500})\]\(\s{0,10}<([^<>\n]{1,2000})>/dg, kind: 'link' },
  {
    pattern:
      /(?<!!\[[^[\]\n]{0,500})\]\(\s{0,10}([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,500})?)/dg,
    kind: 'link',
  },
  { pattern: /^ {0,3}\[[^[\]\n]{1,500}\]:[ \t]{0,10}<?([^\s<>]{1,2000})/dgm, kind: 'link' },
  {
    pattern: /\b(?:href|to|url|link)\s{0,5}(?:=\s{0,5}\{?\s{0,5}|:\s{0,5})["']([^"'\n]{1,2000})["']/dg,
    kind: 'link',
  },
  {
    pattern:
      /\b(?:src|img|image|poster|srcLight|srcDark)\s{0,5}(?:=\s{0,5}\{?\s{0,5}|:\s{0,5})["']([^"'\n]{1,2000})["']/dg,
    kind: 'file',
  },
  { pattern: /^(?:import|export)\s[^'"\n]{0,500}\bfrom\s{1,5}["']([^"'\n]{1,500})["']/dgm, kind: 'import' },
];

export function findLinks(source: string): WrittenLink[] {
  const text = withoutCode(source);
  const found = new Map<number, WrittenLink>();
  for (const { pattern, kind } of patterns) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [0, 0];
      if (found.size >= maxLinks) break;
      if (!found.has(start)) found.set(start, { href: source.slice(start, end), start, end, kind });
    }
  }
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

export function withLinks(source: string, changes: readonly { link: WrittenLink; href: string }[]): string {
  let text = source;
  for (const { link, href } of changes.toSorted((a, b) => b.link.start - a.link.start)) {
    text = text.slice(0, link.start) + href + text.slice(link.end);
  }
  return text;
}

/** Replaces fenced and inline code with spaces, so that offsets stay valid. */
function withoutCode(source: string): string {
  const lines = source.split('\n');
  let fence: string | undefined;
  const outside = lines.map((line) => {
    const [, mark = ''] = /^[ \t>]{0,20}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      if (mark === '') return line;
      fence = mark;
      return blank(line);
    }
    if (mark.startsWith(fence) && line.trim().replaceAll(/[`~>\s]/g, '') === '') fence = undefined;
    return blank(line);
  });
  return outside.join('\n').split('\n\n').map(withoutSpans).join('\n\n');
}

/** Within a paragraph, a run of backticks closes with the next run of equal length. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map((match) => ({
    start: match.index,
    length: match[0].length,
  }));
  if (runs.length < 2) return paragraph;
  const next = new Map<number, { start: number; length: number }>();
  const closings = runs.toReversed().map((run) => {
    const closing = next.get(run.length);
    next.set(run.length, run);
    return closing;
  });
  let text = '';
  let at = 0;
  for (const [index, run] of runs.entries()) {
    const closing = closings[runs.length - 1 - index];
    if (run.start < at || closing === undefined) continue;
    const end = closing.start + closing.length;
    text += paragraph.slice(at, run.start) + blank(paragraph.slice(run.start, end));
    at = end;
  }
  return text + paragraph.slice(at);
}

function blank(text: string): string {
  return text.includes('\n') ? text.replaceAll(/[^\n]/g, ' ') : ' '.repeat(text.length);
}
