/** The code blocks of a document, and the rule that says which of them a test runs. */

export interface Block {
  language: string;
  /** Set when the title is a path: the block is a file. */
  file: string;
  text: string;
}

/** Blocks inside of components are indented. */
export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: { block: Block; indent: string; fence: string } | undefined;
  for (const line of document.split('\n')) {
    const [, indent = '', fence = '', info = ''] = /^( *)(`{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { block: emptyBlock(info), indent, fence };
    } else if (fence === open.fence && info === '') {
      blocks.push(open.block);
      open = undefined;
    } else open.block.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
  }
  return blocks;
}

function emptyBlock(info: string): Block {
  const [language = '', ...title] = info.split(' ');
  const name = title.join(' ');
  return { language, file: /^[\w./-]+\.\w+$/.test(name) ? name : '', text: '' };
}

/** Hosts of a reader. The quickstart and the tests of guides provide those that are left out. */
const hostOfReader =
  /\b(?!(?:handbook|docs|docyard)\.example\.com\b)[\w-]+(?:\.[\w-]+)*\.example(?:\.com)?\b/;
const recordOfReader = /\b(?:se|aj|pr|pul|fe|wh|org)_[0-9a-f]{16}\b/;
const variableOfPipeline = /\$\{?(?:CI_|COMMIT\b|VERSION\b)/;
const otherProgram = /^(?:sudo |aws |docker |gh |helm |kubectl |python3 )/m;

/**
 * Why no test runs a shell block: it names what only its reader has. Such a block is only compared with the commands and
 * options that exist.
 */
export function whyNotRun({ text }: Block): string | undefined {
  if (/^npm (?:ci|install)\b/m.test(text)) return 'it needs the npm registry';
  if (/^npm test\b/m.test(text)) return 'the tests run it';
  if (/\bdocyard login\b/.test(text)) return 'it asks for a key';
  if (hostOfReader.test(text)) return 'it names a host of the reader';
  if (recordOfReader.test(text)) return 'it names a record of the reader';
  if (variableOfPipeline.test(text)) return 'it uses a variable of a pipeline';
  if (otherProgram.test(text)) return 'it runs a program of another product';
  return undefined;
}
