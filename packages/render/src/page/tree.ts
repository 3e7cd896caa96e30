/** The Markdown syntax tree as this renderer reads it: one loose node shape for both parsers. Types and one walk. */
import type { SourcePlace } from '../check/diagnostic.ts';

export interface Node {
  type: string;
  position?: { start: SourcePlace & { offset?: number }; end?: { offset?: number } } | undefined;
  children?: Node[];
  value?: string;
  /** JSX elements. */
  name?: string | null;
  attributes?: JsxAttribute[];
  depth?: number;
  lang?: string | null;
  meta?: string | null;
  url?: string;
  title?: string | null;
  alt?: string | null;
  identifier?: string;
  label?: string | null;
  ordered?: boolean | null;
  start?: number | null;
  spread?: boolean | null;
  checked?: boolean | null;
  align?: (string | null)[] | null;
}

export interface JsxAttribute {
  type: string;
  name?: string;
  value?: string | null | { type: string; value: string };
}

/** How deep a tree is, without recursion, so that a hostile depth cannot overflow the stack while it is measured. */
export function depthOf(root: Node): number {
  let deepest = 0;
  const open: [Node, number][] = [[root, 1]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [node, depth] = entry;
    deepest = Math.max(deepest, depth);
    for (const child of node.children ?? []) open.push([child, depth + 1]);
  }
  return deepest;
}

/** A few words in braces within a sentence, which are most likely meant as they stand. */
export function isShortText(node: Node): boolean {
  return (
    node.type === 'mdxTextExpression' && (node.value ?? '').length <= 60 && !/[<\n]/.test(node.value ?? '')
  );
}
