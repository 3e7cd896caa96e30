import { isEmptyExpression } from '../evaluate/parse.ts';
import type { Node } from '../document/tree.ts';

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
