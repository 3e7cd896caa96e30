/** Compact copies of values that are kept for thousands of pages. */

/**
 * A copy of a substring. V8 slices share memory with their parent, so a short address would keep its whole
 * page alive.
 */
export function detachedText(text: string): string {
  // Concatenation creates a new string, which V8 flattens before slicing it.
  return ` ${text}`.slice(1);
}

export function flatText(text: string): string {
  return Buffer.from(text).toString();
}

/** Most lists are empty: all pages share one. */
export function sharedIfEmpty<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}

const nothing: readonly never[] = [];
