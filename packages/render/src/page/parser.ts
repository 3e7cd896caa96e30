/**
 * The only module that knows the Markdown parsers: a fast native one, and a slow one for the rare page on which the
 * fast one ends its process. Both give the same tree or a `MarkupError` with a place.
 */
import { type Features, markdownToMdast, mdxToMdast } from 'satteri';
import type { SourcePlace } from '../check/diagnostic.ts';
import type { Node } from './tree.ts';

export type ParserName = 'fast' | 'slow';

export class MarkupError extends Error {
  readonly place: SourcePlace | undefined;

  constructor(message: string, place: SourcePlace | undefined) {
    super(message);
    this.name = 'MarkupError';
    this.place = place;
  }
}

const features: Features = {
  gfm: true,
  frontmatter: false,
  smartPunctuation: true,
  math: false,
};

export function parseMdx(source: string, parser: ParserName): Node {
  return parser === 'fast' ? parseFast(source) : parseSlow(source);
}

/** Plain Markdown, for short texts in properties and settings: braces and tags are ordinary characters there. */
export function parseMarkdown(source: string): Node {
  return markdownToMdast(source, { features, position: false }) as Node;
}

function parseFast(source: string): Node {
  try {
    return mdxToMdast(source, { features }) as Node;
  } catch (error) {
    throw fromFastError(error as Error);
  }
}

/** The native parser tells the place in its message: `12:3: What is wrong (rule:name)`. */
function fromFastError(error: Error): MarkupError {
  const match = /^(\d+):(\d+): ([\s\S]*?)(?: \([\w-]+:[\w-]+\))?$/.exec(error.message);
  if (!match) return new MarkupError(error.message, undefined);
  return new MarkupError(match[3] ?? error.message, { line: Number(match[1]), column: Number(match[2]) });
}

let slowProcessor: { parse(source: string): unknown } | undefined;

/** The slow parser takes long to load as well, so a process does it only when it is given a page that needs it. */
export async function loadSlowParser(): Promise<void> {
  const [{ createProcessor }, { default: remarkGfm }] = await Promise.all([
    import('@mdx-js/mdx'),
    import('remark-gfm'),
  ]);
  slowProcessor ??= createProcessor({ remarkPlugins: [remarkGfm] });
}

function parseSlow(source: string): Node {
  if (!slowProcessor) throw new Error('the slow parser is not loaded');
  try {
    return unravel(slowProcessor.parse(source) as Node);
  } catch (error) {
    const { message, line, column } = error as Error & Partial<SourcePlace>;
    /** At the end of a file the place of the tag that was left open is told only in the message. */
    const told = /\((\d+):(\d+)/.exec(message);
    if (line) throw new MarkupError(message, { line, column: column ?? 1 });
    throw new MarkupError(message, told ? { line: Number(told[1]), column: Number(told[2]) } : undefined);
  }
}

/** A paragraph that holds nothing but elements is those elements, as the fast parser reports it already. */
function unravel(node: Node): Node {
  const children = node.children?.flatMap((child): Node[] => {
    const inner = unravel(child);
    const parts = inner.children ?? [];
    const onlyElements =
      inner.type === 'paragraph' &&
      parts.some((part) => part.type.startsWith('mdx')) &&
      parts.every((part) => part.type.startsWith('mdx') || (part.type === 'text' && !part.value?.trim()));
    if (!onlyElements) return [inner];
    return parts
      .filter((part) => part.type !== 'text')
      .map((part) => ({ ...part, type: part.type.replace('Text', 'Flow') }));
  });
  return children ? { ...node, children } : node;
}
