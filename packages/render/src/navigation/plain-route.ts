/** Without a slash at either end and without an extension. */
export function plainRoute(reference: string): string {
  return trimmedText(reference.replace(/\.mdx?$/, ''), '/');
}

export function trimmedText(text: string, characters: string): string {
  const rest = withoutTrailing(text, characters);
  let start = 0;
  while (start < rest.length && characters.includes(rest.charAt(start))) start += 1;
  return rest.slice(start);
}

export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
