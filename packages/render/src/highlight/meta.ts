/** Reads what follows the language on a code fence: a title in words, highlighted lines, and flags. */
export interface FenceMeta {
  title?: string;
  icon?: string;
  highlighted: Set<number>;
  focused: Set<number>;
  lineNumbers: boolean;
  wrap: boolean;
  expandable: boolean;
  noCopy: boolean;
}

const token =
  /([A-Za-z_][\w-]*)=(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|(\S+))|\{([\d,\s-]+)\}|\/(?:[^/\s]+)\/|(\S+)/g;
const maximumLine = 100_000;

export function readFenceMeta(meta: string): FenceMeta {
  const result: FenceMeta = {
    highlighted: new Set(),
    focused: new Set(),
    lineNumbers: false,
    wrap: false,
    expandable: false,
    noCopy: false,
  };
  const words: string[] = [];
  for (const match of meta.matchAll(token)) {
    const [whole, key, ...rest] = match;
    const value = rest[0] ?? rest[1] ?? rest[2] ?? rest[3] ?? '';
    if (key !== undefined) applyPair(result, key.toLowerCase(), value);
    else if (rest[4] !== undefined) addLines(result.highlighted, rest[4]);
    else if (rest[5] !== undefined && !applyFlag(result, whole.toLowerCase())) words.push(whole);
  }
  const spoken = words
    .join(' ')
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim();
  if (result.title === undefined && spoken) result.title = spoken;
  return result;
}

function applyPair(meta: FenceMeta, key: string, value: string): void {
  if (key === 'title' || key === 'filename') meta.title = value;
  else if (key === 'icon') meta.icon = value;
  else if (key === 'highlight' || key === 'hl_lines') addLines(meta.highlighted, value);
  else if (key === 'focus') addLines(meta.focused, value);
  else if (value !== 'false') applyFlag(meta, key);
}

function applyFlag(meta: FenceMeta, word: string): boolean {
  switch (word) {
    case 'lines':
    case 'showlinenumbers':
      meta.lineNumbers = true;
      return true;
    case 'wrap':
      meta.wrap = true;
      return true;
    case 'expandable':
    case '[expandable]':
      meta.expandable = true;
      return true;
    case 'nocopy':
      meta.noCopy = true;
      return true;
    case 'twoslash':
    case 'copy':
      return true;
    default:
      return false;
  }
}

function addLines(lines: Set<number>, ranges: string): void {
  for (const range of ranges.replaceAll(/[[\]"']/g, '').split(',')) {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    if (!(from >= 1 && to <= maximumLine)) continue;
    for (let line = from; line <= to; line++) lines.add(line);
  }
}
