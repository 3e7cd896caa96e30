/** Cuts the Markdown of a page into the sections below its headings. */

export interface MarkdownSection {
  /** The source of the heading; empty at the start of the page. */
  heading: string;
  /** With the line of the heading. */
  text: string;
}

export function sectionsOf(markdown: string): MarkdownSection[] {
  const sections: MarkdownSection[] = [];
  let heading = '';
  let lines: string[] = [];
  const finish = () => {
    const text = lines.join('\n').trim();
    if (text !== '') sections.push({ heading, text });
  };
  for (const { line, isCode } of linesOf(markdown)) {
    const title = isCode ? undefined : /^ {0,3}#{1,6} (.*)$/.exec(line)?.[1];
    if (title !== undefined) {
      finish();
      heading = title.trim();
      lines = [];
    }
    lines.push(line);
  }
  finish();
  return sections;
}

/** Parts of a text of at most `maxCharacters`, divided between blocks and, only if a block is longer, between lines. */
export function partsOf(text: string, maxCharacters: number): string[] {
  const parts: string[] = [];
  let part = '';
  const add = (piece: string, separator: string) => {
    if (part !== '' && part.length + separator.length + piece.length > maxCharacters) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? piece.slice(0, maxCharacters) : part + separator + piece;
  };
  for (const block of blocksOf(text)) {
    if (block.length <= maxCharacters) add(block, '\n\n');
    else for (const line of block.split('\n')) add(line, '\n');
  }
  if (part !== '') parts.push(part);
  return parts;
}

/** Divided at blank lines outside of code. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  const finish = () => {
    if (block.length > 0) blocks.push(block.join('\n'));
    block = [];
  };
  for (const { line, isCode } of linesOf(text)) {
    if (!isCode && line.trim() === '') finish();
    else block.push(line);
  }
  finish();
  return blocks;
}

function* linesOf(markdown: string): Generator<{ line: string; isCode: boolean }> {
  let fence = '';
  for (const line of markdown.split('\n')) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const isMarker = marker !== undefined && (fence === '' || marker.startsWith(fence));
    yield { line, isCode: fence !== '' || isMarker };
    if (isMarker) fence = fence === '' ? marker : '';
  }
}
