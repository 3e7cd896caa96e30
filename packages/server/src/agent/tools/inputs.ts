import { z } from 'zod';

const maxPathCharacters = 500;

/** Models quote paths and leave closing tags behind them. */
const anyPath = z
  .string()
  .overwrite((path) =>
    path
      .trim()
      .replace(/<\/[a-z_]{1,30}>$/i, '')
      .replace(/^["'`@]{1,3}/, '')
      .replace(/["'`]{1,3}$/, '')
      .replace(/^\.\/(?=.)/, ''),
  )
  .min(1)
  .max(maxPathCharacters);

const description = 'Path from the docs root with forward slashes, for example guides/start.mdx.';

/** Models write the root of the docs as `/`. */
export const filePath = anyPath.overwrite((path) => path.replace(/^\/(?=.)/, '')).describe(description);

/** Keeps a leading `/`, because a new file may have been meant for a folder of the machine. See `newPath`. */
export const newFilePath = anyPath.describe(description);

export const folderPath = z.string().max(maxPathCharacters);

/** Models write a folder as `.`, `./guides` or `/guides/`. */
export function folderOf(path: string): string {
  const folder = path.replace(/^(?:\.?\/){1,2}/, '').replace(/\/$/, '');
  return folder === '.' ? '' : folder;
}

export const globPattern = z
  .string()
  .min(1)
  .max(200)
  .describe('Only files that match, for example *.mdx or guides/**.');

/** `*` within a folder, `**` across folders, `?` one character; a pattern without a slash matches the name. */
export function globMatcher(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const onName = !glob.includes('/');
  const parts = glob.split('/');
  return (path) => {
    const names = path.split('/');
    return onName ? matchesName(glob, names.at(-1) ?? '') : matchesParts(parts, names);
  };
}

/** Dynamic programming bounds the cost to pattern length times path length. */
function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  return matches(parts, names, (part) => part === '**', matchesName);
}

function matchesName(pattern: string, name: string): boolean {
  return matches(
    pattern.split(''),
    name.split(''),
    (part) => part === '*',
    (part, letter) => part === '?' || part === letter,
  );
}

function matches<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  isAny: (part: Part) => boolean,
  fits: (part: Part, item: Item) => boolean,
): boolean {
  let reached = [true, ...items.map(() => false)];
  for (const part of pattern) {
    const next = reached.map(() => false);
    for (let at = 0; at <= items.length; at += 1) {
      if (isAny(part)) next[at] = reached[at] === true || next[at - 1] === true;
      else if (at > 0) next[at] = reached[at - 1] === true && fits(part, items[at - 1] as Item);
    }
    reached = next;
  }
  return reached.at(-1) === true;
}
