/** Reads the title of a page from its Markdown. */

/** Only the start of a page is searched for the heading. */
export const openingBytes = 4096;
/** Bounds the size of manifests with many pages. */
const maxCharacters = 100;

/** The first heading. Undefined for other files and pages without one. */
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
  if (characters.length > maxCharacters) return `${characters.slice(0, maxCharacters - 1).join('')}…`;
  // Copied, because a substring would keep the whole text in memory.
  return Buffer.from(title).toString();
}
