export function firstLine(text: string, maxCharacters: number): string {
  // A character has at most two UTF-16 code units; the rest of a long text is not scanned.
  const start = text.trimStart().slice(0, (maxCharacters + 1) * 2);
  const characters = Array.from(start.split(/\r?\n/, 1)[0] ?? '');
  if (characters.length <= maxCharacters) return characters.join('').trimEnd();
  return `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
