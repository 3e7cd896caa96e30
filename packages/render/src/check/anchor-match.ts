/** Finds the id that a link means when its fragment differs from it only in case or punctuation. */

/** What an id and a fragment that mean the same have in common: letters and digits. */
function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '');
}

/** The only id that means the same; undefined when there is none or more than one. */
export function matchingId(fragment: string, ids: Iterable<string>): string | undefined {
  const key = keyOf(fragment);
  if (key === '') return undefined;
  let found: string | undefined;
  for (const id of ids) {
    if (id === found || keyOf(id) !== key) continue;
    if (found !== undefined) return undefined;
    found = id;
  }
  return found;
}
