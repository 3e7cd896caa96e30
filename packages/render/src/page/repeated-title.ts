/** Leaves out a first heading that only repeats the title of the page. */
import { isEmptyExpression } from '../evaluate/parse.ts';
import type { Node } from '../document/tree.ts';

/** The title stands above the page already; a first heading that says the same is not shown twice. */
export function withoutRepeatedTitle(nodes: readonly Node[], title: string): readonly Node[] {
  const at = nodes.findIndex((node) => node.type !== 'mdxjsEsm' && !isComment(node));
  const first = nodes[at];
  if (first?.type !== 'heading' || first.depth !== 1) return nodes;
  return plainText(first).trim().toLowerCase() === title.trim().toLowerCase()
    ? nodes.toSpliced(at, 1)
    : nodes;
}

function isComment(node: Node): boolean {
  return node.type === 'mdxFlowExpression' && isEmptyExpression(node.value ?? '');
}

function plainText(node: Node): string {
  return (node.value ?? '') + (node.children ?? []).map(plainText).join('');
}
