/** Reads what follows the language on a code fence: a title in words, ranges of lines, and options in any order. */
export interface FenceMeta {
  title?: string;
  icon?: string;
  /** Overrides the language of the fence. */
  language?: string;
  highlighted: Set<number>;
  focused: Set<number>;
  /** What to mark wherever it occurs in a line. */
  marked: RegExp[];
  lineNumbers: boolean;
  /** The number of the first line. */
  start: number;
  wrap: boolean;
  expandable: boolean;
  noCopy: boolean;
  twoslash: boolean;
}

/**
 * Markdown has undone the backslashes by now, so `"a \"b\" c"` comes as `"a "b" c"`: quotes within are pairs, and the
 * last one has a space or the end behind it.
 */
const token =
  /([A-Za-z_][\w:-]*)=(?:"((?:[^"]|"[^"\s][^"]*")*?)"(?=\s|$)|"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|(\S+))|\{([\d,\s-]+)\}|\/((?:[^/\s]|\\\/)(?:[^/]|\\\/)*)\/(?=\s|$)|("[^"]*"|'[^']*')|(\S+)/g;
const maximumLength = 2000;
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
  for (const match of meta.slice(0, maximumLength).matchAll(token)) {
    const [whole, key, paired, double, single, braced, bare, range, marked, quoted, word] = match;
    if (key !== undefined)
      applyPair(result, key.toLowerCase(), paired ?? double ?? single ?? braced ?? bare ?? '');
    else if (range !== undefined) addLines(result.highlighted, range);
    else if (marked !== undefined) {
      const patterns = result.marked.filter(({ unicode }) => unicode).length;
      if (result.marked.length < maximumMarks)
        result.marked.push(markPattern(marked, patterns < maximumPatterns));
    } else if (quoted !== undefined) words.push(quoted.slice(1, -1));
    else if (word !== undefined && !applyFlag(result, word.toLowerCase(), true)) words.push(whole);
  }
  const spoken = words.join(' ').trim();
  if (result.title === undefined && spoken) result.title = spoken;
  return result;
}

/** What only a pattern would hold: classes, `.*`, an anchor, or a choice in parentheses. `items[0]` and `run()` are text. */
const patternSigns =
  /\\[bdswBDSW]|\[[^\]]+\][*+?{]|\[[^\]]*\w-\w[^\]]*\]|\.[*+?]|^\^|.\$$|\([^()]+\|[^()]+\)/;
/** Groups that look around or repeat, references back, counts, and classes whose signs would be taken for repetitions. */
const costlySigns = /\(\?|\\[1-9k]|\{|\[[^\]]*[*+?(|][^\]]*\]/;
/** With one repetition of 60 at most, four patterns cost 4 s on a megabyte made to be slow; with two it was 33 s for one. */
const maximumPatterns = 4;
const maximumChoices = 20;

function isPattern(source: string): boolean {
  const branches = source.match(/(?<!\\)[*+?(]/g)?.length ?? 0;
  const choices = source.match(/\|/g)?.length ?? 0;
  return (
    source.length <= 100 &&
    branches <= 1 &&
    choices <= maximumChoices &&
    patternSigns.test(source) &&
    !costlySigns.test(source)
  );
}

/** `/word/` is text, unless it looks like a pattern that is sure to end soon. */
function markPattern(written: string, canBePattern: boolean): RegExp {
  const source = written.replaceAll(String.raw`\/`, '/');
  if (canBePattern && isPattern(source))
    try {
      const bounded = source.replaceAll(/(?<!\\)[*+]/g, (sign) => (sign === '*' ? '{0,60}' : '{1,60}'));
      return new RegExp(bounded, 'gu');
    } catch {
      /** Not a pattern after all. */
    }
  return new RegExp(source.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'g');
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
