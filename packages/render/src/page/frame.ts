import type { FilePlace } from '../model/diagnostic.ts';
import type { ObjectValue, Scope } from '../evaluate/values.ts';
import type { CodeBlock } from '../highlight/code-block.ts';
import type { Document } from '../document/document.ts';
import type { Node } from '../document/tree.ts';

export interface Frame {
  file: string;
  document: Document | undefined;
  scope: Scope;
  /** The snippet's properties. */
  given?: ObjectValue | undefined;
  /** Properties of a snippet, which its code blocks interpolate. */
  interpolations: ReadonlyMap<string, string>;
  depth: number;
}

export function placeOf(node: Node, frame: Frame): FilePlace | undefined {
  const start = node.position?.start;
  return (
    start && { file: frame.file, line: start.line + (frame.document?.linesBefore ?? 0), column: start.column }
  );
}

export function codeBlockOf(node: Node, frame: Frame): CodeBlock {
  const code = node.value ?? '';
  return {
    language: node.lang ?? '',
    meta: node.meta ?? '',
    place: placeOf(node, frame),
    code: frame.interpolations.size
      ? code.replaceAll(
          /\{([A-Za-z_$][\w$]*)\}/g,
          (whole, name: string) => frame.interpolations.get(name) ?? whole,
        )
      : code,
  };
}
