/** Parses the rest of a code fence after its language: a title, line ranges, and options in any order. */
export interface FenceMeta {
  title?: string;
  icon?: string;
  /** Overrides the language of the fence. */
  language?: string;
  highlighted: Set<number>;
  focused: Set<number>;
  /** Matches are marked in every line. */
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
 * Markdown has removed the backslashes: `"a \"b\" c"` arrives as `"a "b" c"`. Inner quotes are pairs, and a
 * space or the end follows the last one.
 */
const token =
  /([A-Za-z_][\w:-]*)=(?:"((?:[^"]|"[^"\s][^"]*")*?)"(?=\s|$)|"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|(\S+))|\{([\d,\s-]+)\}|\/((?:[^/\s]|\\\/)(?:[^/]|\\\/)*)\/(?=\s|$)|("[^"]*"|'[^']*')|(\S+)/g;
const maxLength = 2000;
const maxLine = 100_000;
const maxMarks = 20;

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
  for (const match of meta.slice(0, maxLength).matchAll(token)) {
    const [whole, key, paired, double, single, braced, bare, range, marked, quoted, word] = match;
    if (key !== undefined)
      applyPair(result, key.toLowerCase(), paired ?? double ?? single ?? braced ?? bare ?? '');
    else if (range !== undefined) addLines(result.highlighted, range);
    else if (marked !== undefined) {
      const patterns = result.marked.filter(({ unicode }) => unicode).length;
      if (result.marked.length < maxMarks) result.marked.push(markPattern(marked, patterns < maxPatterns));
    } else if (quoted !== undefined) words.push(quoted.slice(1, -1));
    else if (word !== undefined && !applyFlag(result, word.toLowerCase(), true)) words.push(whole);
  }
  const spoken = words.join(' ').trim();
  if (result.title === undefined && spoken) result.title = spoken;
  return result;
}

/**
 * Syntax that only a pattern contains: classes, `.*`, an anchor, or a group with alternatives. `items[0]` and
 * `run()` are text.
 */
const patternSigns =
  /\\[bdswBDSW]|\[[^\]]+\][*+?{]|\[[^\]]*\w-\w[^\]]*\]|\.[*+?]|^\^|.\$$|\([^()]+\|[^()]+\)/;
/** Lookaround, repeated groups, backreferences, counts, and classes that contain repetition characters. */
const costlySigns = /\(\?|\\[1-9k]|\{|\[[^\]]*[*+?(|][^\]]*\]/;
/**
 * Security: one bounded repetition per pattern and few patterns keep the matching time of hostile input
 * linear.
 */
const maxPatterns = 4;
const maxChoices = 20;

function isPattern(source: string): boolean {
  const branches = source.match(/(?<!\\)[*+?(]/g)?.length ?? 0;
  const choices = source.match(/\|/g)?.length ?? 0;
  return (
    source.length <= 100 &&
    branches <= 1 &&
    choices <= maxChoices &&
    patternSigns.test(source) &&
    !costlySigns.test(source)
  );
}

/** `/word/` is text unless it looks like a pattern with bounded cost. */
function markPattern(written: string, canBePattern: boolean): RegExp {
  const source = written.replaceAll(String.raw`\/`, '/');
  if (canBePattern && isPattern(source))
    try {
      const bounded = source.replaceAll(/(?<!\\)[*+]/g, (sign) => (sign === '*' ? '{0,60}' : '{1,60}'));
      return new RegExp(bounded, 'gu');
    } catch {
      /** The text is not a valid pattern. */
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
    // For programs that run the code.
    case 'norun':
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
    if (!(from >= 1 && to <= maxLine)) continue;
    for (let line = from; line <= to; line++) lines.add(line);
  }
}
