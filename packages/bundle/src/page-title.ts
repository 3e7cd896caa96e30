/** What a page calls itself, read from its Markdown in a bundle. */

/** A page begins with its heading, after a line or two; the rest of the file is not looked at. */
export const openingBytes = 4096;
/** In a manifest of 100,000 pages longer ones would take more room than the names of the files. */
const mostCharacters = 100;

/** The first heading. Undefined for a file that is no Markdown or begins without one. */
export function pageTitle(path: string, content: Uint8Array): string | undefined {
  if (!path.endsWith('.md')) return undefined;
  const opening = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, openingBytes));
  const heading = opening
    .toString()
    .split('\n')
    .find((line) => line.startsWith('# '));
  const title = heading?.slice(2).trim() ?? '';
  if (title === '') return undefined;
  const characters = Array.from(title);
  if (characters.length > mostCharacters) return `${characters.slice(0, mostCharacters - 1).join('')}…`;
  // A part of a text keeps the whole text in memory, which of 50,000 pages is 400 MB; this one does not.
  return Buffer.from(title).toString();
}
