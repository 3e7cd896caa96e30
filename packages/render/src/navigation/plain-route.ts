/** Routes as people write them in a navigation. */

/** Without a slash at either end and without an extension. */
export function plainRoute(reference: string): string {
  return trimmedText(reference.replace(/\.mdx?$/, ''), '/');
}

/** Without any of the characters at its start and its end. */
export function trimmedText(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text.charAt(start))) start += 1;
  while (end > start && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
