/** The content of a page, read from its source or from the rendered HTML. */

export const contentKinds = [
  'words',
  'headings',
  'images',
  'codeBlocks',
  'tables',
  'links',
  'components',
] as const;
export type ContentKind = (typeof contentKinds)[number];

/** Each part as plain text; the same text may occur several times. */
export type PageContent = Record<ContentKind, string[]>;

export function emptyContent(): PageContent {
  return { words: [], headings: [], images: [], codeBlocks: [], tables: [], links: [], components: [] };
}

/** Letters and digits only: quotes, dashes and spaces differ between source and HTML. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

export function keyOf(text: string): string {
  return wordsOf(text).join('');
}
