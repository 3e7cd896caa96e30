/**
 * The only module that uses the Markdown parsers: a fast native one, and a slow one for pages that crash or
 * stall the fast one. Both return the same tree or throw a `MarkupError` with a position.
 */
import { createRequire } from 'node:module';
import { type Features, markdownToMdast, mdxToMdast } from 'satteri';
import type * as Mdx from '@mdx-js/mdx';
import type * as Gfm from 'remark-gfm';
import type { SourcePlace } from '../model/diagnostic.ts';
import type { Node, SurveyedTree } from './tree.ts';

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

const require = createRequire(import.meta.url);

/** Bounds recursive walks; deeper nodes are dropped. */
export const maxDepth = 200;

export function parseMdx(source: string, parser: ParserName): SurveyedTree {
  return parser === 'fast' && !isSlowForFast(source) ? parseFast(source) : parseSlow(source);
}

/** Code blocks are excluded only when it matters, because that scan is rarely needed. */
function isSlowForFast(source: string): boolean {
  return leavesElementsOpen(source) && leavesElementsOpen(withoutCodeBlocks(source));
}

/**
 * The fast parser is exponential in the number of elements that expressions leave open. Such pages are almost
 * always invalid, and the slow parser rejects them at once.
 */
const maxOpenElements = 16;

const marks = /[{}]|<\/|\/>|<(?=[A-Za-z_$>])/g;

/** Overcounts: also counts tags in strings of expressions. */
function leavesElementsOpen(source: string): boolean {
  const first = source.indexOf('{');
  if (first < 0) return false;
  let braces = 0;
  let open = 0;
  marks.lastIndex = first;
  for (let mark = marks.exec(source)?.[0]; mark !== undefined; mark = marks.exec(source)?.[0]) {
    if (mark === '{') braces += 1;
    else if (mark === '}') braces = Math.max(0, braces - 1);
    else if (braces > 0) open = Math.max(0, open + (mark === '<' ? 1 : -1));
    if (open > maxOpenElements) return true;
    if (braces > 0) continue;
    open = 0;
    const next = source.indexOf('{', marks.lastIndex);
    if (next < 0) return false;
    marks.lastIndex = next;
  }
  return false;
}

const fence = /^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/;

function withoutCodeBlocks(source: string): string {
  const kept: string[] = [];
  let braces = 0;
  let opening = '';
  for (const line of source.split('\n')) {
    const [, backticks, tildes] = fence.exec(line) ?? [];
    const mark = backticks ?? tildes ?? '';
    if (opening !== '') {
      if (mark.startsWith(opening) && line.trim() === mark) opening = '';
    } else if (mark !== '' && braces === 0) opening = mark;
    else {
      kept.push(line);
      braces = Math.max(0, braces + line.split('{').length - line.split('}').length);
    }
  }
  return kept.join('\n');
}

/**
 * Plain Markdown for short texts in properties and settings, where braces and tags are ordinary characters.
 */
export function parseMarkdown(source: string): Node {
  return surveyed(markdownToMdast(source, { features, position: false }) as Node).tree;
}

function parseFast(source: string): SurveyedTree {
  try {
    return surveyed(mdxToMdast(source, { features }) as Node);
  } catch (error) {
    throw fromFastError(error as Error);
  }
}

/** The native parser puts the position in its message: `12:3: What is wrong (rule:name)`. */
function fromFastError(error: Error): MarkupError {
  const match = /^(\d+):(\d+): ([\s\S]*?)(?: \([\w-]+:[\w-]+\))?$/.exec(error.message);
  if (!match) return new MarkupError(error.message, undefined);
  return new MarkupError(match[3] ?? error.message, { line: Number(match[1]), column: Number(match[2]) });
}

let slowProcessor: { parse(source: string): unknown } | undefined;

/** Loaded on demand, because loading is slow. */
function loadedSlowProcessor(): NonNullable<typeof slowProcessor> {
  if (slowProcessor) return slowProcessor;
  const { createProcessor } = require('@mdx-js/mdx') as typeof Mdx;
  const { default: remarkGfm } = require('remark-gfm') as typeof Gfm;
  return (slowProcessor = createProcessor({ remarkPlugins: [remarkGfm] }));
}

function parseSlow(source: string): SurveyedTree {
  const processor = loadedSlowProcessor();
  try {
    return surveyed(unravel(processor.parse(source) as Node));
  } catch (error) {
    const { message, line, column } = error as Error & Partial<SourcePlace>;
    /** For a tag left open at the end of a file only the message contains its position. */
    const position = /\((\d+):(\d+)/.exec(message);
    if (line) throw new MarkupError(message, { line, column: column ?? 1 });
    throw new MarkupError(
      message,
      position ? { line: Number(position[1]), column: Number(position[2]) } : undefined,
    );
  }
}

/** A paragraph that contains only elements is replaced by them, as in the fast parser's tree. */
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

function surveyed(tree: Node): SurveyedTree {
  const survey: SurveyedTree = { tree, depth: 0, isPlain: true, declarations: [] };
  const visit = (node: Node, depth: number): void => {
    if (node.type.startsWith('mdx')) survey.isPlain = false;
    if (isDeclaration(node)) survey.declarations.push(node);
    survey.depth = Math.max(survey.depth, depth);
    if (depth > maxDepth && node.children) node.children = [];
    for (const child of node.children ?? []) visit(child, depth + 1);
  };
  visit(tree, 1);
  return survey;
}

function isDeclaration({ type }: Node): boolean {
  return type === 'mdxjsEsm' || type === 'definition' || type === 'footnoteDefinition';
}
