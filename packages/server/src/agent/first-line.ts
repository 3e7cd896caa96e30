/**
 * The beginning of a text as one line of bounded length. What people and models write may be of any size.
 */
export function firstLine(text: string, mostCharacters: number): string {
  // A character takes at most two places; the rest of a long text is not looked at.
  const start = text.trimStart().slice(0, (mostCharacters + 1) * 2);
  const characters = Array.from(start.split(/\r?\n/, 1)[0] ?? '');
  if (characters.length <= mostCharacters) return characters.join('').trimEnd();
  return `${characters.slice(0, mostCharacters - 1).join('')}…`;
}
