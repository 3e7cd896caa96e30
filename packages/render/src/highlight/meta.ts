/** Reads what follows the language on a code fence: a title in words, ranges of lines, and options in any order. */
export interface FenceMeta {
  title?: string;
  icon?: string;
  /** Overrides the language of the fence. */
  language?: string;
  highlighted: Set<number>;
  focused: Set<number>;
  /** Words to mark wherever they occur. */
  marked: string[];
  lineNumbers: boolean;
  /** The number of the first line. */
  start: number;
  wrap: boolean;
  expandable: boolean;
  noCopy: boolean;
  twoslash: boolean;
}

const token =
  /([A-Za-z_][\w:-]*)=(?:"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|(\S+))|\{([\d,\s-]+)\}|\/((?:[^/\s]|\\\/)(?:[^/]|\\\/)*)\/(?=\s|$)|("[^"]*"|'[^']*')|(\S+)/g;
const maximumLine = 100_000;
const maximumMarks = 20;

export function readFenceMeta(meta: string): FenceMeta {
  const result: FenceMeta = {
    highlighted: new Set(),
    focused: new Set(),
    marked: [],
    lineNumbers: false,
    start: 1,
    wrap: false,
    expandable: false,
    noCopy: false,
    twoslash: false,
  };
  const words: string[] = [];
  for (const match of meta.matchAll(token)) {
    const [whole, key, double, single, braced, bare, range, marked, quoted, word] = match;
    if (key !== undefined) applyPair(result, key.toLowerCase(), double ?? single ?? braced ?? bare ?? '');
    else if (range !== undefined) addLines(result.highlighted, range);
    else if (marked !== undefined) {
      if (result.marked.length < maximumMarks) result.marked.push(marked.replaceAll(String.raw`\/`, '/'));
    } else if (quoted !== undefined) words.push(quoted.slice(1, -1));
    else if (word !== undefined && !applyFlag(result, word.toLowerCase(), true)) words.push(whole);
  }
  const spoken = words.join(' ').trim();
  if (result.title === undefined && spoken) result.title = spoken;
  return result;
}

function applyPair(meta: FenceMeta, key: string, value: string): void {
  const text = value.replace(/^(["'`])(.*)\1$/, '$2');
  if (key === 'title' || key === 'filename' || key === 'file' || key === 'label') meta.title = text;
  else if (key === 'icon') meta.icon = text;
  else if (key === 'lang' || key === 'language') meta.language = text;
  else if (key === 'highlight' || key === 'hl_lines') addLines(meta.highlighted, text);
  else if (key === 'focus') addLines(meta.focused, text);
  else if (key === 'linenostart' || key === 'startline' || key === 'start') setStart(meta, text);
  else applyFlag(meta, key, text.toLowerCase() !== 'false');
}

function setStart(meta: FenceMeta, text: string): void {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 1_000_000) {
    meta.start = number;
    meta.lineNumbers = true;
  }
}

function applyFlag(meta: FenceMeta, word: string, on: boolean): boolean {
  switch (word) {
    case 'lines':
    case 'linenumbers':
    case 'showlinenumbers':
    case 'linenos':
      meta.lineNumbers = on;
      return true;
    case 'wrap':
    case 'wordwrap':
      meta.wrap = on;
      return true;
    case 'expandable':
    case '[expandable]':
      meta.expandable = on;
      return true;
    case 'nocopy':
      meta.noCopy = on;
      return true;
    case 'copy':
      meta.noCopy = !on;
      return true;
    case 'twoslash':
      meta.twoslash = on;
      return true;
    default:
      return false;
  }
}

function addLines(lines: Set<number>, ranges: string): void {
  for (const range of ranges.replaceAll(/[[\]{}"'\s]/g, ' ').split(/[, ]+/)) {
    if (range === '') continue;
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    if (!(from >= 1 && to <= maximumLine)) continue;
    for (let line = from; line <= to; line++) lines.add(line);
  }
}
